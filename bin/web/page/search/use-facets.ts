/** Counts of results by value and by day. */
import { useMemo } from "preact/hooks";
import type { Answers, FacetCount } from "../../api/answers.ts";
import { apiUrl, useAnswer } from "../shell/api.ts";
import { isTyped, withoutTyped } from "./facet-terms.ts";
import { type SearchRequest, type SearchState, toSearchRequest } from "./search-state.ts";

/** Counts by value, for the query in the address, so not at every key. */
export function useFacets({ by, params }: SearchRequest, version: number, exact: boolean) {
  const { cwd, model, tags, since, until, subagents, named, pinned, problems, archived, query } = params;
  const filters = {
    cwd,
    model,
    tags,
    since,
    until,
    subagents,
    named,
    pinned,
    problems,
    archived,
    query,
    exact,
  };
  const { data, name, isLoading } = useAnswer(by === "scan" ? undefined : "facets", filters, version, {
    keepsData: true,
  });
  const isCounted = name === apiUrl("facets", filters);
  // While all are being counted, the first counts stay: they are of the same query.
  const isCounting = exact && name === apiUrl("facets", { ...filters, exact: false });
  const isCurrent = isCounted || isCounting;
  return {
    facets: by === "scan" ? undefined : data,
    isCurrent,
    isCounting,
    isStale: isLoading && !isCurrent,
  };
}

/**
 * The facets with the other values of fields that are filtered by, each counted without its own filter, so that one click chooses another
 * project, model or tag.
 */
export function useSiblings(
  answer: Answers["facets"] | undefined,
  state: SearchState,
  version: number,
): Answers["facets"] | undefined {
  const { cwd, model, tags } = state;
  const without = (field: "cwd" | "model" | "tags"): SearchRequest =>
    state[field] === "" && !isTyped(field, state)
      ? { by: "scan", params: {} }
      : toSearchRequest({ ...state, q: withoutTyped(field, state), [field]: "" });
  const { facets: ofProjects } = useFacets(without("cwd"), version, false);
  const { facets: ofModels } = useFacets(without("model"), version, false);
  const { facets: ofTags } = useFacets(without("tags"), version, false);
  return useMemo(() => {
    if (!answer) return undefined;
    const { projects, models, tags: allTags } = answer.facets;
    return {
      ...answer,
      facets: {
        ...answer.facets,
        projects: besides(projects, cwd, ofProjects?.facets.projects),
        models: besides(models, model, ofModels?.facets.models),
        tags: besides(allTags, tags, ofTags?.facets.tags),
      },
    };
  }, [answer, ofProjects, ofModels, ofTags, cwd, model, tags]);
}

/** The siblings of the selected values, which themselves have the counts of the results: of a wider query, only a part may be counted. */
function besides(
  counts: readonly FacetCount[],
  selected: string,
  siblings: readonly FacetCount[] = counts,
): FacetCount[] {
  const own = selected === "" ? counts : counts.filter(({ value }) => value === selected);
  const known = new Set(own.map(({ value }) => value));
  return [...own, ...siblings.filter(({ value }) => !known.has(value))];
}
