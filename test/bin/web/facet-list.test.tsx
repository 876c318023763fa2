/** The filters beside the results. */
import { renderToString } from "preact-render-to-string";
import { expect, test } from "vitest";
import { FacetList } from "../../../bin/web/page/search/facet-list.tsx";
import { parseSearchState } from "../../../bin/web/page/search/search-state.ts";

const projects = Array.from({ length: 12 }, (_, n) => ({
  ...{ value: `/home/ada/project-${n}`, hits: 1, sessions: 100 - n },
}));

function render(cwd: string): string {
  const answer = { facets: { projects, models: [], roles: [], tools: [] } };
  return renderToString(
    <FacetList
      answer={answer as never}
      isStale={false}
      state={parseSearchState({ cwd })}
      onChange={() => {}}
    />,
  );
}

const shownProjects = (html: string) => [...html.matchAll(/>(project-\d+)</g)].map(([, name]) => name);

test("the value that is filtered by is shown, also if others are more frequent", () => {
  const first = Array.from({ length: 8 }, (_, n) => `project-${n}`);
  expect(shownProjects(render(""))).toEqual(first);
  expect(render("")).toContain("4 more");
  const html = render("/home/ada/project-10");
  expect(shownProjects(html)).toEqual([...first, "project-10"]);
  expect(html).toContain("3 more");
});
