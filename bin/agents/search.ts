import type { z } from "zod";
import type { Hit, Index, SearchOptions, SearchResult } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { formatClosestNotice, formatQueryNotice, formatUnknownWords } from "../format/closest.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import type { Answer } from "./answer.ts";
import type { SearchAnswer } from "./answers.ts";
import { formatShortCitation } from "./citations.ts";
import { excludeCurrentSession } from "./current-session.ts";
import { fitToBudget } from "./fit-to-budget.ts";
import {
  formatQuotation,
  formatSessionLine,
  joinLines,
  QUOTATION_NOTICE,
  toBriefSession,
  toSafeName,
  toTimestamp,
} from "./format-session.ts";
import type { SearchParams } from "./params.ts";
import type { RequestContext } from "./request-context.ts";

/** Tokens reserved for everything but the sessions. */
const RESERVED_TOKENS = 160;

/** Searches sessions; returns as many as fit. */
export async function searchSessions(
  index: Index,
  params: z.output<typeof SearchParams>,
  { currentSession, redactor }: RequestContext,
): Promise<Answer<SearchAnswer>> {
  const { query, include_current_session, redact: _, max_tokens, limit, hits, ...rest } = params;
  const options = {
    ...rest,
    ...(include_current_session ? {} : excludeCurrentSession(currentSession)),
    hits,
    sync: false,
  };
  const { result, items } = await fitToBudget(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const result = await index.search(query, { ...options, limit } as SearchOptions);
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
      ...(missing && { missing: missing.map((word) => toSafeName(word, redactor)) }),
    };
    const text = joinLines(
      formatSessionLine(brief),
      missing && missing.length > 0 && `Missing: ${data.missing?.map(toOneLine).join(", ")}`,
      ...data.hits.map((hit, n) => {
        const place = formatShortCitation(hit.line, hit.entryId);
        const who = hit.role ?? hit.type;
        const when = hit.timestamp === undefined ? "" : ` ${formatDateTime(new Date(hit.timestamp))}`;
        return `${n === 0 ? toField(brief.path) : ""}${place} ${who}${when}\n${formatQuotation(hit.text)}`;
      }),
    );
    return { data, text };
  });
}

function toHit(
  { entryId, line, role, type, timestamp: written, snippet }: Hit,
  redactor: Redactor | undefined,
): RenderedSession["data"]["hits"][number] {
  const text = redactor ? maskSnippet(snippet.text, redactor) : snippet.text;
  const timestamp = toTimestamp(written);
  return {
    ...{ entryId, line, text, type: toSafeName(type, redactor) },
    ...(role && { role: toSafeName(role, redactor) }),
    ...(timestamp !== undefined && { timestamp }),
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
  const notice = [
    formatQueryNotice(result),
    formatClosestNotice({ sessionCount, ...(closest && { closest }) }),
  ]
    .filter(Boolean)
    .join(". ");
  const data: SearchAnswer = {
    sessions: items.map(({ data }) => data),
    sessionCount,
    more,
    ...(unfound && { unfound }),
    ...(closest && { closest }),
    ...(next !== undefined && { next }),
  };
  const unknown = formatUnknownWords(result);
  const noMatches = `No sessions match. ${unknown ? `${unknown}. ` : ""}Try other words or fewer filters.`;
  const text =
    items.length === 0
      ? noMatches
      : joinLines(
          `${notice ? `${notice}. ` : ""}${formatCount(sessionCount, "session")}${more ? " or more" : ""}. ${QUOTATION_NOTICE} To read more, pass path:line#entry as the session.`,
          ...items.map(({ text }, n) => `\n${n + 1}. ${text}`),
          next !== undefined && `\nMore: cursor ${next}`,
        );
  return { text, data };
}
