import { expect, test } from "vitest";
import { addTerm, narrowsSessionsOnly, sessionQuery } from "../../../bin/format/query-terms.ts";

test.each([
  ["", "role:user"],
  ["tax", "tax role:user"],
  ["tax OR vat", "(tax OR vat) role:user"],
  ["(tax OR vat)", "((tax OR vat)) role:user"],
  ["(tax OR vat) x", "(tax OR vat) x role:user"],
  ['tax OR "double ta', '(tax OR "double ta") role:user'],
  ["(tax OR (", "(tax) role:user"],
  ["tax OR", "tax role:user"],
])("a term added to %j is an additional condition", (query, added) => {
  expect(addTerm(query, "role:user")).toBe(added);
});

test("a session is specified by its id or its path, with any characters", () => {
  expect(sessionQuery("019c")).toBe("session:019c");
  expect(sessionQuery('C:\\my "old"\\a.jsonl', "tax OR vat")).toBe(
    '(tax OR vat) session:"C:\\my ""old""\\a.jsonl"',
  );
});

test.each([
  ["project:shop is:named -tag:a", true],
  ['(name:"the till" OR cwd:/a) is:pinned,archived', true],
  ["project:shop tax", false],
  ["is:error", false],
  ["is:named,error", false],
  ["role:user", false],
])("%j filters only sessions: %j", (query, only) => {
  expect(narrowsSessionsOnly(query)).toBe(only);
});
