/** Routes that find sessions: lists, searches, facets, scans and completions. */
import { Hono } from "hono";
import { z } from "zod";
import type { Index, ListOptions, ScanOptions, SearchOptions } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { countSessionFacets, SessionLists } from "../../../actions/find-sessions.ts";
import type { Reply } from "../../api/answers.ts";
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
      return context.json<Reply<"list">>({ schema, total: all.length, sessions });
    }
    const { sessions, total, next } = await index.listAll(toList(options));
    return context.json<Reply<"list">>({ schema, total, next, sessions });
  });

  routes.get("/search", async (context) => {
    const { query, ...options } = parseQuery(SearchQuery, context.req.url);
    const { signal } = context.req.raw;
    const searching = toSearch({ ...options, ...WATCHED });
    const { changedFiles: _, ...answer } = await hosts.searching.call("search", query, {
      ...searching,
      signal,
    });
    return context.json({ schema, ...answer });
  });

  routes.get("/facets", async (context) => {
    const { query, exact, ...options } = parseQuery(FacetsQuery, context.req.url);
    if (query.trim() === "") {
      // In the order of the page, so that the first search in titles reuses this list.
      const sessions = await lists.list(toList({ ...options, pinnedFirst: true }));
      return context.json<Reply<"facets">>({ facets: countSessionFacets(sessions), counted: "sessions" });
    }
    const { signal } = context.req.raw;
    const counting = toSearch({ ...options, ...WATCHED, exact, facets: true, limit: 1, hits: 1 });
    const { facets, totals } = await hosts.counting.call("search", query, { ...counting, signal });
    if (!facets || !totals) throw new Error("the search returned no facets");
    return context.json<Reply<"facets">>({ facets, totals, counted: "hits" });
  });

  routes.get("/scan", async (context) => {
    const { regex, ...options } = parseQuery(ScanQuery, context.req.url);
    const { signal } = context.req.raw;
    const scanning = options as ScanOptions;
    const body = await hosts.streams.open("scan", (host) => host.stream("scan", regex, scanning), signal);
    context.header("Content-Type", "application/x-ndjson; charset=utf-8");
    return context.body(body);
  });

  routes.get("/complete", async (context) => {
    const { query, at } = parseQuery(CompleteQuery, context.req.url);
    return context.json<Reply<"complete">>(await index.complete(query, at));
  });

  return routes;
}
