import { expect, test } from "vitest";
import { wordsOf } from "../../../bin/format/query-words.ts";

test("of a query the words are marked, and not what it is narrowed by", () => {
  expect(wordsOf('checkout "double tax"')).toBe("checkout double tax");
  expect(wordsOf('tax -blog -"not this" role:user project:"my shop" is:error')).toBe("tax");
  expect(wordsOf("(tax OR vat) round*")).toBe("tax vat round");
  expect(wordsOf("-(a b) c-d https://x.example")).toBe("c-d https://x.example");
  expect(wordsOf("re:a.b")).toBe("");
  expect(wordsOf("")).toBe("");
});
