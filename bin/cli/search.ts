import {
  type Facets,
  type FlatSearchResult,
  formatTerm,
  type Hit,
  type IndexQueries,
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
  isPhrase,
  type NoticeFields,
} from "../format/closest.ts";
import { findUnfamiliarFilter, formatFilterNotice } from "../format/filter-notice.ts";
import { extractFieldTexts, plainText } from "../format/query-words.ts";
import { formatCount, formatInteger, toField, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import { formatSinceHint, formatStartHint, toFilters } from "./filters.ts";
import { formatHit, formatHitsForScripts, formatSessionHits } from "./hits.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { EXIT, hasNoSessions, printNotice, queryCommand, requireLocalIndex } from "./run.ts";
import { createFieldSelector, getJsonFields, namesAny } from "./select-fields.ts";
import { parseShape, SESSION_COLUMNS, type SessionShape } from "./session-columns.ts";
import { toSessionJson } from "./session-json.ts";
import { formatRow, formatTable } from "./table.ts";

/** The default number of sessions, or of hits with `--flat`, `--substring` and `--regex`. */
const DEFAULT_LIMIT = 10;
/** The maximum number of them, except with `--substring` and `--regex`: their hits are printed as they are found. */
const MAX_LIMIT = 1000;

/** `pidex search`. Exits with 3 if nothing was found. */
export const run = queryCommand(async (io, index, args, flags: Flags<"search">) => {
  const query = args.join(" ");
  const { role, sort, exact, strict, facets, limit, cursor, sync, substring, regex, caseSensitive } = flags;
  const filters = { ...toFilters(flags), role };
  const pattern = substring !== undefined ? { substring } : regex !== undefined ? { regex } : undefined;
  if (pattern) {
    if (Array.isArray(getJsonFields(flags))) {
      const hint = "Use --json or --ndjson without fields.";
      throw new PidexError("BAD_OPTION", "--substring and --regex have no choice of JSON fields", hint);
    }
    const { writeScan } = await import("./scan.ts");
    const options = { ...filters, limit: limit ?? DEFAULT_LIMIT, query: query || undefined };
    const local = requireLocalIndex(index, substring !== undefined ? "--substring" : "--regex");
    return writeScan(io, local, { ...pattern, caseSensitive }, options, flags);
  }
  if (limit !== undefined && limit > MAX_LIMIT) {
    const hint = "Use --cursor for further pages; --substring and --regex accept any number.";
    throw new PidexError("BAD_OPTION", `-n must be an integer from 1 to ${MAX_LIMIT}`, hint);
  }
  const page = { limit: limit ?? DEFAULT_LIMIT, hits: flags.hits, cursor };
  const shape = parseShape(flags);
  const select = await createSelector(flags);
  const named = shape?.names ?? getJsonFields(flags);
  const costs = namesAny(named, ["cost", "costUsd"]);
  const models = namesAny(named, ["models"]);
  const options = { ...filters, sort, exact, strict, facets, costs, models, ...page, sync };
  if (flags.flat) {
    const { hits, ...found } = await index.searchEntries(query, options);
    if (hits.length === 0) await rejectUnknownValue(index, query);
    return show(io, index, query, flags, found, { hits }, select);
  }
  const { sessions, ...found } = await index.search(query, options);
  if (sessions.length === 0) await rejectUnknownValue(index, query);
  return show(io, index, query, flags, found, { sessions }, select, shape);
});

/** @throws PidexError `BAD_QUERY` if the query has a `type:` or `role:` that pidex doesn't know and that no entry has */
async function rejectUnknownValue(index: IndexQueries, query: string): Promise<void> {
  const filter = findUnfamiliarFilter(query);
  if (!filter) return;
  const { field, value, known } = filter;
  const all = { limit: 1, archived: "yes", subagents: "yes" } as const;
  const { hitCount } = await index.searchEntries(formatTerm({ field, values: [value] }), all);
  if (hitCount > 0) return;
  const hint = `Known values: ${known.join(", ")}.`;
  throw new PidexError("BAD_QUERY", `unknown filter ${field}:${toOneLine(value)}`, hint);
}

/** What is found, besides the list. */
type Found = Omit<FlatSearchResult, "hits">;
/** The list under its name in JSON. */
type FoundList = { sessions: SessionHits[] } | { hits: Hit[] };

/** Prints the result in the form that the flags select. @returns the exit code */
async function show(
  io: Io,
  index: IndexQueries,
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
  else if (flags.ndjson) await writeJsonLines(io, items.map(select));
  else if (hits.length === 0 && hasNoSessions(index)) return EXIT.notFound;
  else if (hits.length === 0) {
    suggestAfterNothing(io, query, flags, found);
    const { formatUnmatchedValues } = await import("../actions/unmatched-values.ts");
    io.err(await formatUnmatchedValues(index, flags, query));
  } else if (found.facets) {
    if (found.totals) noteTotals(io, found.totals);
    await io.out(facetTable(io, found.facets));
  } else if (shape && !isFlat) {
    const sessions = list.sessions.map(({ session }) => session);
    await withPager(io, flags, async (paged) => paged.out(shape.format(paged, sessions)));
  } else if (io.isTerminal) {
    noteFilters(io, query, found);
    await withPager(io, flags, async (paged) => paged.out(forTerminal(paged, found, list)));
    if (found.next !== undefined) {
      const more = describeRest(found, items.length, isFlat ? "hit" : "session", flags.cursor !== undefined);
      io.err(`\n${io.style("dim", `… ${more} (-n to show more)`)}\n`);
    }
  } else {
    const closest = formatClosestHeading(found);
    if (closest !== undefined) printNotice(io, closest);
    noteFilters(io, query, found);
    await io.out(formatHitsForScripts(hits));
  }
  return items.length > 0 ? EXIT.done : EXIT.notFound;
}

/** How many results follow: `12 more sessions`, and `12+ more sessions` if further ones were not ranked. */
function describeRest(
  found: Omit<Found, "changedFiles">,
  shown: number,
  what: "hit" | "session",
  isLaterPage: boolean,
): string {
  const rest = (what === "hit" ? found.hitCount : found.sessionCount) - shown;
  if (isLaterPage || rest < 1) return "more"; // the counts include earlier pages
  return found.more ? `${formatInteger(rest)}+ more ${what}s` : formatCount(rest, `more ${what}`);
}

/** Reduces results to some fields: those of sessions and of their hits, or of hits. @throws PidexError `BAD_OPTION` */
async function createSelector(flags: Flags<"search">): Promise<(item: SessionHits | Hit) => object> {
  const fields = getJsonFields(flags);
  if (!fields || fields === true) {
    return (item) => ("session" in item ? { ...item, session: toSessionJson(item.session) } : item);
  }
  const { HitJson, SessionInfoJson } = await import("../../library/schemas.ts");
  if (flags.flat) return createFieldSelector<SessionHits | Hit>(fields, Object.keys(HitJson.shape));
  const properties = [...Object.keys(SessionInfoJson.shape), "hits", "hitCount"];
  const select = createFieldSelector<SessionInfo>(fields, properties, SESSION_COLUMNS);
  return (item) => {
    const { session, ...hits } = item as SessionHits;
    return select({ ...toSessionJson(session), ...hits });
  };
}

/** Says which words look like filters, most of them only if closest matches had to make up for them. */
function noteFilters(io: Io, query: string, { closest }: NoticeFields): void {
  const notice = formatFilterNotice(query, closest ? "closest" : "full");
  if (notice !== undefined) printNotice(io, notice);
}

/** The line above closest matches, and how to do without them. */
function formatClosestHeading(found: NoticeFields): string | undefined {
  const notice = formatClosestNotice(found);
  return notice && `${notice} (--strict: full matches only)`;
}

const ACROSS_ENTRIES = "These sessions match across several entries:";

function forTerminal(io: Io, found: Omit<Found, "changedFiles">, list: FoundList): string {
  const isFlat = "hits" in list;
  const groups = isFlat ? list.hits.map((hit) => [hit]) : list.sessions.map(({ hits }) => hits);
  const blocks = isFlat
    ? list.hits.map((hit) => formatHit(io, hit))
    : list.sessions.map((each) => formatSessionHits(io, each, found.more));
  const insertBefore = (starts: (hit: Hit) => boolean, heading: string | undefined) => {
    const first = groups.findIndex((hits) => hits.some(starts));
    if (first >= 0 && heading !== undefined) blocks.splice(first, 0, `${io.style("dim", heading)}\n`);
  };
  insertBefore(({ missing }) => missing !== undefined, formatClosestHeading(found));
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
  if (found.unfound?.some(isPhrase)) {
    const words = toOneLine(query.replaceAll('"', " ")).split(" ").filter(Boolean);
    const end = words.some((word) => word.startsWith("-")) ? "-- " : ""; // of options
    io.err(
      `  Search without quotes: pidex search ${end}${words.map((word) => quoteForShell(word)).join(" ")}\n`,
    );
  }
  const filter = formatFilterNotice(query, "nothing");
  if (filter !== undefined) io.err(`  ${filter}\n`);
  const set = NARROWING.filter((name) => flags[name] !== undefined);
  if (set.length > 0) io.err(`  Try without ${set.map((name) => `--${name}`).join(", ")}\n`);
  const inQuery = extractFieldTexts(query, "since")
    .map((since) => formatStartHint("since:", since))
    .join("");
  io.err(formatSinceHint(flags) + inQuery);
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
  ["tags", "tag"],
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
    facets[key].map(({ value, hits, sessions }) => [
      name,
      toField(value),
      ...[hits, sessions].map(io.isTerminal ? formatInteger : String),
    ]),
  );
  if (!io.isTerminal) return rows.map(formatRow).join("");
  const columns = [
    { heading: "BY" },
    { heading: "VALUE", shrinksFirst: true },
    { heading: "HITS", align: "right" as const },
    { heading: "SESSIONS", align: "right" as const },
  ];
  return formatTable(io, columns, rows);
}
