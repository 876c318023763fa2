/** The options of the library as parameters of the API. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { serveSynced } from "./serve-synced.ts";

test("every option of a method is a parameter with its name; others are errors", async () => {
  const root = join(temporaryFolder(), "sessions");
  session({ id: "both" })
    .user("pineapple")
    .custom("pidex", { tags: ["a", "b"] })
    .writeUnder(root);
  session({ id: "one" })
    .user("pineapple")
    .custom("pidex", { tags: ["a"] })
    .writeUnder(root);
  const server = await serveSynced(root);
  const answer = async (address: string) => await (await server.fetch(`/api/${address}`)).text();
  const found: Record<string, string[]> = {};
  for (const address of [
    "list?tags=a",
    "list?tags=a&tags=b",
    "search?query=pineapple&tags=b",
    "list?pinned=true",
  ]) {
    const text = await answer(address);
    found[address] = ["both", "one"].filter((id) => text.includes(`"id":"${id}"`));
  }
  expect(found).toEqual({
    "list?tags=a": ["both", "one"],
    "list?tags=a&tags=b": ["both"],
    "search?query=pineapple&tags=b": ["both"],
    "list?pinned=true": [],
  });
  for (const address of [
    "list?color=red",
    "list?pinned=maybe",
    "list?limit=many",
    "search?query=a&sync=true",
  ])
    expect(JSON.parse(await answer(address)).error.code).toBe("BAD_OPTION");
});
