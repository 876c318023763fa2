import type { Hit, SearchOptions, SearchResult } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { formatClosestNotice, formatQueryNotice, formatUnknownWords } from "../format/closest.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { SearchAnswer } from "./answers.ts";
import { fitToBudget } from "./fit-to-budget.ts";
import { formatEntryHeading } from "./format-page.ts";
import {
  formatQuotation,
  formatSessionLine,
  joinLines,
  QUOTATION_NOTICE,
  toBriefSession,
  toSafeName,
  toTimestamp,
} from "./format-session.ts";
import type { Params, SearchParams } from "./params.ts";

/** Tokens reserved for everything but the sessions. */
const RESERVED_TOKENS = 160;

/** Searches sessions; returns as many as fit. */
export async function searchSessions(
  { query, max_tokens, limit, ...filters }: Params<typeof SearchParams>,
  { index, except, redactor }: RequestContext,
): Promise<Answer<SearchAnswer>> {
  const { result, items } = await fitToBudget(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const result = await index.search(query, { ...filters, except, limit, sync: false } as SearchOptions);
    return { result, items: renderSessions(result, redactor) };
  });
  return toAnswer(result, items, redactor);
}

interface RenderedSession {
  data: SearchAnswer["sessions"][number];
  text: string;
}

function renderSessions({ sessions }: SearchResult, redactor: Redactor | undefined): RenderedSession[] {
  return sessions.map(({ session, hits, hitCount }) => {
    const brief = toBriefSession(session, redactor);
    const missing = hits[0]?.missing;
    const data = {
      session: brief,
      hits: hits.map((hit) => toHit(hit, redactor)),
      hitCount,
      missing: missing?.map((word) => toSafeName(word, redactor)),
    };
    const text = joinLines(
      formatSessionLine(brief),
      missing && missing.length > 0 && `Missing: ${data.missing?.map(toOneLine).join(", ")}`,
      ...data.hits.map((hit, n) => {
        const heading = formatEntryHeading({ ...hit, who: hit.role ?? hit.type });
        return `${n === 0 ? toField(brief.path) : ""}${heading}\n${formatQuotation(hit.text)}`;
      }),
    );
    return { data, text };
  });
}

function toHit(
  { entryId, line, role, type, timestamp: written, snippet }: Hit,
  redactor: Redactor | undefined,
): RenderedSession["data"]["hits"][number] {
  return {
    entryId,
    line,
    type: toSafeName(type, redactor),
    role: role && toSafeName(role, redactor),
    timestamp: toTimestamp(written),
    text: redactor ? maskSnippet(snippet.text, redactor) : snippet.text,
  };
}

/** Words truncated at the ends of a snippet, and very long words: they may be part of a secret and carry little meaning. */
const PARTIAL_SECRET = /^…\s*[\w+/=.-]{12,}|[\w+/=.-]{12,}\s*…$|[\w+/=]{60,}/g;
/** The first and last words of a snippet: a value there may have lost the name that marks it as a secret. ASCII only. */
const ENDS = /^…\s*[!-~]+(?:\s+[!-~]+){0,2}|[!-~]+\s*…$/g;
const POSSIBLE_SECRET = /[!-~]{6,}/g;
/** An ordinary word with its punctuation; also matches the placeholder of a masked secret. */
const ORDINARY_WORD = /^[^A-Za-z0-9]{0,2}[A-Za-z]{1,11}(?:-[a-z]{1,11})*[^A-Za-z0-9]{0,2}$/;

function maskSnippet(text: string, redactor: Redactor): string {
  return redactor
    .redactText(text)
    .replace(PARTIAL_SECRET, "…")
    .replace(ENDS, (end) => end.replace(POSSIBLE_SECRET, (word) => (ORDINARY_WORD.test(word) ? word : "…")));
}

/** The differences of the closest matches, with indexed words masked that are part of a secret. */
function maskClosest(
  { sessionCount, missing, corrected }: NonNullable<SearchResult["closest"]>,
  redactor: Redactor | undefined,
) {
  const mask = (word: string) => toSafeName(word, redactor);
  const pairs = corrected.map(({ from, to }) => ({ from: mask(from), to: mask(to) }));
  return { sessionCount, missing: missing.map(mask), corrected: pairs };
}

function toAnswer(
  result: SearchResult,
  items: readonly RenderedSession[],
  redactor: Redactor | undefined,
): Answer<SearchAnswer> {
  const { sessionCount, more, unfound, next } = result;
  const closest = result.closest && maskClosest(result.closest, redactor);
  const correctedQuery = result.correctedQuery && toSafeName(result.correctedQuery, redactor);
  const notice = [
    formatQueryNotice({ ...result, correctedQuery }),
    formatClosestNotice({ sessionCount, closest }),
  ]
    .filter(Boolean)
    .join(". ");
  const unknown = formatUnknownWords(result);
  const noMatches = `No sessions match. ${unknown ? `${unknown}. ` : ""}Try other words or fewer filters.`;
  const text =
    items.length === 0
      ? noMatches
      : joinLines(
          `${notice ? `${notice}. ` : ""}${formatCount(sessionCount, "session")}${more ? " or more" : ""}. ${QUOTATION_NOTICE} To read more, pass path:line#entry as the session.`,
          ...items.map(({ text }, n) => `\n${n + 1}. ${text}`),
        );
  const sessions = items.map(({ data }) => data);
  return { text, data: { sessions, sessionCount, more, unfound, closest, correctedQuery, next } };
}
