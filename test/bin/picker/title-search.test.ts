import { expect, test } from "vitest";
import { getUnfinishedField, toTitleText } from "../../../bin/format/typed-query.ts";
import { TitleSearch } from "../../../bin/picker/service/title-search.ts";
import { sampleSession } from "./sample-state.ts";

const TITLES = [
  "Write about kettles and how people in a café use them at home",
  "Checkout tax",
  "Round the tax at checkout",
  "Проверка Налога",
  "parseSession is slow",
];
const sessions = TITLES.map((name, n) => sampleSession({ name, path: `/${n}` }));
const search = new TitleSearch();
const find = (text: string) =>
  search.find(sessions, text).map(({ session, positions, isStrong }) => ({
    title: session.name,
    matched: positions.map((at) => session.name?.[at]).join(""),
    isStrong,
  }));

test.each([
  ["checkout", ["Checkout tax", "Round the tax at checkout"]],
  ["tax check", ["Checkout tax", "Round the tax at checkout"]],
  ["cafe", [TITLES[0]]],
  ["налог", ["Проверка Налога"]],
])("words and beginnings of words match strongly, in any order: %s", (text, titles) => {
  const strong = search.find(sessions, text).filter(({ isStrong }) => isStrong);
  expect(strong.map(({ session }) => session.name).sort()).toEqual(titles.toSorted());
  expect(search.findWords(sessions, text)).toEqual(strong);
});

test("letters in order match weakly, and their positions are known", () => {
  expect(find("chktx")[0]).toEqual({ title: "Checkout tax", matched: "Chktx", isStrong: false });
  expect(search.findWords(sessions, "chktx")).toEqual([]);
  expect(find("zzz")).toEqual([]);
});

test.each([
  ["checkout ta", "checkout ta"],
  ["chktx", "chktx"],
  ['"check out" tax', undefined],
  ["tax role:user", undefined],
  ["tax -blog", undefined],
  ["tax OR blog", undefined],
])("the text to find in titles is that of plain words: %s", (query, text) => {
  expect(toTitleText(query)).toBe(text);
});

test.each([
  ["tax role:us", { text: "role:us", before: "tax ", isOfEntries: true }],
  ["project:sh", { text: "project:sh", before: "", isOfEntries: false }],
  ["role:us ", undefined],
  ["tax", undefined],
])("a field is unfinished at the end of the query: %s", (query, field) => {
  expect(getUnfinishedField(query)).toEqual(field);
});
