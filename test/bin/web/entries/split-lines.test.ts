/** Which lines of a diff are side by side. */
import { expect, test } from "vitest";
import { pairLines } from "../../../../bin/web/page/entries/split-lines.tsx";

test("removed lines are beside those added in their place; more of either have nothing beside them", () => {
  expect(pairLines(["removed", "added", "added", "kept", "removed", "removed", "added"])).toEqual([
    { old: 0, now: 1 },
    { old: undefined, now: 2 },
    { old: 3, now: 3 },
    { old: 4, now: 6 },
    { old: 5, now: undefined },
  ]);
});

test("names of files, hunks and gaps are whole, and part what is around them", () => {
  expect(pairLines(["file", "hunk", "removed", "gap", "added"])).toEqual([
    { whole: 0 },
    { whole: 1 },
    { old: 2, now: undefined },
    { whole: 3 },
    { old: undefined, now: 4 },
  ]);
});
