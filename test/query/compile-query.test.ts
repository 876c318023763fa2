import { describe, expect, test } from "vitest";
import { type CompiledQuery, compileQuery } from "../../query/compile-query.ts";
import { PidexError } from "../../src/errors.ts";
import { toFtsExpression } from "../../src/store/sqlite/fts-expression.ts";
import type { TextExpression } from "../../src/store/text-expression.ts";

/** A compiled query as FTS5 expressions: `+` required, `-` excluded, `?` conditions. FTS5 ignores spaces. */
function format({ clauses, excluded, conditions }: CompiledQuery): string {
  const plain = (text: TextExpression) =>
    toFtsExpression(text).replaceAll(/"([^"]*)"/g, (_, words: string) => `"${words.trim()}"`);
  return [
    ...clauses.map(
      (part) => `+ ${part.kind === "words" ? plain(part.expression) : JSON.stringify(part.node.kind)}`,
    ),
    ...excluded.map((each) => `- ${plain(each)}`),
    ...conditions.map(
      (node) =>
        `? ${node.kind === "field" ? `${node.field}:${node.values.map(({ value }) => value)}` : node.kind}`,
    ),
  ].join(" ");
}

describe("a query compiles to", () => {
  test.each([
    ["tax", '+ "tax"'],
    ["double tax", '+ "double" + "tax"'],
    ['"double tax"', '+ "double tax"'],
    ["conf*", '+ "conf" *'],
    ["tax tax*", '+ "tax" + "tax" *'],
    ["tax tax", '+ "tax"'],
    ["a OR b", '+ ("a" OR "b")'],
    ["(a OR a)", '+ "a"'],
    ["(a b) OR c d", '+ (("a" AND "b") OR ("c" AND "d"))'],
    ["(a b) c", '+ "a" + "b" + "c"'],
    ["(a -b) OR c", '+ (("a" NOT "b") OR "c")'],
    ["(a -(b OR d)) OR c", '+ (("a" NOT ("b" OR "d")) OR "c")'],
    ["a -b", '+ "a" - "b"'],
    ["a -b -(c d)", '+ "a" - "b" - ("c" AND "d")'],
    ["a -(-b)", '+ "a" + "b"'],
    ["a - b", '+ "a" + "b"'],
    ["a OR -", '+ "a"'],
    ["role:user a", '+ "a" ? role:user'],
    ["role:user", "? role:user"],
    ["-role:user", "? not"],
    ["role:user -a", '- "a" ? role:user'],
    ["file:a.ts b", '+ "field" + "b"'],
    ["-file:a.ts b", '+ "b" ? not'],
    ["label:x OR role:user", '+ "or"'],
    ["is:named OR role:user a", '+ "or"'],
    ["(is:named OR role:user) a", '+ "a" ? or'],
    ["a OR role:user", '+ "or"'],
    ["a -(b OR role:user)", '+ "a" ? not'],
  ])("%s: %s", (query, expected) => {
    expect(format(compileQuery(query))).toBe(expected);
  });
});

test("excluded words are not highlighted", () => {
  const terms = compileQuery('tax (conf* OR "a b") -blog role:user 数').terms;
  expect(terms).toEqual([
    { text: "tax", prefix: false },
    { text: "conf", prefix: true },
    { text: "a b", prefix: false },
    { text: "数", prefix: true },
  ]);
});

test("adjacent words are also searched as a phrase and near each other", () => {
  const { proximity } = compileQuery("double -x tax* role:user");
  expect(proximity && toFtsExpression(proximity.phrase)).toMatch(/^"double tax" \*$/);
  expect(proximity && toFtsExpression(proximity.near)).toMatch(/^NEAR\("double" "tax" \*, 10\)$/);
  expect(compileQuery("tax").proximity).toBeUndefined();
});

test("user input cannot add quotes to an expression", () => {
  for (const query of ['"', '""', '"a""b"', 'a"', '"a"b"c', '\\"a\\"', "“a”", "a“b"]) {
    try {
      const { clauses } = compileQuery(query);
      for (const part of clauses) {
        const expression = "expression" in part ? toFtsExpression(part.expression) : "";
        expect(expression.replaceAll(/"[^"]*"/g, "").replaceAll(/ AND | \*/g, "")).toBe("");
      }
    } catch (error) {
      expect(error).toMatchObject({ code: "BAD_QUERY" });
    }
  }
});

describe("a query is rejected", () => {
  test.each([
    [" \n ", "the query is empty"],
    ["-- !", 'the query "-- !" contains no letters or digits'],
    ["", "the query is empty"],
    ["-a", "the query only excludes: -a"],
    ["-a -(b OR c)", "the query only excludes: -a -(b OR c)"],
    [
      Array.from("abcde", (letter) => `${letter}*`).join(" "),
      "the query has 5 prefixes of one or two letters, more than the maximum of 4",
    ],
    [Array.from({ length: 65 }, (_, n) => `w${n}`).join(" OR "), "the query has 65 alternatives"],
    ["to,".repeat(301), "the query has 301 words"],
    [`"${"数".repeat(302)}"`, "the query has 301 words"],
    [
      Array.from({ length: 33 }, (_, n) => `role:r${n}`).join(" "),
      "the query has 33 field values, more than the maximum of 32",
    ],
    [`a ${Array.from({ length: 65 }, (_, n) => `-w${n}`).join(" ")}`, "the query has 65 alternatives"],
  ])("%.40j", (query, message) => {
    expect(() => compileQuery(query)).toThrow(message);
    expect(() => compileQuery(query)).toThrow(PidexError);
  });
});
