import { describe, expect, test } from "vitest";
import { match } from "../../query/match.ts";
import { PidexError } from "../../src/errors.ts";

describe("a query is read as", () => {
  test.each<[string, string, [string, boolean][]]>([
    ["tax", '"tax"', [["tax", false]]],
    [
      "double tax",
      '"double" AND "tax"',
      [
        ["double", false],
        ["tax", false],
      ],
    ],
    ['"double tax"', '"double tax"', [["double tax", false]]],
    ['"double tax', '"double tax"', [["double tax", false]]],
    ["conf*", '"conf" *', [["conf", true]]],
    ["conf**", '"conf" *', [["conf", true]]],
    ['"double ta"*', '"double ta" *', [["double ta", true]]],
    [
      'a"b c"d',
      '"a" AND "b c" AND "d"',
      [
        ["a", false],
        ["b c", false],
        ["d", false],
      ],
    ],
    [
      "a - b",
      '"a" AND "b"',
      [
        ["a", false],
        ["b", false],
      ],
    ],
    [
      "tax tax TAX",
      '"tax" AND "TAX"',
      [
        ["tax", false],
        ["TAX", false],
      ],
    ],
    [
      "tax tax*",
      '"tax" AND "tax" *',
      [
        ["tax", false],
        ["tax", true],
      ],
    ],
    ["数", '" 数" *', [["数", true]]],
    ["数据", '" 数据"', [["数据", false]]],
    [
      "NEAR(a, 5)",
      '"NEAR(a," AND "5)"',
      [
        ["NEAR(a,", false],
        ["5)", false],
      ],
    ],
    [
      "a\0b",
      '"a" AND "b"',
      [
        ["a", false],
        ["b", false],
      ],
    ],
    [
      "a\u3000b\nc",
      '"a" AND "b" AND "c"',
      [
        ["a", false],
        ["b", false],
        ["c", false],
      ],
    ],
  ])("%j", (query, expression, terms) => {
    const read = match(query);
    expect(read.expression.replaceAll(/" +/g, '"').replaceAll(/\s+/g, " ")).toBe(
      expression.replaceAll(/" +/g, '"'),
    );
    expect(read.terms).toEqual(terms.map(([text, prefix]) => ({ text, prefix })));
  });
});

test("every quote in an expression is one of ours", () => {
  for (const query of ['"', '""', '"a""b"', 'a"', '"a"b"c', '\\"a\\"', "“a”"]) {
    try {
      const bare = match(query)
        .expression.replaceAll(/"[^"]*"/g, "")
        .replaceAll(/ AND | \*/g, "");
      expect(bare).toBe("");
    } catch (error) {
      expect(error).toMatchObject({ code: "BAD_QUERY" });
    }
  }
});

test("a query with nothing to look for says what it has", () => {
  expect(() => match(" \n ")).toThrow("the query is empty");
  expect(() => match("-- !")).toThrow("no letter or digit to look for in -- !");
  expect(() => match("")).toThrow(PidexError);
});

test("a query of more than 500 different words is refused", () => {
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(" ");
  expect(match(words(500)).terms).toHaveLength(500);
  expect(() => match(words(501))).toThrow(expect.objectContaining({ code: "BAD_QUERY" }));
});
