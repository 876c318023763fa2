/** Exports a session, one of its branches, or the hits of a search. */
import {
  extractEntryText,
  type Index,
  type LocatedEntry,
  PidexError,
  type SearchOptions,
  type SessionHits,
} from "../../../library/index.ts";
import { loadRedactor, type Redactor } from "../../../library/internal.ts";
import { wordsToMark } from "../../format/query-words.ts";
import { formatCount, formatInteger, toOneLine } from "../../format/safe.ts";
import { truncate } from "../../format/text.ts";
import { getSessionTitle } from "../../format/titles.ts";
import type { ExportContent, ExportedSession, Prompt } from "./export-content.ts";
import { ExportLimit, type ExportLimits } from "./export-limit.ts";

export const FORMATS = ["html", "md", "jsonl"] as const;
export type Format = (typeof FORMATS)[number];

export interface ExportOptions {
  /** A session as `Index.find` accepts it. Either this or `search` is required. */
  session?: string | undefined;
  /** A search query. */
  search?: string | undefined;
  /** Filters and sort order of the search. */
  filters?: ExportFilters | undefined;
  /** Undefined means no limit. */
  limits?: ExportLimits | undefined;
  /** Exports the branch that ends at this entry instead of the current branch. */
  leaf?: string | undefined;
  /** Exports all entries instead of the current branch. */
  all?: boolean | undefined;
  format: Format;
  /** Whether to include images. By default not in Markdown, where they are long lines of base64. */
  images?: boolean | undefined;
  /** Masks secrets. Undefined leaves them in. */
  redactor: Redactor | undefined;
}

/** Search options without paging. */
export type ExportFilters = Omit<SearchOptions, "limit" | "hits" | "cursor" | "facets" | "exact" | "quick">;

/** @throws PidexError `BAD_OPTION` unless exactly one of session and search is given. Call it before opening an index. */
export function assertOneSource({ session, search }: Pick<ExportOptions, "session" | "search">): void {
  if ((session === undefined) !== (search === undefined)) return;
  const hint = "pidex export @last, or pidex export --search 'failing test'.";
  throw new PidexError("BAD_OPTION", "specify either a session or --search", hint);
}

/**
 * Writes an export in small parts. The heading is determined before the first one; entries are read while writing.
 *
 * @throws PidexError `BAD_OPTION` unless exactly one of session and search is given; errors of `Index.find`,
 * `Index.search` and `Index.entries`
 */
export async function writeExport(
  index: Index,
  {
    session,
    search,
    filters = {},
    limits,
    format,
    images = format !== "md",
    redactor,
    ...selection
  }: ExportOptions,
  out: ExportContent["write"],
): Promise<void> {
  assertOneSource({ session, search });
  const mask: Mask = (value) => (redactor ? redactor.redactValue(value) : value);
  // The table of contents is a second pass, in which masked secrets must not be counted again.
  const uncounted = redactor && (await loadRedactor());
  const maskUncounted: Mask = (value) => (uncounted ? uncounted.redactValue(value) : value);
  const limit = new ExportLimit(limits);
  const content =
    search === undefined
      ? await sessionContent(index, session ?? "", selection, limit, { mask, maskUncounted })
      : await searchContent(index, search, filters, limit, { mask });
  const exporting: ExportContent = {
    ...content,
    images,
    isMasked: redactor !== undefined,
    getStopReason: () => limit.stopReason,
    write(text) {
      limit.countText(text);
      return out(text);
    },
  };
  if (format === "html") await (await import("./html.tsx")).writeHtml(exporting);
  else if (format === "md") await (await import("./markdown.ts")).writeMarkdown(exporting);
  else await (await import("./jsonl.ts")).writeJsonl(exporting);
}

/** Masks the secrets in a value. */
type Mask = <T>(value: T) => T;

type Content = Pick<ExportContent, "title" | "about" | "sessions" | "searchTerms">;

async function sessionContent(
  index: Index,
  query: string,
  { leaf, all }: Pick<ExportOptions, "leaf" | "all">,
  limit: ExportLimit,
  { mask, maskUncounted }: { mask: Mask; maskUncounted: Mask },
): Promise<Content> {
  const info = await index.find(query);
  if (leaf !== undefined) await index.branch(info.path, leaf); // throws before anything is written
  const branch = leaf !== undefined ? { leaf } : all ? "all" : "current";
  const session = mask(info);
  const passage: ExportedSession = {
    session,
    entries: () => limit.limitEntries(maskEach(index.entries(info.path, { branch }), mask)),
    prompts: () => readPrompts(maskEach(index.entries(info.path, { branch }), maskUncounted)),
  };
  const about =
    leaf !== undefined ? `The branch that ends at ${mask(leaf)}` : all ? "All entries" : "The current branch";
  return { title: getSessionTitle(session), about, sessions: only(passage) };
}

/** Sessions per search request. */
const PAGE_SIZE = 50;
/** Maximum number of hits per session. */
const MAX_HITS = 20;
/** Entries exported before and after a hit. */
const CONTEXT_LINES = 1;

async function searchContent(
  index: Index,
  query: string,
  filters: ExportFilters,
  limit: ExportLimit,
  { mask }: { mask: Mask },
): Promise<Content> {
  const options = { ...filters, limit: PAGE_SIZE, hits: MAX_HITS };
  const first = await index.search(query, { ...options, facets: true });
  async function* found(): AsyncGenerator<SessionHits> {
    for (let page = first; ; page = await index.search(query, { ...options, cursor: page.next })) {
      yield* page.sessions;
      if (page.next === undefined) return;
    }
  }
  async function* passages(): AsyncGenerator<ExportedSession> {
    const exported = new Set<string>(); // a session that changes meanwhile may be on two pages
    for await (const { session, hits } of found()) {
      if (exported.has(session.path)) continue;
      exported.add(session.path);
      if (!limit.countSession()) return;
      const lines = new Set(hits.map(({ line }) => line));
      const branch = { lines: [...new Set([...lines].flatMap((line) => around(line)))] };
      yield {
        session: mask(session),
        entries: () => limit.limitEntries(maskEach(index.entries(session.path, { branch }), mask)),
        hits: lines,
      };
    }
  }
  const { totals, sessionCount, more, closest } = first;
  // With closest matches all matches were ranked, and `sessionCount` includes both.
  const isCounted = totals !== undefined && !closest;
  const all = isCounted ? Math.max(totals.sessions, sessionCount) : sessionCount;
  const isMore = isCounted ? !totals.isWhole : more;
  const howMany =
    all > limit.maxSessions
      ? `the first ${formatInteger(limit.maxSessions)} of ${isMore ? "more than " : ""}${formatCount(all, "session")}`
      : `${isMore ? "more than " : ""}${formatCount(all, "session")}`;
  const words = mask(query);
  return {
    title: `Search: ${words}`,
    about: `Best hits in ${howMany}, with context`,
    sessions: passages(),
    searchTerms: wordsToMark(words),
  };
}

function around(line: number): number[] {
  const first = line - CONTEXT_LINES;
  return Array.from({ length: 2 * CONTEXT_LINES + 1 }, (_, n) => first + n).filter((number) => number > 0);
}

async function* maskEach(entries: AsyncIterable<LocatedEntry>, mask: Mask): AsyncGenerator<LocatedEntry> {
  for await (const placed of entries) yield mask(placed);
}

async function* only(passage: ExportedSession): AsyncGenerator<ExportedSession> {
  yield passage;
}

/** Maximum number of prompts in the table of contents. */
const MAX_PROMPTS = 1000;

async function* readPrompts(entries: AsyncIterable<LocatedEntry>): AsyncGenerator<Prompt> {
  let count = 0;
  for await (const { entry, line } of entries) {
    if (entry.type !== "message" || entry.message?.role !== "user") continue;
    const words = truncate(toOneLine(extractEntryText(entry).said.slice(0, 1000)), 120);
    if (words === "") continue;
    yield { line, words };
    if (++count >= MAX_PROMPTS) return;
  }
}
