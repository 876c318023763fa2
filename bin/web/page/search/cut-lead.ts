import type { Segment } from "../../../format/hits.ts";

/** Characters before the first match: with them, it is within two lines on a phone. */
const MAX_LEAD = 40;

/** The segments of a snippet, with the text before the first match shortened to whole words, so that no line cuts the match off. */
export function cutLead(segments: readonly Segment[]): readonly Segment[] {
  const [before, match, ...rest] = segments;
  if (!before || !match || before.text.length <= MAX_LEAD) return segments;
  const end = before.text.slice(-MAX_LEAD);
  const text = /(?<=\s)\S.*$/su.exec(end)?.[0] ?? "";
  return [{ ...before, text: `…${text}` }, match, ...rest];
}
