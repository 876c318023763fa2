import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { differences } from "./differences.ts";

const folder = join(import.meta.dirname, "conformance");
const cases = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));

// A case that asks for a key that the table does not have is refused by its type.
test("each difference in the table is held by a case", () => {
  const held = (key: string) => cases.some((source) => source.includes(`"${key}"`));
  expect(Object.keys(differences).filter((key) => !held(key))).toEqual([]);
});

test("each difference is one, and says when and why", () => {
  for (const [key, { when, pi, pidex, why }] of Object.entries(differences)) {
    expect(pi, key).not.toBe(pidex);
    expect(when, key).not.toBe("");
    expect(why, key).not.toBe("");
  }
});
