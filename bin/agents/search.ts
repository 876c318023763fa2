import type { z } from "zod";
import type { Hit, Index, SearchOptions, SearchResult } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { closestNotice, queryNotice, unknownWords } from "../format/closest.ts";
import { counted, field, oneLine } from "../format/safe.ts";
import { dayAndTime } from "../format/times.ts";
import type { Answer } from "./answer.ts";
import type { SearchAnswer } from "./answers.ts";
import { asManyAsFit } from "./as-many-as-fit.ts";
import { exceptAsking } from "./asking.ts";
import type { Context } from "./context.ts";
import { citationIn } from "./place.ts";
import type { SearchQuestion } from "./questions.ts";
import { briefly, headingOf, lines, nameIn, QUOTED, quoted, timeIn } from "./told.ts";

/** What is left for anything but the sessions themselves, in tokens. */
const AROUND = 160;

/** Finds sessions by words; as many as the answer may hold. */
export async function search(
  index: Index,
  asked: z.output<typeof SearchQuestion>,
  { asking, redactor }: Context,
): Promise<Answer<SearchAnswer>> {
  const { query, include_asking, redact: _, max_tokens, limit, hits, ...rest } = asked;
  const options = { ...rest, ...(include_asking ? {} : exceptAsking(asking)), hits, sync: false };
  const { found, told } = await asManyAsFit(limit, max_tokens - AROUND, async (limit) => {
    const found = await index.search(query, { ...options, limit } as SearchOptions);
    return { found, told: toldOf(found, redactor) };
  });
  return answerOf(found, told, redactor);
}

interface ToldSession {
  data: SearchAnswer["sessions"][number];
  text: string;
}

function toldOf({ sessions }: SearchResult, redactor: Redactor | undefined): ToldSession[] {
  return sessions.map(({ session, hits, hitCount }) => {
    const brief = briefly(session, redactor);
    const missing = hits[0]?.missing;
    const data = {
      session: brief,
      hits: hits.map((hit) => hitOf(hit, redactor)),
      hitCount,
      ...(missing && { missing: missing.map((word) => nameIn(word, redactor)) }),
    };
    const text = lines(
      headingOf(brief),
      missing && missing.length > 0 && `Missing: ${data.missing?.map(oneLine).join(", ")}`,
      ...data.hits.map((hit, n) => {
        const place = citationIn(hit.line, hit.entryId);
        const who = hit.role ?? hit.type;
        const when = hit.timestamp === undefined ? "" : ` ${dayAndTime(new Date(hit.timestamp))}`;
        return `${n === 0 ? field(brief.path) : ""}${place} ${who}${when}\n${quoted(hit.text)}`;
      }),
    );
    return { data, text };
  });
}

function hitOf(
  { entryId, line, role, type, timestamp: written, snippet }: Hit,
  redactor: Redactor | undefined,
): ToldSession["data"]["hits"][number] {
  const text = redactor ? masked(snippet.text, redactor) : snippet.text;
  const timestamp = timeIn(written);
  return {
    ...{ entryId, line, text, type: nameIn(type, redactor) },
    ...(role && { role: nameIn(role, redactor) }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

/** What a snippet has of a word that was cut, or of a key that goes on over lines, says nothing, and may be half of a secret. */
const HALF_A_KEY = /^…\s*[\w+/=.-]{12,}|[\w+/=.-]{12,}\s*…$|[\w+/=]{60,}/g;
/** Where the name of a value may be cut off, and the value itself: what stands first, and last. Only what ASCII has is cut into words here. */
const AT_THE_ENDS = /^…\s*[!-~]+(?:\s+[!-~]+){0,2}|[!-~]+\s*…$/g;
const TO_BE_SURE = /[!-~]{6,}/g;
/** With the signs around it, and the marks of what is masked already. */
const A_WORD = /^[^A-Za-z0-9]{0,2}[A-Za-z]{1,11}(?:-[a-z]{1,11})*[^A-Za-z0-9]{0,2}$/;

function masked(text: string, redactor: Redactor): string {
  return redactor
    .text(text)
    .replace(HALF_A_KEY, "…")
    .replace(AT_THE_ENDS, (end) => end.replace(TO_BE_SURE, (found) => (A_WORD.test(found) ? found : "…")));
}

/** What closest matches lack, with words of the index masked where they are part of a key. */
function maskedWords(
  { sessionCount, missing, corrected }: NonNullable<SearchResult["closest"]>,
  redactor: Redactor | undefined,
) {
  const mask = (word: string) => nameIn(word, redactor);
  const pairs = corrected.map(({ from, to }) => ({ from: mask(from), to: mask(to) }));
  return { sessionCount, missing: missing.map(mask), corrected: pairs };
}

function answerOf(
  found: SearchResult,
  told: readonly ToldSession[],
  redactor: Redactor | undefined,
): Answer<SearchAnswer> {
  const { sessionCount, more, unfound, next } = found;
  const closest = found.closest && maskedWords(found.closest, redactor);
  const notice = [queryNotice(found), closestNotice({ sessionCount, ...(closest && { closest }) })]
    .filter(Boolean)
    .join(". ");
  const data: SearchAnswer = {
    sessions: told.map(({ data }) => data),
    sessionCount,
    more,
    ...(unfound && { unfound }),
    ...(closest && { closest }),
    ...(next !== undefined && { next }),
  };
  const unknown = unknownWords(found);
  const nothing = `No sessions match. ${unknown ? `${unknown}. ` : ""}Try other words, or leave out filters.`;
  const text =
    told.length === 0
      ? nothing
      : lines(
          `${notice ? `${notice}. ` : ""}${counted(sessionCount, "session")}${more ? " or more" : ""}. ${QUOTED} To read on, give path:line#entry as the session.`,
          ...told.map(({ text }, n) => `\n${n + 1}. ${text}`),
          next !== undefined && `\nMore: cursor ${next}`,
        );
  return { text, data };
}
