import type {
  Facets,
  FlatSearchResult,
  Hit,
  Index,
  SearchOptions,
  SessionHits,
  Totals,
} from "../../library/index.ts";
import { quoteForShell } from "../../library/internal.ts";
import {
  formatClosestNotice,
  formatQueryNotice,
  formatUnknownWords,
  type NoticeFields,
} from "../format/closest.ts";
import { plainText } from "../format/query-words.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import { toFilters } from "./filters.ts";
import { formatHit, formatHitsForScripts, formatSessionHits } from "./hits.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, printNotice, withIndex } from "./run.ts";
import { formatTable } from "./table.ts";

/** The default number of sessions, or of hits with `--flat`. */
const DEFAULT_LIMIT = 10;

/** `pidex search`. Exits with 3 if nothing was found. */
export async function run(io: Io, args: string[], flags: Flags<"search">): Promise<number> {
  const query = args.join(" ");
  const { role, sort, exact, strict, facets, limit, hits, cursor, sync, substring, regex, caseSensitive } =
    flags;
  const filters = { ...toFilters(flags), role };
  const pattern = substring !== undefined ? { substring } : regex !== undefined ? { regex } : undefined;
  if (pattern) {
    const { writeScan } = await import("./scan.ts");
    const options = { ...filters, limit, query: query || undefined };
    return withIndex(io, flags, (index) =>
      writeScan(io, index, { ...pattern, caseSensitive }, options, flags),
    );
  }
  const options = {
    ...filters,
    sort,
    exact,
    strict,
    facets,
    limit: limit ?? DEFAULT_LIMIT,
    hits,
    cursor,
    sync,
  };
  const search = flags.flat ? searchFlat : searchBySession;
  return withIndex(io, flags, (index) => search(io, index, query, options, flags));
}

async function searchBySession(
  io: Io,
  index: Index,
  query: string,
  options: SearchOptions,
  flags: Flags<"search">,
): Promise<number> {
  const { sessions, changedFiles, ...found } = await index.search(query, options);
  const hits = sessions.flatMap((each) => each.hits);
  await show(io, query, flags, { list: { sessions }, hits, changedFiles, ...found }, () => {
    const blocks = sessions.map((each) => formatSessionHits(io, each));
    const firstClosest = sessions.findIndex(isClosestMatch);
    const closest = formatClosestNotice(found);
    if (closest !== undefined && firstClosest >= 0)
      blocks.splice(firstClosest, 0, `${io.style("dim", closest)}\n`);
    const across = sessions.findIndex((each) => each.hits.some(({ crossEntry }) => crossEntry));
    if (across >= 0) blocks.splice(across, 0, `${io.style("dim", ACROSS_ENTRIES)}\n`);
    return blocks.join("\n");
  });
  noteMore(io, flags, found, () => formatCount(found.sessionCount - sessions.length, "more session"));
  return sessions.length > 0 ? EXIT.done : EXIT.notFound;
}

const ACROSS_ENTRIES = "These sessions match across several entries:";

/** Whether a session matches only some terms of the query. */
function isClosestMatch({ hits }: SessionHits): boolean {
  return hits.some(({ missing }) => missing !== undefined);
}

async function searchFlat(
  io: Io,
  index: Index,
  query: string,
  options: SearchOptions,
  flags: Flags<"search">,
): Promise<number> {
  const { hits, changedFiles, ...found } = await index.searchEntries(query, options);
  await show(io, query, flags, { list: { hits }, hits, changedFiles, ...found }, () => {
    const lines = hits.map((hit) => formatHit(io, hit));
    const firstClosest = hits.findIndex(({ missing }) => missing !== undefined);
    const closest = formatClosestNotice(found);
    if (closest !== undefined && firstClosest >= 0)
      lines.splice(firstClosest, 0, `${io.style("dim", closest)}\n`);
    return lines.join("");
  });
  noteMore(io, flags, found, () => formatCount(found.hitCount - hits.length, "more hit"));
  return hits.length > 0 ? EXIT.done : EXIT.notFound;
}

/** The result of a search, by session or flat. */
interface Found extends Omit<FlatSearchResult, "hits"> {
  /** The list under its name in JSON. */
  list: { sessions: SessionHits[] } | { hits: Hit[] };
  hits: Hit[];
}

/** Prints the result in the form that the flags select. */
async function show(
  io: Io,
  query: string,
  flags: Flags<"search">,
  { list, hits, changedFiles, ...found }: Found,
  forTerminal: () => string,
): Promise<void> {
  for (const path of changedFiles) printNotice(io, `${path} is being rewritten; its hits are omitted`);
  const plain = formatQueryNotice(found);
  if (plain !== undefined) printNotice(io, plain);
  if (flags.json) await writeJson(io, { ...list, ...found });
  else if (flags.ndjson) await writeJsonLines(io, Object.values(list).flat());
  else if (hits.length === 0) suggestAfterNothing(io, query, flags, found);
  else if (found.facets) {
    if (found.totals) noteTotals(io, found.totals);
    await io.out(facetTable(io, found.facets));
  } else if (io.isTerminal) await io.out(forTerminal());
  else {
    const closest = formatClosestNotice(found);
    if (closest !== undefined) printNotice(io, closest);
    await io.out(formatHitsForScripts(hits));
  }
}

/** Flags<"search"> that exclude sessions. */
const NARROWING = ["here", "cwd", "project", "model", "since", "until", "role", "tag", "named"] as const;

/** Reports that nothing was found, why, and what to try. */
function suggestAfterNothing(io: Io, query: string, flags: Flags<"search">, found: NoticeFields): void {
  io.err(`No sessions match ${quotedOnLine(query)}\n`);
  const unknown = formatUnknownWords(found);
  if (unknown !== undefined) io.err(`  ${unknown}\n`);
  const set = NARROWING.filter((name) => flags[name] !== undefined);
  if (set.length > 0) io.err(`  Try without ${set.map((name) => `--${name}`).join(", ")}\n`);
  if (flags.strict) io.err("  Try without --strict to include closest matches\n");
  io.err(
    `  Search the files themselves: pidex search --substring ${quoteForShell(toOneLine(plainText(query)))}\n`,
  );
}

function quotedOnLine(query: string): string {
  return query.includes('"') ? toOneLine(query) : `"${toOneLine(query)}"`;
}

/** Notes that there are more results. Their number is known only on the first page, and only if all hits were ranked. */
function noteMore(
  io: Io,
  { json, ndjson, facets, cursor }: Flags<"search">,
  { next, more }: { next?: string; more: boolean },
  rest: () => string,
): void {
  if (next === undefined || !io.isTerminal || json || ndjson || facets) return;
  io.err(
    `\n${io.style("dim", `… ${more || cursor !== undefined ? "more" : rest()} (-n, or --cursor ${next})`)}\n`,
  );
}

/** Days are left to charts; a table shows months. */
const FACETS: [keyof Facets, string][] = [
  ["projects", "project"],
  ["models", "model"],
  ["roles", "role"],
  ["tools", "tool"],
  ["months", "month"],
];

/** Prints the totals that the facet counts refer to. */
function noteTotals(io: Io, { hits, sessions, isWhole }: Totals): void {
  const counts = `${formatCount(hits, "hit")} in ${formatCount(sessions, "session")}`;
  if (!isWhole) printNotice(io, `counts cover the newest ${counts}; --exact counts all`);
  else if (io.isTerminal) io.err(`${io.style("dim", counts)}\n`);
}

function facetTable(io: Io, facets: Facets): string {
  const rows = FACETS.flatMap(([key, name]) =>
    facets[key].map(({ value, hits }) => [name, toField(value), String(hits)]),
  );
  const columns = [
    { heading: "BY" },
    { heading: "VALUE", shrinksFirst: true },
    { heading: "HITS", align: "right" as const },
  ];
  return formatTable(io, columns, rows);
}
