import { describe, expect, test } from "vitest";
import { parseQuery } from "../../../query/parse-query.ts";
import type { QueryNode } from "../../../query/query-tree.ts";
import { toRelaxedGroups } from "../../../query/words/relaxed-terms.ts";

const nodes = (query: string): QueryNode[] => {
  const node = parseQuery(query).root;
  if (!node) return [];
  return node.kind === "and" ? node.nodes : [node];
};
const words = (query: string, isPaste = false) =>
  toRelaxedGroups(nodes(query), isPaste).flatMap(({ terms }) => terms.map(({ word }) => word));

describe("terms", () => {
  test.each([
    ["docker Build", ["docker", "build"]],
    ["src/tax.ts:42", ["src", "tax", "ts", "42"]],
    ["检索不到", ["检索", "索不", "不到"]],
    ["docker构建失败", ["docker", "构建", "建失", "失败"]],
    ["书", ["书"]],
  ])("of %s are %j", (query, expected) => {
    expect(words(query)).toEqual(expected);
  });

  test("of pasted text exclude ids and hexadecimal numbers", () => {
    const pasted = "job 3f2a9c1e7b 019bd693-3ab4-7000-8000-000000000001 0xdeadbeef deadbeef failed";
    expect(words(pasted, true)).toEqual(["job", "deadbeef", "failed"]);
  });

  test("an identifier has its parts", () => {
    expect(toRelaxedGroups(nodes("parseSession"), false)[0]?.terms).toMatchObject([
      { word: "parsesession", parts: "parse session" },
    ]);
  });

  test("folders of a path, pasted numbers and kana count less", () => {
    const weights = (query: string, isPaste: boolean) =>
      toRelaxedGroups(nodes(query), isPaste).flatMap(({ terms }) => terms.map(({ weight }) => weight));
    expect(weights("home/ada/tax.ts", false)).toEqual([0.4, 0.4, 1, 1]);
    expect(weights("port 5432", true)).toEqual([1, 0.25]);
    expect(weights("です検索", false)).toEqual([0.3, 0.7, 1]);
  });

  test("the alternatives of an OR form one group", () => {
    expect(toRelaxedGroups(nodes("(a1 OR b2) c3"), false).map(({ text, isOr }) => [text, isOr])).toEqual([
      ["a1 OR b2", true],
      ["c3", false],
    ]);
  });
});
