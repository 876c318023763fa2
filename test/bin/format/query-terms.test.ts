import { expect, test } from "vitest";
import {
  addTerm,
  extractRequired,
  narrowsSessionsOnly,
  replaceTerm,
  sessionQuery,
} from "../../../bin/format/query-terms.ts";

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

test.each([
  ["tax project:shop", "tax project:blog"],
  ["project:shop", "project:blog"],
  ["project:shop tax", "tax project:blog"],
  ["project:a tax project:b", "tax project:blog"],
  ['project:"the shop" tax', "tax project:blog"],
  ["-project:shop tax", "-project:shop tax project:blog"],
  ["project:shop OR tax", "(project:shop OR tax) project:blog"],
  ["model:opus tax", "model:opus tax project:blog"],
  ["", "project:blog"],
])("%j with another project is %j", (query, replaced) => {
  expect(replaceTerm(query, "project:blog")).toBe(replaced);
});

test("a month replaces both ends of a period", () => {
  expect(replaceTerm("tax since:2026-01 until:2026-02", "since:2026-03 until:2026-04")).toBe(
    "tax since:2026-03 until:2026-04",
  );
  expect(replaceTerm("tax since:yesterday", "since:2026-03 until:2026-04")).toBe(
    "tax since:2026-03 until:2026-04",
  );
});

test.each([
  ["", {}, true],
  ['project:"/my shop" model:openai/gpt-5', { project: "/my shop", model: "openai/gpt-5" }, true],
  ["project:shop tax", { project: "shop" }, false],
  ["project:shop,blog", {}, false],
  ["project:shop project:blog", { project: "shop" }, false],
  ["-project:shop", {}, false],
  ["project:shop OR model:gpt", {}, false],
])("%j requires %j, and nothing else: %j", (query, values, isWhole) => {
  expect(extractRequired(query, ["project", "model"])).toEqual({ values, isWhole });
});
