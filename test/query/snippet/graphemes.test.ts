import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { graphemeEnd, graphemeStart } from "../../../query/snippet/graphemes.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The borders that `Intl` finds in a whole text. */
function bordersOf(text: string): number[] {
  return [...[...graphemes.segment(text)].map(({ index }) => index), text.length];
}

const codes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => String.fromCharCode(from + n));

describe("graphemes", () => {
  test("none holds two of ASCII, ideographs and kana, but a line's end", () => {
    const alone = [
      ...codes(0, 127),
      ...codes(0x3041, 0x3096),
      ...codes(0x30a1, 0x30fa),
      ...codes(0x4e00, 0x9fff),
    ];
    // Each between others of each kind.
    const text = alone.map((each) => `${each}a${each}あ${each}ア${each}一`).join("");
    expect(bordersOf(text)).toHaveLength(text.length + 1);
    const joined = alone.join("");
    expect(bordersOf(joined)).toHaveLength(joined.length + 1);
  });

  test("are cut nowhere, in any mixture of writing", () => {
    const part = fc.constantFrom(
      "a",
      "\r\n",
      "\n",
      "一",
      "们",
      "か",
      "か\u3099",
      "カ",
      "ﾊﾞ",
      "e\u0301",
      "👩‍👩‍👧",
      "🇩🇪",
      "한",
      "각",
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), fc.nat(), (parts, place) => {
        const text = parts.join("");
        const at = place % (text.length + 1);
        const borders = bordersOf(text);
        expect(graphemeStart(text, at)).toBe(borders.findLast((border) => border <= at));
        expect(graphemeEnd(text, at)).toBe(borders.find((border) => border >= at));
      }),
    );
  });
});
