import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { formatInteger, toOneLine, toSafe, toSafeInput } from "../../../bin/format/safe.ts";
import { simpleStart } from "../../../bin/format/simple-width.ts";
import { measureWidth, pad, truncate, truncateStart, wrapLines } from "../../../bin/format/text.ts";
import { formatAge } from "../../../bin/format/times.ts";
import { foreignSequences } from "../../foreign-sequences.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const isSimple = (text: string) => simpleStart(text, Number.POSITIVE_INFINITY).end === text.length;

/** Characters of the width table, by property. */
const SIMPLE = [
  ...Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x10000 }, (_, code) => String.fromCodePoint(0x10000 + code)),
].filter(isSimple);

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.array(fc.constantFrom(...SIMPLE), { maxLength: 30 }).map((all) => all.join("")),
  fc
    .array(
      fc.constantFrom(
        "a",
        "漢",
        "é",
        "e\u0301",
        "👩‍👩‍👧‍👦",
        "🚀",
        "👍",
        "🏽",
        "✅",
        "▶",
        "⚠",
        "🇩🇪",
        "\u200d",
        "\ufe0f",
        "☆",
        "\ud800",
        "\x1b",
        "\t",
        "각",
        "ᄀ",
      ),
      {
        maxLength: 30,
      },
    )
    .map((all) => all.join("")),
);

describe("characters that are not in the table", () => {
  test("have the same width as by lookup", () => {
    expect(SIMPLE.length).toBeGreaterThan(40_000);
    const wrong = SIMPLE.filter((each) => simpleStart(each, 9).columns !== stringWidth(each));
    expect(wrong).toEqual([]);
  });

  test("are those that pidex itself draws, so that short commands don't load the tables of all characters", () => {
    for (const drawn of ["⚑2 ⑂ ★ ✓ × − …", "● • · → ← ↑ ↓", "─ │ ├ └ ┃ ▌ ▁▂▃▄▅▆▇█", "— “a” ‘b’"])
      expect([drawn, isSimple(drawn)]).toEqual([drawn, true]);
  });

  test("never join adjacent characters", () => {
    const joining = SIMPLE.filter((each) => [...segmenter.segment(`a${each}${each}漢`)].length !== 4);
    expect(joining).toEqual([]);
  });

  test("are cut by columns", () => {
    expect(simpleStart("abcdef", 4)).toEqual({ end: 4, columns: 4, isOverflow: true, ellipsisPosition: 3 });
    expect(simpleStart("漢字かな", 5)).toEqual({ end: 2, columns: 4, isOverflow: true, ellipsisPosition: 2 });
    expect(simpleStart("a🚀b", 3)).toEqual({ end: 3, columns: 3, isOverflow: true, ellipsisPosition: 1 });
    expect(simpleStart("ab\u0301", 9)).toEqual({
      end: 2,
      columns: 2,
      isOverflow: false,
      ellipsisPosition: 1,
    });
  });
});

/** Truncation that takes all character properties into account. */
function cutSlowly(text: string, columns: number): string {
  if (columns < 1) return "";
  if (stringWidth(text) <= columns) return text;
  let kept = "";
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(kept + segment) > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

test("any text is as wide as string-width says", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(measureWidth(text)).toBe(stringWidth(text));
    }),
    { numRuns: 500 },
  );
});

test("any text without escape sequences is cut the same as with all character properties", () => {
  const texts = anyText.map((text) => toOneLine(text));
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 40 }), (text, columns) => {
      expect(truncate(text, columns)).toBe(cutSlowly(text, columns));
      expect(measureWidth(truncate(text, columns))).toBeLessThanOrEqual(columns);
      if (columns > 0) expect(measureWidth(truncateStart(text, columns))).toBeLessThanOrEqual(columns);
      expect(measureWidth(pad(truncate(text, columns), columns))).toBe(columns);
    }),
    { numRuns: 1000 },
  );
});

test("safe text contains no control characters and no half of a surrogate pair", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const shown of [toSafe(text).replaceAll(/[\t\n]/g, ""), toSafeInput(text)]) {
        expect(foreignSequences(shown)).toEqual([]);
        expect([...shown].filter((each) => each < " ")).toEqual([]);
        expect(shown.isWellFormed()).toBe(true);
      }
      expect(toSafeInput(text)).toHaveLength(text.length); // the cursor does not move
    }),
  );
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1234567, "1,234,567"],
  [100000, "100,000"],
])("%i is written %s", (count, written) => {
  expect(formatInteger(count)).toBe(written);
});

test.each([
  [0, "now"],
  [59_999, "now"],
  [60_000, "1m"],
  [59 * 60_000, "59m"],
  [60 * 60_000, "1h"],
  [24 * 3_600_000 - 1, "23h"],
  [24 * 3_600_000, "1d"],
  [6 * 86_400_000, "6d"],
  [7 * 86_400_000, "1w"],
  [29 * 86_400_000, "4w"],
  [30 * 86_400_000, "1mo"],
  [364 * 86_400_000, "12mo"],
  [365 * 86_400_000, "1y"],
  [-5000, "now"],
  [Number.NaN, "?"],
])("%i ms ago is %s", (ms, expected) => {
  const now = Date.UTC(2026, 5, 1);
  expect(formatAge(new Date(now - ms), now)).toBe(expected);
});

describe("wrapped lines", () => {
  test("break between words, below the text of their line", () => {
    expect(wrapLines("one two three\n  four five six\n- a list item that is long\nend", 12)).toBe(
      "one two\nthree\n  four five\n  six\n- a list\n  item that\n  is long\nend",
    );
    expect(wrapLines("see https://example.org/a/long/address now", 12)).toBe(
      "see\nhttps://example.org/a/long/address\nnow",
    );
  });

  test("break between Chinese and Japanese characters, but not before closing and after opening punctuation", () => {
    expect(wrapLines("日本語 日本語", 8)).toBe("日本語\n日本語");
    expect(wrapLines("日本語は空白なしで続く。", 8)).toBe("日本語は\n空白なし\nで続く。");
    expect(wrapLines("請看「注意」。事項", 6)).toBe("請看\n「注\n意」。\n事項");
    expect(wrapLines("这是checkout的税", 10)).toBe("这是\ncheckout的\n税");
    expect(wrapLines("- 日本語日本語", 8)).toBe("- 日本語\n  日本語");
    expect(wrapLines("see /home/ada/文書/報告.md", 12)).toBe("see\n/home/ada/文書/報告.md");
    expect(wrapLines("한국어 문장은 나뉜다", 8)).toBe("한국어\n문장은\n나뉜다");
  });

  test("keep a list marker and the first word on one line", () => {
    expect(wrapLines("- https://example.org/a/long/address now", 12)).toBe(
      "- https://example.org/a/long/address\n  now",
    );
    expect(wrapLines("  12. https://example.org/long", 12)).toBe("  12. https://example.org/long");
  });

  test("contain the same words in the same order, and only single words are wider", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "-", "語") }),
        fc.integer({ min: 1, max: 20 }),
        (text, columns) => {
          const wrapped = wrapLines(text, columns);
          const words = (each: string) =>
            each
              .replace(/\s*語\s*/g, " 語 ")
              .split(/\s+/)
              .join(" ")
              .trim();
          expect(words(wrapped)).toBe(words(text));
          for (const line of wrapped.split("\n")) {
            if (stringWidth(line.trimEnd()) > columns)
              expect(line.trim()).not.toMatch(/[^- ] +\S|[ab語]語|語[ab語]/);
          }
        },
      ),
    );
  });
});
