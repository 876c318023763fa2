import { expect, test } from "vitest";
import { detectLanguages } from "../../../query/words/languages.ts";

test.each([
  ["caching", "cached", "likely"],
  ["migrations", "migrate", "likely"],
  ["flaky", "flake", "no"],
  ["datenbanken", "datenbank", "perhaps"],
  ["памяти", "память", "likely"],
  ["docker", "locker", "no"],
])("%s and %s have the same stem: %s", async (a, b, same) => {
  expect((await detectLanguages([a])).haveSameStem(a, b)).toBe(same);
});

test("a query with stop words of a language is also in that language", async () => {
  const { haveSameStem, isStopWord } = await detectLanguages(["warum", "sind", "die", "datenbanken", "und"]);
  expect(haveSameStem("datenbanken", "datenbank")).toBe("likely");
  expect(["und", "sind", "the"].map(isStopWord)).toEqual([true, true, true]);
});

test("stop words of other languages are ordinary words", async () => {
  const { isStopWord } = await detectLanguages(["die", "process"]);
  expect(["die", "the", "process"].map(isStopWord)).toEqual([false, true, false]);
});
