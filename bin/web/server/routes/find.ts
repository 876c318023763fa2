/** Routes that find sessions: lists, searches, facets, scans and completions. */
import { Hono } from "hono";
import { z } from "zod";
import type { Index, ListOptions, ScanOptions, SearchOptions } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { countSessionFacets, SessionLists } from "../../../actions/find-sessions.ts";
import type { FacetsAnswer, ListAnswer } from "../../api/answers.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import type { ChangeFeed } from "../change-feed.ts";
import { FlagParam, NumberParam, optionalFlags, optionalTexts, parseQuery, TextParam } from "../params.ts";
import { filters, searchFilters } from "./filters.ts";

const ListQuery = z.strictObject({
  ...filters,
  ...optionalTexts("title", "sort", "order", "cursor"),
  ...optionalFlags("pinnedFirst"),
  limit: NumberParam.default(50),
});
const SearchQuery = z.strictObject({
  ...filters,
  ...searchFilters,
  ...optionalTexts("cursor"),
  ...optionalFlags("exact", "quick", "facets"),
  query: TextParam,
  limit: NumberParam.default(20),
  hits: NumberParam.optional(),
});
const FacetsQuery = z.strictObject({ ...filters, query: TextParam.default(""), exact: FlagParam.optional() });
const ScanQuery = z.strictObject({
  ...filters,
  regex: TextParam,
  query: TextParam.optional(),
  limit: NumberParam.default(1000),
});
const CompleteQuery = z.strictObject({ query: TextParam, at: NumberParam.optional() });

/** Another thread keeps the index up to date. */
const WATCHED = { sync: false };

// The library validates the values.
const toList = (options: object): ListOptions => options as ListOptions;
const toScan = (options: object): ScanOptions => options as ScanOptions;
const toSearch = (options: object): SearchOptions => options as SearchOptions;

export function createFindRoutes(index: Index, changes: ChangeFeed, hosts: Hosts): Hono {
  const routes = new Hono();
  const lists = new SessionLists(index, (session) => session);
  changes.subscribe((change) => {
    if (change.kind === "synced" && change.changed) lists.clear();
  });
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/list", async (context) => {
    const { title, ...options } = parseQuery(ListQuery, context.req.url);
    if (title !== undefined) {
      const { limit, cursor: _, ...listFilters } = options;
      const all = await lists.listTitled(toList(listFilters), title);
      const sessions = all.slice(0, limit);
      return context.json({ schema, total: all.length, sessions } satisfies BeforeJson<ListAnswer>);
    }
    const { sessions, total, next } = await index.listAll(toList(options));
    return context.json({ schema, total, next, sessions } satisfies BeforeJson<ListAnswer>);
  });

  routes.get("/search", async (context) => {
    const { query, ...options } = parseQuery(SearchQuery, context.req.url);
    const { signal } = context.req.raw;
    const searching = hosts.searching.call("search", query, {
      ...toSearch({ ...options, ...WATCHED }),
      signal,
    });
    const found = await unlessAborted(searching, signal);
    if (!found) return context.body(null, 204);
    const { changedFiles: _, ...answer } = found;
    return context.json({ schema, ...answer });
  });

  routes.get("/facets", async (context) => {
    const { query, exact, ...options } = parseQuery(FacetsQuery, context.req.url);
    if (query.trim() === "") {
      // In the order of the page, so that the first search in titles reuses this list.
      const sessions = await lists.list(toList({ ...options, pinnedFirst: true }));
      return context.json<FacetsAnswer>({ facets: countSessionFacets(sessions), counted: "sessions" });
    }
    const { signal } = context.req.raw;
    const counting = toSearch({ ...options, ...WATCHED, exact, facets: true, limit: 1, hits: 1 });
    const found = await unlessAborted(hosts.counting.call("search", query, { ...counting, signal }), signal);
    if (!found) return context.body(null, 204);
    const { facets, totals } = found;
    if (!facets || !totals) throw new Error("the search returned no facets");
    return context.json<FacetsAnswer>({ facets, totals, counted: "hits" });
  });

  routes.get("/scan", async (context) => {
    const { regex, ...options } = parseQuery(ScanQuery, context.req.url);
    const { signal } = context.req.raw;
    const body = await unlessAborted(
      hosts.streams.open("scan", (host) => host.stream("scan", regex, toScan(options)), signal),
      signal,
    );
    if (!body) return context.body(null, 204);
    context.header("Content-Type", "application/x-ndjson; charset=utf-8");
    return context.body(body);
  });

  routes.get("/complete", async (context) => {
    const { query, at } = parseQuery(CompleteQuery, context.req.url);
    return context.json(await index.complete(query, at));
  });

  return routes;
}

/** The answer; undefined if the request was aborted. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** An answer before conversion to JSON: sessions still have Dates. */
type BeforeJson<T> = { [Key in keyof T]: Key extends "sessions" ? readonly object[] : T[Key] } & {
  schema: number;
};
