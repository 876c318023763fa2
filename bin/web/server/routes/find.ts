/** Routes that find sessions: lists, searches, facets, scans and completions. */
import type { Hono } from "hono";
import { z } from "zod";
import type { Index, ListOptions, ScanOptions, SearchOptions } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION as schema } from "../../../../library/internal.ts";
import { countSessionFacets, SessionLists } from "../../../actions/find-sessions.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import type { ChangeFeed } from "../change-feed.ts";
import { onGet } from "../json-routes.ts";
import {
  FlagParam,
  filters,
  NumberParam,
  optionalFlags,
  optionalTexts,
  parseQuery,
  searchFilters,
  TextParam,
} from "../params.ts";

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
const toSearch = (options: object): SearchOptions => options as SearchOptions;

export function addFindRoutes(api: Hono, index: Index, changes: ChangeFeed, hosts: Hosts): void {
  const lists = new SessionLists(index, (session) => session);
  changes.subscribe((change) => {
    if (change.kind === "synced" && change.changed) lists.clear();
  });

  onGet(api, "list", ListQuery, async ({ title, ...options }) => {
    if (title !== undefined) {
      const { limit, cursor: _, ...listFilters } = options;
      const all = await lists.listTitled(toList(listFilters), title);
      return { schema, total: all.length, sessions: all.slice(0, limit) };
    }
    return { schema, ...(await index.listAll(toList(options))) };
  });

  onGet(api, "search", SearchQuery, async ({ query, ...options }, { req }) => {
    const searching = { ...toSearch({ ...options, ...WATCHED }), signal: req.raw.signal };
    const { changedFiles: _, ...answer } = await hosts.searching.call("search", query, searching);
    return { schema, ...answer };
  });

  onGet(api, "facets", FacetsQuery, async ({ query, exact, ...options }, { req }) => {
    if (query.trim() === "") {
      // In the order of the page, so that the first search in titles reuses this list.
      const sessions = await lists.list(toList({ ...options, pinnedFirst: true }));
      return { facets: countSessionFacets(sessions), counted: "sessions" };
    }
    const counting = toSearch({ ...options, ...WATCHED, exact, facets: true, limit: 1, hits: 1 });
    const { signal } = req.raw;
    const { facets, totals } = await hosts.counting.call("search", query, { ...counting, signal });
    if (!facets || !totals) throw new Error("the search returned no facets");
    return { facets, totals, counted: "hits" };
  });

  api.get("/scan", async (context) => {
    const { regex, ...options } = parseQuery(ScanQuery, context.req.url);
    const { signal } = context.req.raw;
    const scanning = options as ScanOptions;
    const body = await hosts.streams.open("scan", (host) => host.stream("scan", regex, scanning), signal);
    context.header("Content-Type", "application/x-ndjson; charset=utf-8");
    return context.body(body);
  });

  onGet(api, "complete", CompleteQuery, ({ query, at }) => index.complete(query, at));
}
