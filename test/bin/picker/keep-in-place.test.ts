import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keepLine, mergeInPlace, scrollIntoView } from "../../../bin/picker/keep-in-place.ts";
import type { Row } from "../../../bin/picker/model/view.ts";
import { createSampleState, sampleHit, sampleRow } from "./sample-state.ts";

const row = (name: string, branchLines = "", hitCount = 0): Row => ({
  ...sampleRow(
    { path: `/${name}`, name },
    Array.from({ length: hitCount }, () => sampleHit("a hit")),
  ),
  branchLines,
});
const rowsOf = (names: string) => [...names].map((name) => row(name));
const drawn = (rows: readonly Row[]) =>
  rows.map(({ branchLines, session }) => `${branchLines}${session.name}`).join("");

/** Merges lists of one-letter names, with three visible rows from `top` on. */
function merge(before: string, after: string | Row[], top = 0, completes = false): string {
  const state = createSampleState(rowsOf(before), { top });
  const rows = typeof after === "string" ? rowsOf(after) : after;
  return drawn(mergeInPlace(state, rows, { height: 3, completes }));
}

test.each([
  ["new rows above and below are where they belong", "abcde", "NabcdMe", "NabcdMe"],
  ["new rows between visible ones are above them", "abcde", "aNbMcde", "NMabcde"],
  ["a row that moves up stays where it is", "abcde", "cNabde", "Nabcde"],
  ["rows that are gone are removed", "abcde", "abde", "abde"],
  ["everything may be new", "abc", "xyz", "xyz"],
  ["an empty list has no place to keep", "", "xyz", "xyz"],
])("%s", (_, before, after, expected) => {
  expect(merge(before, after)).toBe(expected);
});

test("rows above the visible ones are where they belong", () => {
  expect(merge("abcdefg", "NaMbcdPefg", 3)).toBe("NaMbcPdefg");
});

test("visible rows that rank lower stay if they are not in the new rows", () => {
  expect(merge("abcde", "xyz", 0, true)).toBe("abcxyz");
});

test("rows that complete the list are below the visible ones", () => {
  expect(merge("abcde", "NaMbPcdeQ", 0, true)).toBe("abcNMPdeQ");
});

test("a new fork of a visible session is listed above, without branch lines; visible ones keep theirs", () => {
  const before = [row("a"), row("b", "└─ "), row("c")];
  const state = createSampleState(before);
  const after = [row("a"), row("N", "├─ "), row("b", "└─ "), row("c")];
  expect(drawn(mergeInPlace(state, after, { height: 3, completes: false }))).toBe("Na└─ bc");
});

test("visible rows keep their height, and the count of their hits changes", () => {
  const state = createSampleState([row("a", "", 1), row("b", "", 1)]);
  const [first] = mergeInPlace(state, [row("a", "", 2), row("b", "", 1)], { height: 9, completes: false });
  expect(first).toMatchObject({ hits: { length: 1 }, hitCount: 2 });
});

test("no visible row that is still listed moves, whatever changes", () => {
  const names = fc.uniqueArray(fc.constantFrom(..."abcdefghijklmnop"), { maxLength: 16 });
  fc.assert(
    fc.property(
      names,
      names,
      fc.nat(15),
      fc.nat(3),
      fc.integer({ min: 1, max: 6 }),
      (old, now, chosen, above, height) => {
        fc.pre(old.length > 0);
        const selected = Math.min(chosen, old.length - 1);
        const top = Math.max(0, selected - Math.min(above, height - 1));
        const name = old[selected] as string;
        fc.pre(now.includes(name));
        const state = createSampleState(rowsOf(old.join("")), { top, selected });
        const rows = mergeInPlace(state, rowsOf(now.join("")), { height, completes: false });
        expect(rows.map(({ session }) => session.name).sort()).toEqual(now.toSorted());
        const isVisible = old.slice(top, top + height);
        if (!isVisible.every((each) => now.includes(each))) return;
        const selectedNow = rows.findIndex(({ session }) => session.name === name);
        const topNow = keepLine(state, rows, selectedNow);
        expect(drawn(rows.slice(topNow, topNow + height)).startsWith(isVisible.join(""))).toBe(true);
      },
    ),
  );
});

describe("after a change by the user", () => {
  const rows = rowsOf("abcdefgh");

  test("rows that fit stay on the screen, wherever the selected one went", () => {
    expect(scrollIntoView(rows, { top: 0, selected: 7, height: 20 })).toBe(0);
    expect(scrollIntoView(rows, { top: 5, selected: 7, height: 20 })).toBe(0);
  });

  test("the list scrolls only as far as the selected row", () => {
    expect(scrollIntoView(rows, { top: 0, selected: 1, height: 3 })).toBe(0);
    expect(scrollIntoView(rows, { top: 0, selected: 6, height: 3 })).toBe(4);
    expect(scrollIntoView(rows, { top: 5, selected: 1, height: 3 })).toBe(1);
  });
});
