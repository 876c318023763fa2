import { expect, test } from "vitest";
import { completeHalfTyped, isHalfTyped, withoutLastField } from "../../../bin/format/half-typed.ts";

test.each([
  ["project:sh", true],
  ["tax role:user,ass", true],
  ["-tag:mo", true],
  ["is:err", true],
  ["since:yes", true],
  ["cost:>", true],
  ["project:", false], // ignored anyway
  ["project:shop ", false], // finished
  ["project:sh tax", false],
  ["project:sh*", false], // a pattern
  ["name:ta", false], // finds a part of a name
  ["cost:>1", false],
  ["is:error", false],
  ["tax", false],
  ["re:project:sh", false],
])("%s needs completions: %s", (query, expected) => {
  expect(isHalfTyped(query)).toBe(expected);
});

const options = (...texts: string[]) => texts.map((text) => ({ text }));

test("a half-typed value is searched as its first completion", () => {
  const completions = { from: 12, isValue: false, options: options("shop", '"my shop"') };
  expect(completeHalfTyped("tax project:sh", completions)).toEqual({
    text: "tax project:shop",
    notice: "Searched: tax project:shop",
  });
});

test("a value that exists is searched as it is", () => {
  const completions = { from: 8, isValue: true, options: options("shop-2") };
  expect(completeHalfTyped("project:shop", completions)).toEqual({ text: "project:shop" });
});

test("a value that nothing completes is searched as it is, unless that is an error", () => {
  const none = { from: 0, isValue: false, options: [] };
  expect(completeHalfTyped("project:nowhere", none)).toEqual({ text: "project:nowhere" });
  expect(completeHalfTyped("tax cost:>", none)).toEqual({
    text: "tax ",
    notice: "cost:> is incomplete and ignored",
  });
  expect(completeHalfTyped("is:zz", none)).toEqual({
    text: "",
    notice: expect.stringMatching(/^is:zz is ignored: is:named, /),
  });
});

test("of several examples none is guessed", () => {
  const completions = { from: 6, isValue: false, options: options("this-week", "this-month") };
  expect(completeHalfTyped("since:this", completions).text).toBe("");
  const [only] = completions.options;
  expect(completeHalfTyped("since:this", { ...completions, options: only ? [only] : [] }).text).toBe(
    "since:this-week",
  );
});

test("until completions are known, the field is left out", () => {
  expect(withoutLastField("tax project:sh")).toBe("tax ");
  expect(withoutLastField("tax")).toBe("tax");
});
