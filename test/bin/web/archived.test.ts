/** Archived sessions on the page: searches and scans exclude the same ones. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseSearchState, toSearchRequest } from "../../../bin/web/page/search/search-state.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { serveSynced } from "./serve-synced.ts";

test("searches and scans find archived sessions only if the page's filter or the query includes them", async () => {
  const root = join(temporaryFolder(), "sessions");
  session({ id: "current" }).user("pineapple of current").writeUnder(root);
  session({ id: "old" }).user("pineapple of old").custom("pidex", { archived: true }).writeUnder(root);
  const server = await serveSynced(root);
  const found: Record<string, string[]> = {};
  for (const archived of ["", "yes", "only"]) {
    for (const q of ["pineapple", "re:pineapple", "is:archived"]) {
      const { by, params: requested } = toSearchRequest(parseSearchState({ q, archived }));
      const params = Object.entries(requested).filter(([, value]) => value !== "" && value !== undefined);
      const query = new URLSearchParams(params.map(([name, value]) => [name, String(value)]));
      const text = await (await server.fetch(`/api/${by}?${query}`)).text();
      found[`${q} ${archived}`] = ["current", "old"].filter((id) => text.includes(`"id":"${id}"`));
    }
  }
  const both = ["current", "old"];
  expect(found).toEqual({
    ...{ "pineapple ": ["current"], "re:pineapple ": ["current"] },
    ...{ "pineapple yes": both, "re:pineapple yes": both },
    ...{ "pineapple only": ["old"], "re:pineapple only": ["old"] },
    ...{ "is:archived ": ["old"], "is:archived yes": ["old"], "is:archived only": ["old"] },
  });
});
