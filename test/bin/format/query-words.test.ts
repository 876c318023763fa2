import { expect, test } from "vitest";
import { listWiderQueries, wordsToMark } from "../../../bin/format/query-words.ts";

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
