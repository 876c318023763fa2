import { expect, test } from "vitest";
import {
  correctFields,
  listWiderQueries,
  toAnyWord,
  toExactQuery,
  wordsToMark,
} from "../../../bin/format/query-words.ts";

test("the words of a query are highlighted, not its filters", () => {
  expect(wordsToMark('checkout "double tax"')).toBe("checkout double tax");
  expect(wordsToMark('tax -blog -"not this" role:user project:"my shop" is:error')).toBe("tax");
  expect(wordsToMark("(tax OR vat) round*")).toBe("tax vat round");
  expect(wordsToMark("-(a b) c-d https://x.example")).toBe("c-d https://x.example");
  expect(wordsToMark("re:a.b")).toBe("");
  expect(wordsToMark("")).toBe("");
  expect(wordsToMark('"say ""hi"" tax')).toBe('say "hi" tax');
});

test.each([
  ["file:tax", ["file:*tax*"]],
  ["file:tax.ts role:user", ["file:*tax.ts* role:user", "role:user", "file:tax.ts"]],
  ["file:*.ts", []],
  ["-file:tax rounding", ["rounding", "-file:tax"]],
  ["is:error role:user since:7d", ["role:user since:7d", "is:error since:7d", "is:error role:user"]],
  ["tax", []],
  ["", []],
])("wider than %j are %j", (query, wider) => expect(listWiderQueries(query)).toEqual(wider));

test.each([
  [
    "TypeError: Cannot read properties of undefined (reading 'map')",
    "TypeError OR Cannot OR read OR properties OR undefined OR reading OR map",
  ],
  ["flaky project:shop vscode -tag:old", undefined],
  ["flaky project:shop vscode", "(flaky OR vscode) project:shop"],
  ["Tax tax TAX", undefined],
  ["tax OR vat", undefined],
  ["a of 税 till", "税 OR till"],
  ["project:shop", undefined],
  ["", undefined],
])("any word of %j is %j", (query, any) => expect(toAnyWord(query)).toBe(any));

test.each([
  ["flakky", '"flakky"'],
  ["flakky project:shop -till*", '"flakky" project:shop -"till"'],
  ['"a phrase" (tax OR till)', '"a phrase" ("tax" OR "till")'],
])("%j as typed is %j", (query, exact) => expect(toExactQuery(query)).toBe(exact));

test.each([
  ["prject:shop tax", "project:shop tax"],
  ["tax (tol:bash OR rle:user)", "tax (tool:bash OR role:user)"],
  ["-tags:old project:shop", undefined],
  ["node:fs https://x.example", undefined],
])("with its fields corrected, %j is %j", (query, corrected) => expect(correctFields(query)).toBe(corrected));
