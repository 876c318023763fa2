import { expect, test } from "vitest";
import { ListFilter } from "../../../bin/picker/list-filter.ts";

/** The items that are shown after a text was typed. */
function type(text: string, items: readonly string[]): readonly string[] {
  let shown: readonly string[] = [];
  const filter = new ListFilter<string>(String, (matching) => {
    shown = matching;
  });
  filter.setItems(items);
  for (const key of text) filter.press(key);
  return shown;
}

test.each([
  [
    "them",
    ["theme: dark", "search the files themselves"],
    "matches at the start of a word: shorter texts first",
  ],
  ["index", ["search the index again", "reindexed"], "the start of a word first"],
  ["rea se", ["read the session", "already seen"], "each word at the start of one"],
  ["SHOP", ["project:shop"], "after punctuation, in any case"],
  ["rdss", ["read the session"], "letters in their order, if nothing contains the words"],
  ["zebra", [], "nothing"],
  [" ", null, "all of them, if nothing is typed"],
])("%j shows %j: %s", (text, expected, _) => {
  const items = [
    "search the files themselves",
    "reindexed",
    "theme: dark",
    "already seen",
    "read the session",
    "search the index again",
    "project:shop",
  ];
  expect(type(text, items)).toEqual(expected ?? items);
});

test("what is typed before the items are loaded filters them", () => {
  const shown: (readonly string[])[] = [];
  const filter = new ListFilter<string>(String, (items) => shown.push(items));
  filter.press("s");
  expect(shown).toEqual([]);
  filter.setItems(["blog", "shop"]);
  filter.clear();
  expect(shown).toEqual([["shop"], ["blog", "shop"]]);
  expect(filter.isEmpty).toBe(true);
});
