import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SearchTerm } from "../../../query/compile-query.ts";
import { createOpeningSnippet, createSnippet, findSnippet } from "../../../query/snippet/snippet.ts";
import { prepareQuery, prepareText } from "../../../src/store/words/prepare-text.ts";
import { anyText } from "../../store/any-text.ts";
import { findsPhrase } from "../../store/fts5.ts";

/** Terms as compiled from plain words, `"phrases"` and `prefix*`. */
const terms = (query: string): SearchTerm[] =>
  [...query.matchAll(/"([^"]*)"(\*?)|(\S+)/g)].map(([, quoted, star, word = ""]) => ({
    text: quoted ?? word.replace(/\*$/, ""),
    prefix: star === "*" || word.endsWith("*"),
  }));

/** The highlighted parts of a text's snippet for a query. */
const marked = (query: string, text: string): string[] => {
  const found = createSnippet(text, terms(query));
  return found ? found.ranges.map(([from, to]) => found.text.slice(from, to)) : [];
};

describe("highlighted are", () => {
  test.each<[string, string, string[]]>([
    ["test", "the latest test", ["test"]],
    ["test", "latestTest and latest", ["Test"]],
    ["test", "TestLatest TESTS test_x x/test.ts", ["Test", "test", "test"]],
    ["test", "contest testing tested", []],
    ["test*", "contest testing tested", ["test", "test"]],
    ["session", "parseSessionEntries parseSessionEntries", ["Session", "Session"]],
    ['"session entries"', "parseSessionEntries", ["SessionEntries"]],
    ['"parse session"', "parse; session parseSession parse(aB) session", ["parse; session", "parseSession"]],
    ["http", "HTTPServer getHTTPResponse", ["HTTP", "HTTP"]],
    ["server", "HTTPServer", ["Server"]],
    ["parsesession*", "parseSessionEntries", ["parseSession"]],
    ["parse*", "parseSessionEntries", ["parse"]],
    ["lines.ts", "src/readLines.ts lines.ts", ["lines.ts"]],
    ["SRC/session/readlines.ts", "in src/session/readLines.ts:4", ["src/session/readLines.ts"]],
    ["snake_case", "snake_case snake-case snakecase", ["snake_case", "snake-case"]],
    ['"brown fox"', "a brown,  fox and brown dogs", ["brown, fox"]],
    ["brown fox", "a fox is brown", ["fox", "brown"]],
    ["naive", "naïve NAÏVE", ["naïve", "NAÏVE"]],
    ["naïve", "naive", ["naive"]],
    ["cafe", "cafe\u0301 cafe\u0301s cafés", ["cafe\u0301"]],
    ["cafe*", "cafe\u0301s", ["cafe\u0301"]],
    ["cafe\u0301s", "cafés", ["cafés"]],
    ["strasse", "die Straße", ["Straße"]],
    ["οδοσ", "ΟΔΟΣ οδος οδός", ["ΟΔΟΣ", "οδος", "οδός"]],
    ["ещё", "Еще и ещё", ["Еще", "ещё"]],
    ["かき", "がき かき か\u3099き", ["かき"]],
    ["がき", "がき かき か\u3099き", ["がき", "か\u3099き"]],
    ["кои", "кой", []],
    ["محمد", "قال مُحَمَّد", ["مُحَمَّد"]],
    ["数", "数据库", ["数"]],
    ["数据", "检索数据库", ["数据"]],
    ["数据库", "检索数据库", ["数据库"]],
    ["数库", "数据库", []],
    ["检索 数据", "检索数据库", ["检索", "数据"]],
    ["检索数 数据库", "检索数据库", ["检索数据库"]],
    ["sqlite", "用SQLite数据", ["SQLite"]],
    ["SQLite数据", "用SQLite数据库", ["SQLite数据"]],
    ["검색", "데이터검색", ["검색"]],
    ["ไทย", "ภาษาไทยง่าย", ["ไทย"]],
    ["น", "กนำ", ["นำ"]],
    ["a", "🧺a🧺 \ud800a\udc00", ["a", "a"]],
    ["✅", "done✅ok ✓", ["✅"]],
    ["💻", "👩\u200d💻 💻", ["👩\u200d💻", "💻"]],
    ["👍", "👍🏽", ["👍🏽"]],
    ["🇺🇦", "🇩🇪🇺🇦", ["🇺🇦"]],
    ["c++", "C and C++ and C#, C++20", ["C++", "C++"]],
    ["c", "C and C++", ["C", "C"]],
    ["i", "İ i", ["İ", "i"]],
    ["x", "X".repeat(3), []],
    ["128", "v128 128 1280", ["128"]],
  ])("%s in %s: %j", (query, text, pieces) => {
    expect(marked(query, text)).toEqual(pieces);
  });

  test("no ranges, if the words are missing", () => {
    expect(createSnippet("something else", terms("test"))).toBeUndefined();
    expect(createSnippet("", terms("test"))).toBeUndefined();
    expect(createSnippet("test", terms("-- ."))).toBeUndefined();
  });
});

describe("the snippet", () => {
  const filler = "lorem ipsum dolor sit amet ".repeat(2000);

  test("is the whole of a short text", () => {
    expect(createSnippet("a needle", terms("needle"))).toEqual({ text: "a needle", ranges: [[2, 8]] });
  });

  test("contains the match, wherever it is in a long text", () => {
    for (const text of [`needle ${filler}`, `${filler}needle`, `${filler}needle ${filler}`]) {
      const found = createSnippet(text, terms("needle"));
      expect(found?.text.length).toBeLessThan(200);
      expect(found?.ranges.map(([from, to]) => found.text.slice(from, to))).toEqual(["needle"]);
    }
    const [[start] = [0]] = createSnippet(`${filler}needle ${filler}`, terms("needle"))?.ranges ?? [];
    expect(start).toBeGreaterThan(50);
    expect(start).toBeLessThan(100);
  });

  test.each<[string, string, string, string[]]>([
    [
      "where most of the words are",
      "needle haystack",
      `needle needle ${filler} needle in a haystack`,
      ["needle", "haystack"],
    ],
    ["where a word is as it was written", "a.b()", `a b a b ${filler} now a.b() ${filler} a-b`, ["a.b"]],
    ["where a flag is one", "--no-sync", `no sync, no sync ${filler} with --no-sync ${filler}`, ["no-sync"]],
    [
      "where the words follow each other",
      "double tax",
      `tax is double is tax is double ${filler} a double tax`,
      ["double", "tax"],
    ],
  ])("is %s", (_, query, text, pieces) => {
    expect(marked(query, text)).toEqual(pieces);
  });

  test("is the closest of several places with the same words", () => {
    const far = `one ${"x ".repeat(40)} two`;
    expect(marked("one two", `${far} ${filler} near two is one ${filler} ${far}`)).toEqual(["two", "one"]);
  });

  test("marks omitted text with an ellipsis", () => {
    expect(createSnippet(`${filler}needle ${filler}`, terms("needle"))?.text).toMatch(/^….*needle.*…$/);
    expect(createSnippet(`needle ${filler}`, terms("needle"))?.text).toMatch(/^needle.*…$/);
    expect(createSnippet(`${filler}needle`, terms("needle"))?.text).toMatch(/^….*needle$/);
  });

  test("is one line, with white space collapsed to single spaces", () => {
    expect(createSnippet("one\n\n\ttwo \u2028 three\r\nneedle  ", terms("needle"))).toEqual({
      text: "one two three needle",
      ranges: [[14, 20]],
    });
  });

  test("stays short if a phrase has many words or much between them", () => {
    for (const gap of ["\n".repeat(5000), ` ${"=".repeat(5000)} `, `\n${"- ".repeat(5000)}\n`]) {
      expect(createSnippet(`a needle${gap}stack b`, terms('"needle stack"'))?.text.length).toBeLessThan(300);
      expect(marked('"needle stack"', `a needle${gap}stack b`)).toContain("needle");
    }
    expect(marked('"needle stack"', "a needle ===== stack b")).toEqual(["needle ===== stack"]);
    expect(createSnippet(filler, terms(`"${filler}"`))?.text.length).toBeLessThan(300);
    expect(
      createSnippet("检索数据库".repeat(500), terms("检索数据库".repeat(100)))?.text.length,
    ).toBeLessThan(300);
  });

  test("is at the end of a text of megabytes if only that contains the words, not in its middle", () => {
    const megabytes = filler.repeat(30); // 1.6 million characters
    const end = `${megabytes}a needle lies here`;
    expect(marked("needle", end)).toEqual(["needle"]);
    expect(createSnippet(end, terms("needle"))?.text).toMatch(/^….*amet a needle lies here$/);
    expect(marked("needle", `needle ${megabytes}`)).toEqual(["needle"]);
    expect(createSnippet(`needle ${megabytes}`, terms("needle"))?.text).toMatch(/^needle.*…$/);
    expect(marked("needle stack", `needle ${megabytes} stack of needles, a needle`)).toEqual([
      "stack",
      "needle",
    ]);
    expect(createSnippet(`${megabytes} needle ${megabytes}`, terms("needle"))).toBeUndefined();
  });

  test("reports how many terms it contains, whatever is highlighted", () => {
    const shows = (query: string, text: string) => findSnippet(text, terms(query))?.terms;
    expect(shows("tax total", "tax tax tax")).toBe(1);
    expect(shows("tax total", "the total tax")).toBe(2);
    expect(shows("tax total", `tax ${filler} total`)).toBe(1);
    expect(shows("检索数 数据库", "检索数据库")).toBe(2);
    expect(shows("tax", "nothing")).toBeUndefined();
  });

  test("of a hit without a match is the beginning of the text", () => {
    expect(createOpeningSnippet("just this")).toEqual({ text: "just this", ranges: [] });
    expect(createOpeningSnippet(filler).text).toMatch(/^lorem.*…$/);
    expect(createOpeningSnippet("")).toEqual({ text: "", ranges: [] });
  });

  test("of four megabytes is fast", () => {
    const texts = ["a", "a ", "ab ", "aB ", "\u0301", "a\u0301 ", "数", "👩\u200d"];
    for (const piece of texts) {
      const text = piece.repeat(4e6 / piece.length);
      createSnippet(text, terms('a "a b" b* "a a a a a a a a b" 数'));
      createOpeningSnippet(text);
    }
  });
});

describe("any text and any query", () => {
  const long = fc
    .tuple(anyText, anyText, fc.nat(400))
    .map(([a, b, times]) => `${a}${". ".repeat(times)}${b}`);
  const text = fc.oneof(anyText, long);
  const term: fc.Arbitrary<SearchTerm> = fc.record({
    text: fc.oneof(
      anyText.map((text) => text.slice(0, 6)),
      fc.constantFrom("a", "aB", "数据", "é", "session", "👩", "c++"),
    ),
    prefix: fc.boolean(),
  });
  const someTerms = fc.array(term, { minLength: 1, maxLength: 4 });
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const borders = (text: string): Set<number> =>
    new Set([...graphemes.segment(text)].map(({ index }) => index).concat(text.length));

  test("give a snippet exactly if FTS5 finds one of the terms", () => {
    fc.assert(
      fc.property(text, someTerms, (text, terms) => {
        const prepared = prepareText(text);
        const expected = terms.some((term) => {
          const phrase = prepareQuery(term.text);
          return phrase && findsPhrase(prepared, phrase.words, phrase.prefix || term.prefix);
        });
        const found = createSnippet(text, terms);
        expect(found !== undefined).toBe(expected);
        expect((found?.ranges.length ?? 0) > 0).toBe(expected);
      }),
      { numRuns: 800 },
    );
  });

  test("give sorted, disjoint ranges within the snippet that split no character", () => {
    fc.assert(
      fc.property(text, someTerms, (text, terms) => {
        const found = createSnippet(text, terms);
        if (!found) return;
        const allowed = borders(found.text);
        let last = 0;
        for (const [from, to] of found.ranges) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(found.text.length);
          expect(allowed).toContain(from);
          expect(allowed).toContain(to);
          last = to;
        }
      }),
      { numRuns: 800 },
    );
  });

  test("give one short line that is cut between characters", () => {
    fc.assert(
      fc.property(text, someTerms, (text, terms) => {
        const whole = text.toWellFormed();
        const found = createSnippet(whole, terms) ?? createOpeningSnippet(whole);
        expect(found.text.isWellFormed()).toBe(true);
        expect(found.text).not.toMatch(/[\n\r\t\u2028\u2029]/);
        expect(found.text.length).toBeLessThan(1200);
        // Except for white space, the snippet is part of the text, between two grapheme boundaries.
        const shown = found.text.replace(/^…/, "").replace(/…$/, "").trim();
        const pattern = shown
          .split(/\s+/)
          .map((piece) => RegExp.escape(piece))
          .join("\\s+");
        const places = [...whole.matchAll(new RegExp(pattern, "g"))];
        const allowed = borders(whole);
        // A space may have an accent, and be removed without it.
        const startsAt = (index: number) => allowed.has(index) || /\s/.test(whole[index - 1] as string);
        const between = places.some(
          ({ index, 0: piece }) => startsAt(index) && allowed.has(index + piece.length),
        );
        expect(between).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
