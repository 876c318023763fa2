import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { match, type Term } from "../../query/match.ts";
import { opening, snippet } from "../../query/snippet.ts";

/** The marked pieces of the snippet of a text for a query. */
const marked = (query: string, text: string): string[] => {
  const found = snippet(text, match(query).terms);
  return found ? found.ranges.map(([from, to]) => found.text.slice(from, to)) : [];
};

describe("what is marked", () => {
  test.each<[string, string, string[]]>([
    ["test", "the latest test", ["test"]],
    ["test", "latestTest and latest", ["Test"]],
    ["test", "TestLatest TESTS test_x x/test.ts", ["Test", "test", "test"]],
    ["test", "contest testing tested", []],
    ["test*", "contest testing tested", ["test", "test"]],
    ["session", "parseSessionEntries", ["Session"]],
    ["http", "HTTPServer getHTTPResponse", ["HTTP", "HTTP"]],
    ["server", "HTTPServer", ["Server"]],
    ["parsesession*", "parseSessionEntries", ["parseSession"]],
    ["snake_case", "snake_case snake-case snakecase", ["snake_case", "snake-case", "snakecase"]],
    ['"brown fox"', "a brown,  fox and brown dogs", ["brown, fox"]],
    ["brown fox", "a fox is brown", ["fox", "brown"]],
    ["src/a.ts", "in src/a.ts:4", ["src/a.ts"]],
    ["naive", "naïve NAÏVE", ["naïve", "NAÏVE"]],
    ["naïve", "naive", ["naive"]],
    ["cafe", "cafe\u0301 cafe\u0301s cafés", ["cafe\u0301"]],
    ["cafes", "cafe\u0301s", ["cafe\u0301s"]],
    ["cafe\u0301s", "cafés", ["cafés"]],
    ["οδοσ", "ΟΔΟΣ οδος", ["ΟΔΟΣ", "οδος"]],
    ["かき", "がき かき", ["かき"]],
    ["кои", "кой", []],
    ["数", "数据库", ["数"]],
    ["数据", "检索数据库", ["数据"]],
    ["sqlite", "用SQLite数据", ["SQLite"]],
    ["SQLite数据", "用SQLite数据库", ["SQLite数据"]],
    ["검색", "데이터검색", ["검색"]],
    ["a", "🧺a🧺 \ud800a\udc00", ["a", "a"]],
    ["i", "İ i", ["i"]],
    ["x", "X".repeat(3), []],
    ["128", "v128 128 1280", ["128"]],
  ])("%s in %s: %j", (query, text, pieces) => {
    expect(marked(query, text)).toEqual(pieces);
  });

  test("is nothing where the words are not", () => {
    expect(snippet("something else", match("test").terms)).toBeUndefined();
    expect(snippet("", match("test").terms)).toBeUndefined();
  });
});

describe("the piece that is shown", () => {
  const filler = "lorem ipsum dolor sit amet ".repeat(2000);

  test("is the whole of a short text", () => {
    expect(snippet("a needle", match("needle").terms)).toEqual({ text: "a needle", ranges: [[2, 8]] });
  });

  test("has the match inside, wherever it is in a long text", () => {
    for (const text of [`needle ${filler}`, `${filler}needle`, `${filler}needle ${filler}`]) {
      const found = snippet(text, match("needle").terms);
      expect(found?.text.length).toBeLessThan(200);
      expect(found?.ranges.map(([from, to]) => found.text.slice(from, to))).toEqual(["needle"]);
    }
  });

  test("is where most of the words are", () => {
    const text = `needle ${filler} needle in a haystack ${filler} haystack`;
    expect(marked("needle haystack", text)).toEqual(["needle", "haystack"]);
  });

  test("says by an ellipsis where text was left out", () => {
    expect(snippet(`${filler}needle ${filler}`, match("needle").terms)?.text).toMatch(/^….*needle.*…$/);
    expect(snippet(`needle ${filler}`, match("needle").terms)?.text).toMatch(/^needle.*…$/);
    expect(snippet(`${filler}needle`, match("needle").terms)?.text).toMatch(/^….*needle$/);
  });

  test("is one line, with one space for each run of white space", () => {
    expect(snippet("one\n\n\ttwo \u2028 three\r\nneedle  ", match("needle").terms)).toEqual({
      text: "one two three needle",
      ranges: [[14, 20]],
    });
  });

  test("stays short when much stands between the words of a phrase", () => {
    for (const gap of ["\n".repeat(5000), "=".repeat(5000), `\n${"- ".repeat(5000)}\n`]) {
      const found = snippet(`a needle${gap}stack b`, match('"needle stack"').terms);
      expect(found?.text.length ?? 0).toBeLessThan(300);
    }
    expect(marked('"needle stack"', "a needle ===== stack b")).toEqual(["needle ===== stack"]);
  });

  test("of a hit without a mark is how the text begins", () => {
    expect(opening("just this")).toEqual({ text: "just this", ranges: [] });
    expect(opening(filler).text).toMatch(/^lorem.*…$/);
    expect(opening("")).toEqual({ text: "", ranges: [] });
  });

  test("of ten megabytes takes no time", () => {
    const began = performance.now();
    for (const text of ["a".repeat(10e6), "a ".repeat(5e6), "ab ".repeat(3e6), "\u0301".repeat(10e6)]) {
      snippet(text, match('a "a b" b*').terms);
      opening(text);
    }
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

describe("any text and any query", () => {
  const unit = fc.constantFrom(..."aAbBé \n_-/.,0数据の한👩𠮷", "e\u0301", "\u2028", "\ud800", "\t ", "İ");
  const text = fc.oneof(
    fc.string({ unit, maxLength: 60 }),
    fc.string({ unit, minLength: 300, maxLength: 900 }),
    fc.string({ unit: "binary", maxLength: 300 }),
  );
  const term: fc.Arbitrary<Term> = fc.record({
    text: fc.oneof(fc.string({ unit, minLength: 1, maxLength: 4 }), fc.constantFrom("a", "ab", "数据", "é")),
    prefix: fc.boolean(),
  });
  const terms = fc.array(term, { minLength: 1, maxLength: 4 });

  /** Letters and digits alone, small and without the accents of ASCII letters. */
  const folded = (text: string): string =>
    text
      .replaceAll(/[\u00c0-\u024f\u1e00-\u1eff]/g, (letter) => letter.normalize("NFD"))
      .replaceAll(/[^\p{L}\p{N}]/gu, "")
      .replaceAll(/[^İ]/gu, (character) => character.toLowerCase());

  test("give ranges that lie in the snippet, in order and apart, each of them a term", () => {
    fc.assert(
      fc.property(text, terms, (text, terms) => {
        const found = snippet(text, terms);
        if (!found) return;
        let end = 0;
        for (const [from, to] of found.ranges) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(found.text.length);
          expect(terms.map(({ text }) => folded(text))).toContain(folded(found.text.slice(from, to)));
          end = to;
        }
      }),
      { numRuns: 1500 },
    );
  });

  test("give one line of text that halves no character and is not long", () => {
    fc.assert(
      fc.property(text, terms, (text, terms) => {
        const whole = text.toWellFormed();
        const found = snippet(whole, terms) ?? opening(whole);
        expect(found.text.isWellFormed()).toBe(true);
        expect(found.text).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(found.text.length).toBeLessThan(1000);
      }),
      { numRuns: 1500 },
    );
  });
});
