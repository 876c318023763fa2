import { expect, test } from "vitest";
import { mostWordsFirst } from "../../../bin/format/hits.ts";

test("hits with more different words come first, others keep their order", () => {
  const hit = (text: string, ...words: string[]) => ({
    snippet: {
      text,
      ranges: words.map((word): [number, number] => [text.indexOf(word), text.indexOf(word) + word.length]),
    },
  });
  const twice = hit("tax Tax", "tax", "Tax");
  const one = hit("a till", "till");
  const both = hit("the tax of the till", "tax", "till");
  expect(mostWordsFirst([twice, one, both])).toEqual([both, twice, one]);
});
