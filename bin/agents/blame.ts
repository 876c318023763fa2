import { type BlameLine, type Index, type IndexQueries, PidexError } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { toField, toOneLine } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { BlameAnswer, BriefSession } from "./answers.ts";
import { formatShortCitation } from "./citations.ts";
import { countTokens, takeFitting } from "./fit-to-budget.ts";
import {
  formatQuotation,
  formatSessionLine,
  joinLines,
  QUOTATION_NOTICE,
  toBriefSession,
  truncateForModel,
} from "./format-session.ts";
import type { BlameParams, Params } from "./params.ts";

/** Tokens reserved for everything but the ranges. */
const RESERVED_TOKENS = 120;
/** Maximum length of a prompt, in characters. */
const MAX_PROMPT = 400;

type Range = BlameAnswer["ranges"][number];

/** Returns which session and prompt is behind each range of lines of a file in git. */
export async function blameLines(
  { file, max_tokens, ...options }: Params<typeof BlameParams>,
  { index, redactor, signal }: RequestContext,
): Promise<Answer<BlameAnswer>> {
  if (!isLocal(index))
    throw new PidexError(
      "BAD_OPTION",
      "lines cannot be blamed on a hub",
      "Use a server with an index on this machine.",
    );
  const { lines, sessions, rev } = await index.blame(file, { ...options, signal });
  const known = new Map(sessions.map((session) => [session.path, toBriefSession(session, redactor)]));
  const named = new Set<string>();
  const items = toRanges(lines, redactor).map((range) => {
    const session = range.session === undefined ? undefined : known.get(range.session);
    const text = formatRange(range, session, named);
    return { range, session, text, tokens: countTokens(text, [range, session]) };
  });
  const { taken, next } = await takeFitting(items, max_tokens - RESERVED_TOKENS);
  const shown = new Set(taken.flatMap(({ session }) => session ?? []));
  const data: BlameAnswer = {
    rev,
    ranges: taken.map(({ range }) => range),
    sessions: [...shown],
    ...(next && { nextLine: next.range.from }),
  };
  const text = joinLines(
    shown.size === 0
      ? `No session wrote these lines of ${toOneLine(file)}, as far as is known.`
      : QUOTATION_NOTICE,
    ...taken.map((item) => item.text),
    next && `More lines follow: pass from: ${next.range.from}.`,
  );
  return { text, data };
}

function isLocal(index: IndexQueries): index is IndexQueries & Pick<Index, "blame"> {
  return "blame" in index;
}

/** Successive lines that the same call wrote, or none. */
function toRanges(lines: readonly BlameLine[], redactor: Redactor | undefined): Range[] {
  const ranges: Range[] = [];
  for (const { line, session, entryId, entryLine, timestamp, prompt, confidence, commit } of lines) {
    const last = ranges.at(-1);
    if (
      last &&
      last.session === session &&
      last.entryLine === entryLine &&
      last.confidence === confidence &&
      last.commit === commit
    ) {
      last.to = line;
      continue;
    }
    // Masked before truncation, because a truncated key may not be recognized.
    const masked = prompt === undefined || !redactor ? prompt : redactor.redactText(prompt);
    ranges.push({
      ...{ from: line, to: line, commit, session, entryId, entryLine, timestamp, confidence },
      prompt: masked === undefined ? undefined : truncateForModel(masked, MAX_PROMPT),
    });
  }
  return ranges;
}

/** @param named the sessions that have been described: their path is not repeated */
function formatRange(range: Range, session: BriefSession | undefined, named: Set<string>): string {
  const { from, to, commit, entryLine, entryId, timestamp, confidence, prompt } = range;
  const lines = from === to ? `line ${from}` : `lines ${from}-${to}`;
  const where = commit === null ? "not committed" : `commit ${commit.slice(0, 10)}`;
  if (!session || entryLine === undefined) return `${lines}: no known session, ${where}`;
  const isNew = !named.has(session.path);
  named.add(session.path);
  const when = timestamp === undefined ? "" : `, ${formatDateTime(new Date(timestamp))}`;
  return joinLines(
    `${lines}: ${toField(session.path)}${formatShortCitation(entryLine, entryId ?? null)} (${confidence}, ${where}${when})`,
    isNew && formatSessionLine(session),
    prompt !== undefined && formatQuotation(prompt),
  );
}
