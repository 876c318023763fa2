/** Exports a session, one of its branches, several sessions, or the hits of a search. */
import {
  extractEntryText,
  type IndexQueries,
  type LocatedEntry,
  PidexError,
  type SearchOptions,
  type SessionInfo,
} from "../../../library/index.ts";
import { loadRedactor, type Redactor } from "../../../library/internal.ts";
import { wordsToMark } from "../../format/query-words.ts";
import { formatCount, formatInteger, toOneLine } from "../../format/safe.ts";
import { getTitleAsHeading } from "../../format/short-titles.ts";
import { truncate } from "../../format/text.ts";
import type { ExportContent, ExportedSession, Prompt } from "./export-content.ts";
import { ExportLimit, type ExportLimits } from "./export-limit.ts";

export const FORMATS = ["html", "md", "jsonl"] as const;
export type Format = (typeof FORMATS)[number];

export interface ExportOptions {
  /** A session as `Index.find` accepts it, or several. Either this or `search` is required. */
  session?: string | readonly string[] | undefined;
  /** A search query. */
  search?: string | undefined;
  /** Exports the found sessions whole, instead of hits with context. An empty query then finds all sessions. */
  whole?: boolean | undefined;
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
  /** Called before each session of a search, with the number of sessions before it and about how many there are in total. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Search options without paging. */
export type ExportFilters = Omit<SearchOptions, "limit" | "hits" | "cursor" | "facets" | "exact" | "quick">;

/** @throws PidexError `BAD_OPTION` unless exactly one of session and search is given. Call it before opening an index. */
export function assertOneSource({ session, search }: Pick<ExportOptions, "session" | "search">): void {
  if ((session === undefined) !== (search === undefined)) return;
  const hint = "Run pidex export @last, or pidex export --search 'failing test'.";
  throw new PidexError("BAD_OPTION", "specify either a session or --search", hint);
}

/**
 * Yields the text of an export in small parts. The heading is determined before the first one; entries are read as the parts are.
 *
 * @throws PidexError `BAD_OPTION` unless exactly one of session and search is given; errors of `Index.find`,
 * `Index.search` and `Index.entries`
 */
export async function* renderExport(index: IndexQueries, options: ExportOptions): AsyncGenerator<string> {
  assertOneSource(options);
  const { format, images = format !== "md", redactor } = options;
  const limit = new ExportLimit(options.limits);
  const selected = await selectContent(index, options, limit);
  const isMasked = redactor !== undefined;
  const content = { ...selected, images, isMasked, getStopReason: () => limit.stopReason };
  for await (const text of await toFormat(content, format)) {
    limit.countText(text);
    yield text;
  }
}

async function toFormat(content: ExportContent, format: Format): Promise<AsyncGenerator<string>> {
  if (format === "html") return (await import("./html.tsx")).toHtml(content);
  if (format === "md") return (await import("./markdown.ts")).toMarkdown(content);
  return (await import("./jsonl.ts")).toJsonl(content);
}

type Content = Pick<ExportContent, "title" | "about" | "sessions" | "searchTerms" | "isCollection">;

function selectContent(index: IndexQueries, options: ExportOptions, limit: ExportLimit): Promise<Content> {
  const { session, search = "", whole } = options;
  if (typeof session === "string") return sessionContent(index, session, options, limit);
  if (session !== undefined) return chosenContent(index, session, options, limit);
  return whole ? foundContent(index, search, options, limit) : searchContent(index, options, limit);
}

async function sessionContent(
  index: IndexQueries,
  query: string,
  { leaf, all, redactor }: ExportOptions,
  limit: ExportLimit,
): Promise<Content> {
  const info = await index.find(query);
  if (leaf !== undefined) await index.branch(info.path, leaf); // throws before anything is written
  const branch = leaf !== undefined ? { leaf } : all ? "all" : "current";
  const session = mask(info, redactor);
  // The table of contents is a second pass, in which masked secrets must not be counted again.
  const uncounted = redactor && (await loadRedactor());
  const passage: ExportedSession = {
    session,
    entries: () => readEntries(index.entries(info.path, { branch }), redactor, limit),
    prompts: () => readPrompts(readEntries(index.entries(info.path, { branch }), uncounted)),
  };
  const whole = all ? "All entries" : "The current branch";
  const about = leaf === undefined ? whole : `The branch that ends at ${mask(leaf, redactor)}`;
  return { title: getTitleAsHeading(session), about, sessions: [passage], isCollection: false };
}

/** These sessions, each whole. */
async function chosenContent(
  index: IndexQueries,
  queries: readonly string[],
  options: ExportOptions,
  limit: ExportLimit,
): Promise<Content> {
  const infos = new Map<string, SessionInfo>();
  for (const query of queries) {
    const info = await index.find(query); // throws before anything is written
    infos.set(info.path, info);
  }
  return {
    title: formatCount(infos.size, "session"),
    about: describeWhole(options),
    sessions: wholeSessions(index, [...infos.values()], options, limit),
    isCollection: true,
  };
}

/** The sessions that a search or, without a query, a list finds, each whole. */
async function foundContent(
  index: IndexQueries,
  query: string,
  options: ExportOptions,
  limit: ExportLimit,
): Promise<Content> {
  const { filters, redactor } = options;
  const words = mask(query, redactor);
  return {
    title: query.trim() === "" ? "Sessions" : `Search: ${words}`,
    about: describeWhole(options),
    sessions: wholeSessions(index, findSessions(index, query, filters), options, limit),
    isCollection: true,
    searchTerms: wordsToMark(words),
  };
}

function describeWhole({ all }: ExportOptions): string {
  return all ? "All entries of each session" : "The current branch of each session";
}

async function* findSessions(
  index: IndexQueries,
  query: string,
  filters: ExportFilters = {},
): AsyncGenerator<SessionInfo> {
  const { role: _role, sort: _sort, strict: _strict, sync: _sync, costs: _costs, ...listed } = filters;
  const found = new Set<string>(); // a session that changes meanwhile may be on two pages
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const options = { limit: PAGE_SIZE, cursor };
    const page =
      query.trim() === ""
        ? await index.listAll({ ...listed, ...options })
        : await index.search(query, { ...filters, ...options, hits: 1 });
    for (const each of page.sessions) {
      const info = "session" in each ? each.session : each;
      if (!found.has(info.path)) yield info;
      found.add(info.path);
    }
    cursor = page.next;
  }
}

async function* wholeSessions(
  index: IndexQueries,
  infos: Iterable<SessionInfo> | AsyncIterable<SessionInfo>,
  { all, redactor }: ExportOptions,
  limit: ExportLimit,
): AsyncGenerator<ExportedSession> {
  const branch = all ? "all" : "current";
  for await (const info of infos) {
    if (!limit.countSession()) return;
    yield {
      session: mask(info, redactor),
      entries: () => readEntries(index.entries(info.path, { branch }), redactor, limit),
    };
  }
}

/** Sessions per search request. */
const PAGE_SIZE = 50;
/** Maximum number of hits per session. */
const MAX_HITS = 20;

async function searchContent(
  index: IndexQueries,
  { search: query = "", filters, redactor, onProgress }: ExportOptions,
  limit: ExportLimit,
): Promise<Content> {
  const options = { ...filters, limit: PAGE_SIZE, hits: MAX_HITS };
  const first = await index.search(query, { ...options, facets: true });
  const { totals, sessionCount, more, closest } = first;
  // With closest matches all matches were ranked, and `sessionCount` includes both.
  const isCounted = totals !== undefined && !closest;
  const all = isCounted ? Math.max(totals.sessions, sessionCount) : sessionCount;
  async function* passages(): AsyncGenerator<ExportedSession> {
    const exported = new Set<string>(); // a session that changes meanwhile may be on two pages
    for (let page = first; ; page = await index.search(query, { ...options, cursor: page.next })) {
      for (const { session, hits } of page.sessions) {
        if (exported.has(session.path)) continue;
        onProgress?.(exported.size, Math.max(exported.size, Math.min(all, limit.maxSessions)));
        exported.add(session.path);
        if (!limit.countSession()) return;
        const lines = new Set(hits.map(({ line }) => line));
        const around = [...lines].flatMap((line) => [line - 1, line, line + 1]).filter((line) => line > 0);
        const branch = { lines: [...new Set(around)] };
        yield {
          session: mask(session, redactor),
          entries: () => readEntries(index.entries(session.path, { branch }), redactor, limit),
          hits: lines,
        };
      }
      if (page.next === undefined) return;
    }
  }
  const isMore = isCounted ? !totals.isWhole : more;
  const cut = all > limit.maxSessions ? `the first ${formatInteger(limit.maxSessions)} of ` : "";
  const howMany = `${cut}${isMore ? "more than " : ""}${formatCount(all, "session")}`;
  const words = mask(query, redactor);
  return {
    title: `Search: ${words}`,
    about: `Best hits in ${howMany}, with context`,
    sessions: passages(),
    searchTerms: wordsToMark(words),
    isCollection: true,
  };
}

function mask<T>(value: T, redactor: Redactor | undefined): T {
  return redactor ? redactor.redactValue(value) : value;
}

/** The entries with their secrets masked, until the export reaches a limit. */
async function* readEntries(
  entries: AsyncIterable<LocatedEntry>,
  redactor: Redactor | undefined,
  limit?: ExportLimit,
): AsyncGenerator<LocatedEntry> {
  for await (const placed of entries) {
    if (limit?.stopReason !== undefined) return;
    yield mask(placed, redactor);
  }
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
