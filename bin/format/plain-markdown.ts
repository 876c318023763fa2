import type { Segment } from "./hits.ts";

/** Code, in which nothing is a mark: a block, which a snippet may cut off, and code in a line. */
const CODE = /```[\s\S]*?(?:```|$)|(`+)(?=\S)([^`]+)\1(?!`)/gu;

/** What may be before and after a pair of marks, and just inside it: `src/**\/*.ts` and `f(*args)` have no pairs. */
const BEFORE = String.raw`(?<=^|[\s([{"'“‘—–>|…])`;
const AFTER = String.raw`(?=$|[\s.,;:!?)\]}"'”’—–…|-])`;
const FIRST = String.raw`(?=[\p{L}\p{N}"'“‘\x60([$#@+-])`;
const LAST = String.raw`(?<=[\p{L}\p{N}.,;:!?)"'”’\x60\]%…])`;
const pair = (mark: string, content: string): RegExp =>
  new RegExp(`${BEFORE}(${mark})${FIRST}(${content})${LAST}(${mark})${AFTER}`, "gu");

const PAIRS: readonly RegExp[] = [
  pair(String.raw`\*\*`, String.raw`(?:(?!\*\*).)+?`),
  pair(String.raw`\*`, "[^*]+?"),
  pair("~~", "[^~]+?"),
];

/** The marks of a heading. Snippets are on one line, so that one may follow a text. A single mark there may be a comment. */
const HEADING = /^#{1,6} (?=\S)|(?<=\s)#{2,6} (?=[\p{L}\p{N}*])/gu;

/** The segments of a text in Markdown without the marks of headings, emphasis and inline code. Matches stay as they are. */
export function toPlainSegments(segments: readonly Segment[]): Segment[] {
  const text = segments.map((each) => each.text).join("");
  if (!/[*#`~]/.test(text)) return [...segments];
  const isRemoved = new Uint8Array(text.length);
  const isCode = new Uint8Array(text.length);
  const remove = (start: number, length: number) => {
    if (!isCode.subarray(start, start + length).includes(1)) isRemoved.fill(1, start, start + length);
  };
  for (const { 0: code, 1: ticks, index } of text.matchAll(CODE)) {
    if (ticks !== undefined) {
      remove(index, ticks.length);
      remove(index + code.length - ticks.length, ticks.length);
    }
    const inside = ticks?.length ?? 0;
    isCode.fill(1, index + inside, index + code.length - inside);
  }
  for (const { 0: mark, index } of text.matchAll(HEADING)) remove(index, mark.length);
  for (const pattern of PAIRS) {
    for (const { 0: all, 1: mark = "", index } of text.matchAll(pattern)) {
      const end = index + all.length - mark.length;
      if (isCode[index] || isCode[end]) continue;
      remove(index, mark.length);
      remove(end, mark.length);
    }
  }
  let at = 0;
  return segments.map(({ text: each, isMatch }) => {
    const start = at;
    at += each.length;
    if (isMatch) return { text: each, isMatch };
    let plain = "";
    for (let n = 0; n < each.length; n++) if (!isRemoved[start + n]) plain += each[n];
    return { text: plain, isMatch };
  });
}
