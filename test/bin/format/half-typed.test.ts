import { expect, test } from "vitest";
import {
  completeHalfTyped,
  formatIgnoredField,
  isHalfTyped,
  withoutLastField,
} from "../../../bin/format/half-typed.ts";

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
    notice: expect.stringMatching(/^Ignored: unknown filter is:zz\. Values are is:named, .+ is:current$/),
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

test.each([
  ["cost:>abc", "Ignored: cost:>abc is not an amount, try cost:>1.50"],
  ["tax -cost:1x", "Ignored: cost:1x is not an amount, try cost:1.50"],
  ["messages:<=x", "Ignored: messages:<=x is not a number, try messages:<=50"],
  ["since:blah", "Ignored: since:blah is not a date, time or age, try since:7d"],
  ["since:2026-13", "Ignored: since:2026-13 is not a date, time or age, try since:7d"],
  ["before:2026-13-45", "Ignored: before:2026-13-45 is not a date, time or age, try before:7d"],
  ["until:yesterdy", "Ignored: until:yesterdy is not a date, time or age. Did you mean until:yesterday?"],
  ["is:nonsens", expect.stringMatching(/^Ignored: unknown filter is:nonsens. Values are is:named, /)],
  ["is:errr", "Ignored: unknown filter is:errr. Did you mean is:error?"],
  ["role:assistnt", 'Ignored: unknown role "assistnt". Did you mean role:assistant?'],
])("%s is invalid, which the message of its error says", (query, notice) => {
  expect(formatIgnoredField(query)).toEqual(notice);
});

test.each([
  ...["cost:>", "cost:>=$", "cost:<1.", "cost:.", "messages:10.", "messages:<"],
  ...["since:2", "since:20", "since:2026-0", "since:2026-01-3", "since:2026-01-31T09:", "since:2026/1/"],
  ...[
    "since:yes",
    "since:last-",
    "since:this-mo",
    "since:oc",
    "since:we",
    'since:"3 da',
    'since:"monday 17:',
  ],
  ...['until:"12 ', "until:3da", "until:12t", "until:a"],
])("%s is only incomplete", (query) => {
  expect(formatIgnoredField(query)).toMatch(/ is incomplete and ignored$/);
});

test.each([
  "cost:>1",
  "cost:1..",
  "since:7d",
  "is:error",
  "role:user",
  "tax",
  "cost:>x tax",
  "project:nowhere",
])("%s does not end in a field that is ignored", (query) => {
  expect(formatIgnoredField(query)).toBeUndefined();
});
