import type { Facets, FlatSearchResult, Index, SearchOptions, SearchResult } from "../../index.ts";
import { type FilterFlags, filtersOf } from "./filters.ts";
import { hitLine, hitsForPipes, sessionBlock } from "./hits.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, notice, withIndex } from "./run.ts";
import { table } from "./table.ts";
import { counted, field, oneLine } from "./text.ts";

interface Flags extends FilterFlags {
  role?: string;
  sort?: SearchOptions["sort"];
  flat?: boolean;
  exact?: boolean;
  facets?: boolean;
  limit?: number;
  hits?: number;
  cursor?: string;
  substring?: string;
  regex?: string;
  caseSensitive?: boolean;
}

/** Sessions, or hits of a flat answer, where no number is asked for. */
const LIMIT = 10;

/** `pidex search`. Exit 3 when nothing was found, so that scripts can tell. */
export async function run(io: Io, args: string[], flags: Flags): Promise<number> {
  const query = args.join(" ");
  const { role, sort, exact, facets, limit, hits, cursor, sync, substring, regex, caseSensitive } = flags;
  const filters = { ...filtersOf(flags), role };
  const pattern = substring !== undefined ? { substring } : regex !== undefined ? { regex } : undefined;
  if (pattern) {
    const { scan } = await import("./scan.ts");
    const options = { ...filters, limit, query: query || undefined };
    return withIndex(io, flags, (index) => scan(io, index, { ...pattern, caseSensitive }, options, flags));
  }
  const options = { ...filters, sort, exact, facets, limit: limit ?? LIMIT, hits, cursor, sync };
  const search = flags.flat ? searchFlat : searchBySession;
  return withIndex(io, flags, (index) => search(io, index, query, options, flags));
}

async function searchBySession(
  io: Io,
  index: Index,
  query: string,
  options: SearchOptions,
  flags: Flags,
): Promise<number> {
  const found = await index.search(query, options);
  const { sessions, changedFiles: _, ...answer } = found;
  tellOfChanges(io, found);
  if (flags.json) await writeJson(io, { sessions, ...answer });
  else if (flags.ndjson) await writeJsonLines(io, sessions);
  else if (sessions.length === 0) tellOfNothing(io, query);
  else if (found.facets) await io.out(facetTable(io, found.facets));
  else if (!io.isTerminal) await io.out(hitsForPipes(sessions.flatMap(({ hits }) => hits)));
  else {
    const single = sessions.findIndex(({ hits }) => hits.some(({ together }) => together));
    const blocks = sessions.map((each) => sessionBlock(io, each));
    if (single >= 0) blocks.splice(single, 0, `${io.style("dim", TOGETHER)}\n`);
    await io.out(blocks.join("\n"));
    tellOfMore(io, found, sessions.length);
  }
  return sessions.length > 0 ? EXIT.done : EXIT.notFound;
}

const TOGETHER = "No single entry holds all of it; in these sessions several do together:";

async function searchFlat(
  io: Io,
  index: Index,
  query: string,
  options: SearchOptions,
  flags: Flags,
): Promise<number> {
  const found = await index.searchEntries(query, options);
  const { hits, changedFiles: _, ...answer } = found;
  tellOfChanges(io, found);
  if (flags.json) await writeJson(io, { hits, ...answer });
  else if (flags.ndjson) await writeJsonLines(io, hits);
  else if (hits.length === 0) tellOfNothing(io, query);
  else if (found.facets) await io.out(facetTable(io, found.facets));
  else if (!io.isTerminal) await io.out(hitsForPipes(hits));
  else {
    await io.out(hits.map((hit) => hitLine(io, hit)).join(""));
    const left = found.hitCount - hits.length;
    if (found.next)
      io.err(`\n${io.style("dim", `… ${found.more ? "many more hits" : counted(left, "more hit")}: -n`)}\n`);
  }
  return hits.length > 0 ? EXIT.done : EXIT.notFound;
}

function tellOfNothing(io: Io, query: string): void {
  io.err(`nothing found for ${oneLine(query)}\n`);
}

function tellOfChanges(io: Io, { changedFiles }: SearchResult | FlatSearchResult): void {
  for (const path of changedFiles) notice(io, `${path} is being rewritten: its hits are left out`);
}

function tellOfMore(io: Io, { sessionCount, more, next }: SearchResult, shown: number): void {
  if (next === undefined) return;
  const count = more ? "many more sessions" : counted(Math.max(1, sessionCount - shown), "more session");
  io.err(`\n${io.style("dim", `… ${count}: -n`)}\n`);
}

const FACETS: [keyof Facets, string][] = [
  ["projects", "project"],
  ["models", "model"],
  ["roles", "role"],
  ["tools", "tool"],
  ["months", "month"],
];

function facetTable(io: Io, facets: Facets): string {
  const rows = FACETS.flatMap(([key, name]) =>
    facets[key].map(({ value, hits }) => [name, field(value), String(hits)]),
  );
  const columns = [
    { heading: "BY" },
    { heading: "VALUE", gives: true },
    { heading: "HITS", align: "right" as const },
  ];
  return table(io, columns, rows);
}
