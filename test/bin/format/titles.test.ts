import { expect, test } from "vitest";
import { getShortTitle } from "../../../bin/format/titles.ts";

const of = (firstMessage: string) => ({ name: undefined, computedTitle: undefined, firstMessage });

test.each([
  ["Fix the till", 12, "Fix the till"],
  ["Fix the till", 11, "Fix the ti…"],
  ["Fix the till", 9, "Fix the…"],
  ["ab\u{1f600}cd", 4, "ab…"],
])("%s in %i characters", (title, maxLength, short) => {
  expect(getShortTitle(of(title), maxLength)).toBe(short);
});
