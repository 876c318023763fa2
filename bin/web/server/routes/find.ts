/** Routes that find sessions: lists, searches, facets, scans and completions. */
import type { Hono } from "hono";
import { z } from "zod";
import type { FacetCount, IndexQueries, ListOptions as ListOptionsInput } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION as schema } from "../../../../library/internal.ts";
import {
  CompleteOptions,
  Filters,
  ListOptions,
  ScanOptions,
  SearchOptions,
} from "../../../../library/schemas.ts";
import { countSessionFacets, SessionLists } from "../../../actions/find-sessions.ts";
import { suggestValues } from "../../../actions/unmatched-values.ts";
import { filtersSessions } from "../../../format/query-terms.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import type { ChangeFeed } from "../change-feed.ts";
import { onGet } from "../json-routes.ts";
import { FlagParam, NumberParam, optionParams, parseQuery, TextParam } from "../params.ts";

const ListQuery = z.strictObject({
  ...optionParams(ListOptions),
  title: TextParam.optional(),
  limit: NumberParam.default(50),
});
const SearchQuery = z.strictObject({
  ...optionParams(SearchOptions.omit({ sync: true })),
  query: TextParam,
  limit: NumberParam.default(20),
});
const FacetsQuery = z.strictObject({
  ...optionParams(Filters),
  query: TextParam.default(""),
  exact: FlagParam.optional(),
});
const ScanQuery = z.strictObject({
  ...optionParams(ScanOptions),
  regex: TextParam,
  limit: NumberParam.default(1000),
});
const UnmatchedQuery = z.strictObject({ query: TextParam });
const CompleteQuery = z.strictObject({
  ...optionParams(CompleteOptions),
  query: TextParam,
  at: NumberParam.optional(),
});

/** Another thread keeps the index up to date. */
const WATCHED = { sync: false };

/** Models beyond these are rare ones. */
const MAX_RECOUNTED = 50;

/** A hub does not report changes, so its lists are cached only for this long. */
const HUB_LIST_LIFETIME_MS = 10_000;

/** @param changes undefined on a hub */
export function addFindRoutes(
  api: Hono,
  index: IndexQueries,
  changes: ChangeFeed | undefined,
  hosts: Hosts,
): void {
  const lists = new SessionLists(index, (session) => session);
  changes?.subscribe((change) => {
    if (change.kind === "synced" && change.changed) lists.clear();
  });
  let clearedAt = performance.now();
  const currentLists = () => {
    const now = performance.now();
    if (!changes && now - clearedAt > HUB_LIST_LIFETIME_MS) {
      lists.clear();
      clearedAt = now;
    }
    return lists;
  };

  onGet(api, "list", ListQuery, async ({ title, ...options }) => {
    if (title !== undefined) {
      const { limit, cursor: _, ...listFilters } = options;
      const all = await currentLists().listTitled(listFilters, title);
      return { schema, total: all.length, sessions: all.slice(0, limit) };
    }
    return { schema, ...(await index.listAll(options)) };
  });

  onGet(api, "search", SearchQuery, async ({ query, ...options }, { req }) => {
    const searching = { ...options, ...WATCHED, signal: req.raw.signal };
    const { changedFiles: _, ...answer } = await hosts.searching.call("search", query, searching);
    return { schema, ...answer };
  });

  onGet(api, "facets", FacetsQuery, async ({ query, exact, ...options }, { req }) => {
    if (query.trim() === "" || filtersSessions(query)) {
      // In the order of the page, so that the first search in titles reuses this list.
      const listed = { ...options, ...(query.trim() !== "" && { query }) };
      const sessions = await currentLists().list({ ...listed, pinnedFirst: true });
      const facets = countSessionFacets(sessions);
      const models = changes ? await recountModels(index, listed, facets.models) : facets.models;
      return { facets: { ...facets, models } };
    }
    const counting = { ...options, ...WATCHED, exact, facets: true, limit: 1, hits: 1 };
    const { signal } = req.raw;
    const { facets, totals } = await hosts.counting.call("search", query, { ...counting, signal });
    if (!facets || !totals) throw new Error("the search returned no facets");
    return { facets, totals };
  });

  onGet(api, "unmatched", UnmatchedQuery, async ({ query }) => ({
    values: await suggestValues(index, query),
  }));

  onGet(api, "complete", CompleteQuery, ({ query, at, ...view }) => index.complete(query, at, view));
}

/**
 * The models of the sessions in a list, as its filter finds them: a session lists its last model only, but may have used others.
 * Not for a hub, where each count would be a request.
 */
async function recountModels(
  index: IndexQueries,
  options: ListOptionsInput,
  last: readonly FacetCount[],
): Promise<FacetCount[]> {
  const { models } = await index.stats();
  const names = new Set([...last.map(({ value }) => value), ...models.map(({ name }) => name)]);
  const counts = await Promise.all(
    [...names].slice(0, MAX_RECOUNTED).map(async (value) => {
      const { total } = await index.listAll({ ...options, model: value, limit: 1 });
      return { value, hits: total, sessions: total };
    }),
  );
  const found = counts.filter(({ sessions }) => sessions > 0).sort((a, b) => b.sessions - a.sessions);
  return [...found, ...last.slice(MAX_RECOUNTED)];
}

/** `/api/scan`, which reads session files. */
export function addScanRoutes(api: Hono, { streams }: Hosts): void {
  api.get("/scan", async (context) => {
    const { regex, ...options } = parseQuery(ScanQuery, context.req.url);
    const { signal } = context.req.raw;
    const body = await streams.open("scan", (host) => host.stream("scan", regex, options), signal);
    context.header("Content-Type", "application/x-ndjson; charset=utf-8");
    return context.body(body);
  });
}
