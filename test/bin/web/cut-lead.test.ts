import { expect, test } from "vitest";
import { cutLead } from "../../../bin/web/page/search/cut-lead.ts";

const segments = (before: string) => [
  { text: before, isMatch: false },
  { text: "match", isMatch: true },
  { text: " after", isMatch: false },
];
const shown = (before: string) =>
  cutLead(segments(before))
    .map(({ text }) => text)
    .join("");

test("the text before the first match is cut to whole words", () => {
  expect(shown("short ")).toBe("short match after");
  expect(shown(`${"word ".repeat(30)}near `)).toMatch(/^…(?:word )+near match after$/);
  expect(shown(`${"word ".repeat(30)}near `).length).toBeLessThan(60);
  expect(shown("x".repeat(100))).toBe("…match after");
  expect(cutLead([{ text: "y".repeat(100), isMatch: false }])).toEqual([
    { text: "y".repeat(100), isMatch: false },
  ]);
});
