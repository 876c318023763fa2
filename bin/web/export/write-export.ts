/** A session, a branch of it, or what a search finds, as something to keep or to send. */
import {
  entryText,
  type Index,
  PidexError,
  type PlacedEntry,
  type SearchOptions,
  type SessionHits,
} from "../../../library/index.ts";
import { loadRedactor, type Redactor } from "../../../library/internal.ts";
import { wordsToMark } from "../../format/query-words.ts";
import { counted, grouped, oneLine } from "../../format/safe.ts";
import { cut } from "../../format/text.ts";
import { titleOf } from "../../format/titles.ts";
import { ExportLimit, type ExportLimits } from "./export-limit.ts";
import type { Exporting, Passage, Prompt } from "./exporting.ts";

export const FORMATS = ["html", "md", "jsonl"] as const;
export type Format = (typeof FORMATS)[number];

/** What is exported, and how. */
export interface ExportOptions {
  /** A session as `Index.find` takes it, or else what a search finds. */
  session?: string | undefined;
  search?: string | undefined;
  /** What the search is narrowed and sorted by. */
  filters?: ExportFilters | undefined;
  /** How much it may hold; without, all there is. */
  limits?: ExportLimits | undefined;
  /** Of a session the branch that ends there, or all entries; else the current branch. */
  leaf?: string | undefined;
  all?: boolean | undefined;
  format: Format;
  /** Whether pictures go along; in Markdown, where they are long lines of letters, only if it is said. */
  images?: boolean | undefined;
  /** What masks secrets; none leaves them in. */
  redactor: Redactor | undefined;
}

/** What sessions are found by, but for pages. */
export type ExportFilters = Omit<SearchOptions, "limit" | "hits" | "cursor" | "facets" | "exact" | "quick">;

/** @throws PidexError `BAD_OPTION` unless either a session or a search is named: known before anything is opened */
export function assertOneIsNamed({ session, search }: Pick<ExportOptions, "session" | "search">): void {
  if ((session === undefined) !== (search === undefined)) return;
  const hint = "pidex export @last, or pidex export --search 'failing test'.";
  throw new PidexError("BAD_OPTION", "say either which session to export, or what to search for", hint);
}

/**
 * Writes an export piece by piece: what is told of it is found before the first, entries are read as they are written.
 *
 * @throws PidexError `BAD_OPTION` unless either a session or a search is named; as `Index.find`, `Index.search`, `Index.entries`
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
    ...part
  }: ExportOptions,
  out: Exporting["out"],
): Promise<void> {
  assertOneIsNamed({ session, search });
  const masked: Masking = (value) => (redactor ? redactor.value(value) : value);
  // What is read ahead for a table of contents is masked, but not counted again.
  const ahead = redactor && (await loadRedactor());
  const maskedAhead: Masking = (value) => (ahead ? ahead.value(value) : value);
  const limit = new ExportLimit(limits);
  const what =
    search === undefined
      ? await ofSession(index, session ?? "", part, limit, { masked, maskedAhead })
      : await ofSearch(index, search, filters, limit, { masked });
  const exporting: Exporting = {
    ...what,
    images,
    isMasked: redactor !== undefined,
    stopped: () => limit.stopped,
    out(text) {
      limit.wrote(text);
      return out(text);
    },
  };
  if (format === "html") await (await import("./html.tsx")).writeHtml(exporting);
  else if (format === "md") await (await import("./markdown.ts")).writeMarkdown(exporting);
  else await (await import("./jsonl.ts")).writeJsonl(exporting);
}

/** What makes of something that goes out what may go out. */
type Masking = <T>(value: T) => T;

type What = Pick<Exporting, "title" | "about" | "passages" | "found">;

async function ofSession(
  index: Index,
  named: string,
  { leaf, all }: Pick<ExportOptions, "leaf" | "all">,
  limit: ExportLimit,
  { masked, maskedAhead }: { masked: Masking; maskedAhead: Masking },
): Promise<What> {
  const info = await index.find(named);
  if (leaf !== undefined) await index.branch(info.path, leaf); // before anything is written
  const branch = leaf !== undefined ? { leaf } : all ? "all" : "current";
  const session = masked(info);
  const passage: Passage = {
    session,
    entries: () => limit.within(each(index.entries(info.path, { branch }), masked)),
    prompts: () => promptsOf(each(index.entries(info.path, { branch }), maskedAhead)),
  };
  const about =
    leaf !== undefined
      ? `The branch that ends at ${masked(leaf)}`
      : all
        ? "All entries"
        : "The current branch";
  return { title: titleOf(session), about, passages: only(passage) };
}

/** Sessions that are searched for at a time. */
const PAGE = 50;
/** Hits of a session at most. */
const MOST_HITS = 20;
/** Lines before and after a hit. */
const AROUND = 1;

async function ofSearch(
  index: Index,
  query: string,
  filters: ExportFilters,
  limit: ExportLimit,
  { masked }: { masked: Masking },
): Promise<What> {
  const options = { ...filters, limit: PAGE, hits: MOST_HITS };
  const first = await index.search(query, { ...options, facets: true });
  async function* found(): AsyncGenerator<SessionHits> {
    for (let page = first; ; page = await index.search(query, { ...options, cursor: page.next })) {
      yield* page.sessions;
      if (page.next === undefined) return;
    }
  }
  async function* passages(): AsyncGenerator<Passage> {
    const known = new Set<string>(); // one that was written to meanwhile may be on two pages
    for await (const { session, hits } of found()) {
      if (known.has(session.path)) continue;
      known.add(session.path);
      if (!limit.takeSession()) return;
      const lines = new Set(hits.map(({ line }) => line));
      const branch = { lines: [...new Set([...lines].flatMap((line) => around(line)))] };
      yield {
        session: masked(session),
        entries: () => limit.within(each(index.entries(session.path, { branch }), masked)),
        hits: lines,
      };
    }
  }
  const { totals, sessionCount, more, closest } = first;
  // Where closest matches are shown, all that matches was ranked: `sessionCount` is of both.
  const isCounted = totals !== undefined && !closest;
  const all = isCounted ? Math.max(totals.sessions, sessionCount) : sessionCount;
  const isMore = isCounted ? !totals.isWhole : more;
  const howMany =
    all > limit.sessions
      ? `the first ${grouped(limit.sessions)} of ${isMore ? "more than " : ""}${counted(all, "session")}`
      : `${isMore ? "more than " : ""}${counted(all, "session")}`;
  const words = masked(query);
  return {
    title: `Search: ${words}`,
    about: `Best hits in ${howMany}, with context`,
    passages: passages(),
    found: wordsToMark(words),
  };
}

function around(line: number): number[] {
  return Array.from({ length: 2 * AROUND + 1 }, (_, n) => line - AROUND + n).filter((one) => one > 0);
}

async function* each(entries: AsyncIterable<PlacedEntry>, masked: Masking): AsyncGenerator<PlacedEntry> {
  for await (const placed of entries) yield masked(placed);
}

async function* only(passage: Passage): AsyncGenerator<Passage> {
  yield passage;
}

/** A table of contents that is longer is none. */
const MOST_PROMPTS = 1000;

async function* promptsOf(entries: AsyncIterable<PlacedEntry>): AsyncGenerator<Prompt> {
  let count = 0;
  for await (const { entry, line } of entries) {
    if (entry.type !== "message" || entry.message?.role !== "user") continue;
    const words = cut(oneLine(entryText(entry).said.slice(0, 1000)), 120);
    if (words === "") continue;
    yield { line, words };
    if (++count >= MOST_PROMPTS) return;
  }
}
