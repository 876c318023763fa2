import {
  type Facets,
  type FlatSearchResult,
  type Hit,
  PidexError,
  type SessionHits,
  type SessionInfo,
  type Totals,
} from "../../library/index.ts";
import { quoteForShell } from "../../library/internal.ts";
import {
  formatClosestNotice,
  formatQueryNotice,
  formatUnknownWords,
  type NoticeFields,
} from "../format/closest.ts";
import { plainText } from "../format/query-words.ts";
import { formatCount, formatInteger, toField, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import { formatMinutesHint, toFilters } from "./filters.ts";
import { formatHit, formatHitsForScripts, formatSessionHits } from "./hits.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { EXIT, printNotice, queryCommand, requireLocalIndex } from "./run.ts";
import { createFieldSelector, namesAny } from "./select-fields.ts";
import { parseShape, SESSION_COLUMNS, type SessionShape } from "./session-columns.ts";
import { formatRow, formatTable } from "./table.ts";

/** The default number of sessions, or of hits with `--flat`. */
const DEFAULT_LIMIT = 10;

/** `pidex search`. Exits with 3 if nothing was found. */
export const run = queryCommand(async (io, index, args, flags: Flags<"search">) => {
  const query = args.join(" ");
  const { role, sort, exact, strict, facets, limit, cursor, sync, substring, regex, caseSensitive } = flags;
  const filters = { ...toFilters(flags), role };
  const pattern = substring !== undefined ? { substring } : regex !== undefined ? { regex } : undefined;
  if (pattern) {
    if (Array.isArray(flags.json)) {
      const hint = "Use --json without fields.";
      throw new PidexError("BAD_OPTION", "--substring and --regex have no choice of JSON fields", hint);
    }
    const { writeScan } = await import("./scan.ts");
    const options = { ...filters, limit, query: query || undefined };
    const local = requireLocalIndex(index, substring !== undefined ? "--substring" : "--regex");
    return writeScan(io, local, { ...pattern, caseSensitive }, options, flags);
  }
  const page = { limit: limit ?? DEFAULT_LIMIT, hits: flags.hits, cursor };
  const shape = parseShape(flags);
  const select = await createSelector(flags);
  const costs = namesAny(shape?.names ?? flags.json, ["cost", "costUsd"]);
  const options = { ...filters, sort, exact, strict, facets, costs, ...page, sync };
  if (flags.flat) {
    const { hits, ...found } = await index.searchEntries(query, options);
    return show(io, query, flags, found, { hits }, select);
  }
  const { sessions, ...found } = await index.search(query, options);
  return show(io, query, flags, found, { sessions }, select, shape);
});

/** What is found, besides the list. */
type Found = Omit<FlatSearchResult, "hits">;
/** The list under its name in JSON. */
type FoundList = { sessions: SessionHits[] } | { hits: Hit[] };

/** Prints the result in the form that the flags select. @returns the exit code */
async function show(
  io: Io,
  query: string,
  flags: Flags<"search">,
  { changedFiles, ...found }: Found,
  list: FoundList,
  select: (item: SessionHits | Hit) => object,
  shape?: SessionShape,
): Promise<number> {
  const isFlat = "hits" in list;
  const items = isFlat ? list.hits : list.sessions;
  const hits = isFlat ? list.hits : list.sessions.flatMap((each) => each.hits);
  for (const path of changedFiles) printNotice(io, `${path} is being rewritten; its hits are omitted`);
  const plain = formatQueryNotice(found);
  if (plain !== undefined) printNotice(io, plain);
  if (flags.json) await writeJson(io, { [isFlat ? "hits" : "sessions"]: items.map(select), ...found });
  else if (flags.ndjson) await writeJsonLines(io, items);
  else if (hits.length === 0) suggestAfterNothing(io, query, flags, found);
  else if (found.facets) {
    if (found.totals) noteTotals(io, found.totals);
    await io.out(facetTable(io, found.facets));
  } else if (shape && !isFlat) {
    const sessions = list.sessions.map(({ session }) => session);
    await withPager(io, flags, async (paged) => paged.out(shape.format(paged, sessions)));
  } else if (io.isTerminal) {
    await withPager(io, flags, async (paged) => paged.out(forTerminal(paged, found, list)));
    if (found.next !== undefined) {
      // The number of further results is known only on the first page, and only if all hits were ranked.
      const left = isFlat
        ? formatCount(found.hitCount - items.length, "more hit")
        : formatCount(found.sessionCount - items.length, "more session");
      const more = found.more || flags.cursor !== undefined ? "more" : left;
      io.err(`\n${io.style("dim", `… ${more} (-n to show more)`)}\n`);
    }
  } else {
    const closest = formatClosestNotice(found);
    if (closest !== undefined) printNotice(io, closest);
    await io.out(formatHitsForScripts(hits));
  }
  return items.length > 0 ? EXIT.done : EXIT.notFound;
}

/** Reduces results to the fields of `--json FIELDS`: those of sessions and of their hits, or of hits. @throws PidexError `BAD_OPTION` */
async function createSelector({ json, flat }: Flags<"search">): Promise<(item: SessionHits | Hit) => object> {
  if (!json || json === true) return (item) => item;
  const { HitJson, SessionInfoJson } = await import("../../library/schemas.ts");
  if (flat) return createFieldSelector<SessionHits | Hit>(json, Object.keys(HitJson.shape));
  const properties = [...Object.keys(SessionInfoJson.shape), "hits", "hitCount"];
  const select = createFieldSelector<SessionInfo>(json, properties, SESSION_COLUMNS);
  return (item) => {
    const { session, ...hits } = item as SessionHits;
    return select({ ...session, ...hits });
  };
}

const ACROSS_ENTRIES = "These sessions match across several entries:";

function forTerminal(io: Io, found: NoticeFields, list: FoundList): string {
  const isFlat = "hits" in list;
  const groups = isFlat ? list.hits.map((hit) => [hit]) : list.sessions.map(({ hits }) => hits);
  const blocks = isFlat
    ? list.hits.map((hit) => formatHit(io, hit))
    : list.sessions.map((each) => formatSessionHits(io, each));
  const insertBefore = (starts: (hit: Hit) => boolean, heading: string | undefined) => {
    const first = groups.findIndex((hits) => hits.some(starts));
    if (first >= 0 && heading !== undefined) blocks.splice(first, 0, `${io.style("dim", heading)}\n`);
  };
  insertBefore(({ missing }) => missing !== undefined, formatClosestNotice(found));
  if (!isFlat) insertBefore(({ crossEntry }) => crossEntry === true, ACROSS_ENTRIES);
  return blocks.join(isFlat ? "" : "\n");
}

/** Flags that narrow a search. */
const NARROWING = ["here", "cwd", "project", "model", "since", "until", "role", "tag", "named"] as const;

/** Reports that nothing was found, why, and what to try. */
function suggestAfterNothing(io: Io, query: string, flags: Flags<"search">, found: NoticeFields): void {
  io.err(`No sessions match ${quotedOnLine(query)}\n`);
  const unknown = formatUnknownWords(found);
  if (unknown !== undefined) io.err(`  ${unknown}\n`);
  const set = NARROWING.filter((name) => flags[name] !== undefined);
  if (set.length > 0) io.err(`  Try without ${set.map((name) => `--${name}`).join(", ")}\n`);
  io.err(formatMinutesHint(flags));
  if (flags.strict) io.err("  Try without --strict to include closest matches\n");
  const text = plainText(query);
  if (text === undefined) return; // only fields, which files don't contain
  io.err(`  Search the files themselves: pidex search --substring ${quoteForShell(toOneLine(text))}\n`);
}

function quotedOnLine(query: string): string {
  return query.includes('"') ? toOneLine(query) : `"${toOneLine(query)}"`;
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
    facets[key].map(({ value, hits }) => [
      name,
      toField(value),
      io.isTerminal ? formatInteger(hits) : String(hits),
    ]),
  );
  if (!io.isTerminal) return rows.map(formatRow).join("");
  const columns = [
    { heading: "BY" },
    { heading: "VALUE", shrinksFirst: true },
    { heading: "HITS", align: "right" as const },
  ];
  return formatTable(io, columns, rows);
}
