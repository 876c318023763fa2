import { describe, expect, test } from "vitest";
import { compilePrefilter } from "../../../query/scan/prefilter.ts";
import {
  extractRequiredLiterals,
  hasUpperCase,
  removeAssertions,
  toPlainText,
} from "../../../query/scan/regex-literals.ts";

test.each<[string, string[] | undefined]>([
  ["abc", ["abc"]],
  ["ab+c", ["ab"]],
  ["abc?de", ["ab"]],
  ["abc*", ["ab"]],
  ["xabc{2}d", ["xabc"]],
  ["abc{0,3}d", ["ab"]],
  ["ab{,3}", ["ab{,3}"]],
  ["a{", ["a{"]],
  ["a.bcd", ["bcd"]],
  ["^abc$", ["abc"]],
  ["\\babc\\b", ["abc"]],
  ["a\\.b\\(", ["a.b("]],
  ["\\Qa.b\\E*cd", ["a."]],
  ["\\x41\\x{e9}\\n", ["Aé\n"]],
  ["foo|bar", ["foo", "bar"]],
  ["foo|bar|", undefined],
  ["(?:foo|bar)baz", ["foo", "bar"]],
  ["(?P<a>foo)?bars", ["bars"]],
  ["(foo|ba(r|z))+x", ["foo", "ba"]],
  ["(foo|b)*x", ["x"]],
  ["((a))((bcd)|efg)", ["bcd", "efg"]],
  ["[abc]def[^]]gh", ["def"]],
  ["[[:alpha:]]]def", ["]def"]],
  ["[]a]bc[^]a]d", ["bc"]],
  ["\\d+", undefined],
  ["(?i)abc", undefined],
  ["a(?i:b)ccc", undefined],
  ["(?s)abc.", ["abc"]],
  ["\\pLab\\p{Greek}c", ["ab"]],
  ["\\101bc", ["bc"]],
  ["a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q", undefined],
])("a match of %s contains one of %j", (regex, expected) => {
  expect(extractRequiredLiterals(regex)).toEqual(expected);
});

test.each([
  ["abc", false],
  ["aBc", true],
  ["\\S\\W\\D\\B\\pL\\p{Lu}\\x4a", true],
  ["\\S\\W\\D\\B\\pL\\p{Lu}", false],
  ["[^\\S\\p{Lu}]", false],
  ["[A-Z]", true],
  ["(?P<Name>a)", false],
  ["É", true],
])("%s contains upper case: %j", (regex, expected) => {
  expect(hasUpperCase(regex)).toBe(expected);
});

test.each([
  ["a b", "a b"],
  ["a\\.b\\(\\)\\\\", "a.b()\\"],
  ["é😀", "é😀"],
  ["\\x41", undefined],
  ["\\u0041", undefined],
  ["\\", undefined],
  ["a.b", undefined],
  ["ab+", undefined],
  ["^a", undefined],
  ["a|b", undefined],
  ["(a)", undefined],
  ["(?i)a", undefined],
  ["[a]", undefined],
])("%j is the plain text %j", (regex, expected) => {
  expect(toPlainText(regex)).toBe(expected);
});

test("removing assertions keeps the rest of a pattern", () => {
  expect(removeAssertions("^a\\b(?:b|$)[$^]\\$\\Q^\\E")).toBe("(?:)a(?:)(?:b|(?:))[$^]\\$\\Q^\\E");
});

describe("the prefilter", () => {
  const line = (json: string) => Buffer.from(json).toString("latin1");

  test.each<[string, boolean, string]>([
    ["é", true, '"é"'],
    ["é", true, '"\\u00E9"'],
    ["数据", false, '"\\u6570据"'],
    ["a/b", true, '"a\\/b"'],
    ['say "x"', true, '"say \\"x\\""'],
    ["shark", false, '"\u017fhar\u212a"'],
    ["shark", false, '"SHAR\\u212a"'],
    ["tax", true, '"t\\u0061x"'],
    ["1000", true, '{"n":1e3}'],
    ["1000", true, '{"n": 1000.0}'],
  ])("finds %j (%j) in %s", (literal, caseSensitive, json) => {
    expect(compilePrefilter([literal], caseSensitive)?.test(line(json))).toBe(true);
  });

  test.each<[string, boolean, string]>([
    ["tax", true, '"Tax"'],
    ["tax", true, '"\\u001b[31m"'],
    ["数", true, '"\\u6571"'],
    ["1000", true, '{"cost":0.00012}'],
  ])("does not find %j (%j) in %s", (literal, caseSensitive, json) => {
    expect(compilePrefilter([literal], caseSensitive)?.test(line(json))).toBe(false);
  });

  test("is undefined if any line may contain the literal", () => {
    for (const literal of [" ", "\n \n", "\ufffd", "\ud83d"])
      expect(compilePrefilter([literal], true)).toBeUndefined();
    expect(compilePrefilter(["é"], false)).toBeUndefined();
    expect(compilePrefilter(["abc", " "], false)).toBeUndefined();
  });
});
