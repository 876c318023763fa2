import fc from "fast-check";
import { expect, test } from "vitest";
import { graphemeEnd, graphemeStart } from "../../../query/snippet/graphemes.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Where Unicode allows a text to be cut. */
function borders(text: string): number[] {
  return [...[...segmenter.segment(text)].map(({ index }) => index), text.length];
}

const UNIT = fc.oneof(
  fc.constantFrom("a", " ", "\r", "\n", "\u0301", "\u200d", "\ufe0f", "\u00ad", "\u20e3", "\u0903", "\u3099"),
  fc.constantFrom(
    "👩",
    "👩‍🔬",
    "🇩🇪",
    "🏽",
    "❤️",
    "©",
    "™",
    "각",
    "\u1100",
    "\u1161",
    "\u11a8",
    "क्ष",
    "\u0600",
  ),
  fc.integer({ min: 0, max: 0xd7ff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0xe000, max: 0xffff }).map((code) => String.fromCharCode(code)),
);

test("text is cut at grapheme boundaries, or close to them", () => {
  fc.assert(
    fc.property(fc.array(UNIT, { maxLength: 12 }), (units) => {
      const text = units.join("");
      const allowed = borders(text);
      for (let at = 0; at <= text.length; at++) {
        expect(graphemeStart(text, at)).toBe(allowed.findLast((border) => border <= at));
        expect(graphemeEnd(text, at)).toBe(allowed.find((border) => border >= at));
      }
    }),
    { numRuns: 1_000 },
  );
});

test("for any two adjacent characters", () => {
  const wrong: string[] = [];
  const before = ["a", "\r", "©", "各", "각", "Ж", "ا", "ア", "—"];
  for (let code = 0; code <= 0xffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCharCode(code);
    for (const [first, second] of [
      [before[code % before.length] as string, character],
      [character, before[code % before.length] as string],
    ] as const) {
      const text = `${first}${second}`;
      const isBorder = segmenter.segment(text).containing(1)?.index === 1;
      if ((graphemeStart(text, 1) === 1) !== isBorder) wrong.push(JSON.stringify(text));
    }
  }
  expect(wrong).toEqual([]);
});
