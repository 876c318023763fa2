import { expect, test } from "vitest";
import { formatFilterNotice } from "../../../bin/format/filter-notice.ts";

const FILTERS = ". Filters: role:, type:, tool:, is:, since:, until:, file:";

test.each([
  ["foo:bar", '"foo:" is not a filter; searched for the words "foo:bar"'],
  ["tax foo:bar", '"foo:" is not a filter; searched for the words "foo:bar"'],
])("%s, if nothing was found", (query, start) => {
  expect(formatFilterNotice(query, "nothing")?.startsWith(start + FILTERS)).toBe(true);
});

test.each([
  ["modl:opus", "model:"],
  ["from:2026-01-01", "since:"],
  ["after:all", "since:"],
  ["month:2026-12", "since:2026-12 until:2027-01"],
  ["month:october", "since: and until:"],
  ["repo:shop", "project:"],
  ["date:today", "since:"],
])("%s is near %s", (query, meant) => {
  const [name] = query.split(":");
  expect(formatFilterNotice(query, "nothing")).toBe(
    `"${name}:" is not a filter (did you mean ${meant}?); searched for the words "${query}"`,
  );
});

test.each([
  ["cost>1", "cost:>1"],
  ["messages<=50", "messages:<=50"],
])("%s is meant as %s", (query, meant) => {
  const notice = `"${query}" is not a filter (did you mean '${meant}'?); searched for the words`;
  expect(formatFilterNotice(`tax ${query}`, "closest")).toBe(notice);
  expect(formatFilterNotice(`tax ${query}`, "full")).toBeUndefined();
});

test("only names near a field's are reported if something was found", () => {
  expect(formatFilterNotice("foo:bar tax", "closest")).toBeUndefined();
  expect(formatFilterNotice("modl:opus tax", "closest")).toContain("did you mean model:?");
  for (const query of ["host:db tax", "mode:dark tax", "message:hello tax"]) {
    expect(formatFilterNotice(query, "closest")).toBeUndefined();
    expect(formatFilterNotice(query, "nothing")).not.toContain("did you mean");
  }
});

test("month: is reported whatever was found, other names are not if words match in full", () => {
  expect(formatFilterNotice("tax month:2026-10", "full")).toContain("since:2026-10 until:2026-11");
  expect(formatFilterNotice("modl:opus tax model:", "full")).toBeUndefined();
});

test("a filter without a value", () => {
  expect(formatFilterNotice("tax model:", "nothing")).toBe(
    '"model:" needs a value, without a space: model:VALUE; to search for the word, quote it',
  );
  expect(formatFilterNotice('"model:"', "nothing")).toBeUndefined();
});

test.each([
  "Error: foo:bar",
  "TypeError: modle:x is undefined",
  "http://x",
  "https://example.com/a",
  "C:\\x",
  "src/a.ts:12",
  "a.ts:12:5",
  "localhost:3000",
  "std::vector",
  '"foo:bar"',
  "model:opus tax",
  "the build of foo:bar failed with some error",
])("%s is not about filters", (query) => {
  for (const found of ["nothing", "closest", "full"] as const)
    expect(formatFilterNotice(query, found)).toBeUndefined();
});
