import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prepareQuery, prepareText } from "../../src/store/words/prepare-text.ts";
import { IndexedText } from "../../src/store/words/tokens.ts";
import { anyText } from "./any-text.ts";
import { findsPhrase, storedWords } from "./fts5.ts";

const words = (text: string): string[] => new IndexedText(text, "once").tokens().map(({ word }) => word);
const found = (text: string, query: string, prefix = false): string[] => {
  const phrase = prepareQuery(query);
  if (!phrase) return [];
  const finds = new IndexedText(text).find({ ...phrase, prefix: prefix || phrase.prefix }, 1000);
  return finds.map(({ start, end }) => text.slice(start, end));
};

describe("the words of a text", () => {
  test("are those that FTS5 stores, for every Unicode character", () => {
    for (let from = 0; from < 0x20000; from += 256) {
      if (from >= 0xd800 && from < 0xe000) continue;
      const characters = Array.from({ length: 256 }, (_, n) => String.fromCodePoint(from + n));
      const text = characters.map((character) => `q${character}w ${character} Z${character}`).join(" | ");
      expect(words(text)).toEqual(storedWords(prepareText(text)));
    }
  });

  test("are those that FTS5 stores, for any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(words(text)).toEqual(storedWords(prepareText(text)));
      }),
      { numRuns: 800 },
    );
  });

  test("have their positions in the text", () => {
    const text = "parseSession(数据库) é: C++ 🇺🇦 か\u3099き";
    const pieces = new IndexedText(text, "once").tokens().map(({ start, end }) => text.slice(start, end));
    const row = ["parseSession", "数据", "据库", "库", "é", "C++", "🇺🇦", "か\u3099き", "き"];
    // A word that cannot occur in a text precedes the parts of each identifier.
    expect(pieces).toEqual([...row, "", "parse", "Session", "", "C"]);
  });

  test("start in the same way when prepared alone", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { word, start, end } of new IndexedText(text, "none").tokens()) {
          expect(words(text.slice(start, end))[0]).toBe(word);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a phrase", () => {
  const cut = fc.record({ text: anyText, from: fc.nat(30), length: fc.integer({ min: 1, max: 8 }) });

  test("cut from a text at word boundaries matches in FTS5 if and only if it matches here", () => {
    fc.assert(
      fc.property(cut, anyText, fc.boolean(), ({ text, from, length }, other, prefix) => {
        const tokens = new IndexedText(text, "each").tokens();
        const piece = tokens.slice(from % Math.max(1, tokens.length)).slice(0, length);
        const start = piece[0]?.start ?? 0;
        const query = text.slice(start, Math.max(start, piece.at(-1)?.end ?? 0));
        const phrase = prepareQuery(query);
        if (!phrase) return;
        const isPrefix = prefix || phrase.prefix;
        for (const within of [text, other]) {
          const expected = findsPhrase(prepareText(within), phrase.words, isPrefix);
          const finds = found(within, query, prefix);
          expect(finds.length > 0).toBe(expected);
          for (const find of finds) {
            const again = prepareQuery(find)?.words ?? "";
            if (isPrefix) expect(again.startsWith(phrase.words)).toBe(true);
            else expect(again).toBe(phrase.words);
          }
        }
      }),
      { numRuns: 1200 },
    );
  });

  test("cut from consecutive words of a text matches it", () => {
    fc.assert(
      fc.property(cut, ({ text, from, length }) => {
        const tokens = new IndexedText(text, "none").tokens();
        const piece = tokens.slice(from % Math.max(1, tokens.length)).slice(0, length);
        const query = text.slice(piece[0]?.start ?? 0, piece.at(-1)?.end ?? 0);
        if (piece.length > 0) expect(found(text, query)).not.toEqual([]);
      }),
      { numRuns: 800 },
    );
  });
});
