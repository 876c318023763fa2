/** Finds the values that a view can be filtered by, and counts the sessions that each finds. */
import { setImmediate } from "node:timers/promises";
import type { SearchResult } from "../../../library/index.ts";
import { countSessionFacets } from "../../actions/find-sessions.ts";
import { type AnyIndex, isLocalIndex } from "../../actions/index-location.ts";
import { narrowsSessionsOnly, removeFields, replaceTerm } from "../../format/query-terms.ts";
import { parseTypedQuery } from "../../format/typed-query.ts";
import type { FacetGroup, FacetValue } from "../model/requests.ts";
import { type ShownSession, searchOptions, type View } from "../model/view.ts";
import { FACET_FIELDS, findSessionCount, listEntryFacets, toFacetGroups } from "./facets.ts";

type Count = Pick<FacetValue, "count" | "hasMore">;

export class FacetFinder {
  readonly #index: AnyIndex;
  readonly #list: (view: View) => Promise<readonly ShownSession[]>;

  /** @param list the sessions of a view, whatever its query */
  constructor(index: AnyIndex, list: (view: View) => Promise<readonly ShownSession[]>) {
    this.#index = index;
    this.#list = list;
  }

  /**
   * Values to filter by, most frequent first: those of the results, as far as no search of seconds is needed for them. A field that
   * the query filters by has the values of the results without that filter, which choosing one replaces.
   */
  async find(view: View, signal?: AbortSignal): Promise<FacetGroup[]> {
    const groups = await this.#ofResults(view, signal);
    const shown: (FacetGroup | undefined)[] = [];
    for (const [name, fields] of FACET_FIELDS) {
      const query = removeFields(view.query, fields);
      const found =
        query === view.query ? groups : await this.#ofResults({ ...view, query: `${query} ` }, signal);
      shown.push(found.find((group) => group.name === name));
    }
    return shown.filter((group) => group !== undefined);
  }

  /**
   * The same values in the same order, because rows must not move under the cursor, with the number of sessions that choosing each one
   * finds, except where that would read all entries. On a hub without: each count is a request.
   */
  async count(view: View, groups: readonly FacetGroup[], signal?: AbortSignal): Promise<FacetGroup[]> {
    const isPattern = parseTypedQuery(view.query).by === "pattern"; // counting would read all files
    if (isPattern || !isLocalIndex(this.#index)) return [...groups];
    const counter = new SessionCounter(this.#index, view, signal);
    const counted: FacetGroup[] = [];
    for (const { name, values } of groups) {
      const found: FacetValue[] = [];
      for (const each of values) {
        await setImmediate(); // lets another request run first
        signal?.throwIfAborted();
        found.push({ ...each, ...(await counter.count(name, each)) });
      }
      counted.push({ name, values: found });
    }
    return counted;
  }

  async #ofResults(view: View, signal: AbortSignal | undefined): Promise<FacetGroup[]> {
    const typed = parseTypedQuery(view.query);
    if (typed.by !== "words" || narrowsSessionsOnly(typed.query)) return this.#ofList(view);
    const options = toCountOptions(view, signal);
    const { more } = await this.#index.search(typed.query, options);
    if (more) return this.#ofList(view); // more hits than a search ranks
    const { facets } = await this.#index.search(typed.query, { ...options, facets: true });
    return facets ? toFacetGroups(facets) : [];
  }

  /** Values of all sessions of a view, whatever its query. */
  async #ofList(view: View): Promise<FacetGroup[]> {
    const listed = toFacetGroups(countSessionFacets(await this.#list(view)));
    const months = listed.filter(({ name }) => name === "month");
    const others = listed.filter(({ name }) => name !== "month");
    return [...others, ...(await listEntryFacets(this.#index)), ...months];
  }
}

/** Counts of all hits of a query. */
type AllCounts = Required<Pick<SearchResult, "facets" | "totals">>;

/** Counts the sessions that values find in addition to a query. */
class SessionCounter {
  readonly #index: AnyIndex;
  readonly #view: View;
  readonly #options: ReturnType<typeof toCountOptions>;
  /** Facets of all hits, by query; undefined where a search ranks all hits, so that counting one value is quick and exact. */
  readonly #facets = new Map<string, Promise<AllCounts | undefined>>();

  constructor(index: AnyIndex, view: View, signal: AbortSignal | undefined) {
    this.#index = index;
    this.#view = view;
    this.#options = toCountOptions(view, signal);
  }

  async count(name: string, { value, term }: FacetValue): Promise<Count> {
    const query = this.#view.query.trim();
    const others = removeFields(query, FACET_FIELDS.get(name) ?? []);
    const finding = this.#facets.get(others) ?? this.#findFacets(others);
    this.#facets.set(others, finding);
    const all = await finding;
    const count = all && findSessionCount(all.facets, name, value);
    if (all && count !== undefined) return { count, hasMore: !all.totals.isWhole };
    const filtered = parseTypedQuery(`${replaceTerm(query, term)} `);
    if (filtered.by !== "words") return {};
    const found = await this.#index.search(filtered.query, this.#options);
    return found.more ? {} : { count: found.sessionCount };
  }

  async #findFacets(query: string): Promise<AllCounts | undefined> {
    const typed = parseTypedQuery(`${query} `);
    if (typed.by !== "words" || narrowsSessionsOnly(typed.query)) return;
    const { more } = await this.#index.search(typed.query, this.#options);
    if (!more) return;
    const { facets, totals } = await this.#index.search(typed.query, { ...this.#options, facets: true });
    return facets && totals && { facets, totals };
  }
}

/** Options of a search whose results are counted only. */
function toCountOptions(view: View, signal: AbortSignal | undefined) {
  return { ...searchOptions(view), strict: true, hits: 1, limit: 1, sync: false, ...(signal && { signal }) };
}
