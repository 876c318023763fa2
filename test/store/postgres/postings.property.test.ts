import fc from "fast-check";
import { expect, test } from "vitest";
import { PARTS, PostingCollector, readLines, readPositions } from "../../../src/store/postgres/postings.ts";
import { prepareText } from "../../../src/store/words/prepare-text.ts";
import { splitPrepared } from "../../../src/store/words/split-prepared.ts";
import { anyText } from "../any-text.ts";
import { storedWords } from "../fts5.ts";

const split = (prepared: string): string[] => {
  const words: string[] = [];
  splitPrepared(prepared, (word) => words.push(word));
  return words;
};

test("a prepared text has the words that FTS5 stores, in the same order", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const prepared = prepareText(text);
      expect(split(prepared)).toEqual(storedWords(prepared));
    }),
  );
});

const word = fc.constantFrom("a", "b", "cc", "数据", "🎉");
const texts = fc.record(
  Object.fromEntries(
    PARTS.map((part) => [part, fc.array(word, { maxLength: 300 }).map((all) => all.join(" "))]),
  ),
) as fc.Arbitrary<Record<(typeof PARTS)[number], string>>;
const entries = fc.array(fc.record({ skipped: fc.nat(300), day: fc.nat(3), texts }), { maxLength: 12 });

test("postings contain each occurrence of each word once, with its line, part and position", () => {
  fc.assert(
    fc.property(entries, (all) => {
      const collector = new PostingCollector();
      const expected: string[] = [];
      let line = 1;
      for (const { skipped, day, texts } of all) {
        line += skipped;
        const words = collector.add(line, day, texts);
        const here = PARTS.flatMap((part, n) =>
          split(texts[part]).map((word, position) => `${word} ${day} ${line} ${n} ${position}`),
        );
        expect(words).toBe(here.length);
        expected.push(...here);
        line++;
      }
      const found = collector.finish().flatMap((posting) => {
        const { lines, counts } = readLines(posting);
        const { positions, starts } = readPositions(posting.places, counts);
        expect(counts.length).toBe(lines.length * PARTS.length);
        return [...lines].flatMap((line, n) =>
          PARTS.flatMap((_, part) => {
            const at = n * PARTS.length + part;
            const places = [...positions.subarray(starts[at], starts[at + 1])];
            expect(places.length).toBe(counts[at]);
            return places.map((position) => `${posting.word} ${posting.day} ${line} ${part} ${position}`);
          }),
        );
      });
      expect(found.sort()).toEqual(expected.sort());
    }),
  );
});
