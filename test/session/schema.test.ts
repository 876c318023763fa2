import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { Entry } from "../../src/session/entries.ts";
import { isRecord } from "../../src/session/json.ts";
import {
  array,
  boolean,
  choose,
  dropInvalid,
  literal,
  nullish,
  number,
  object,
  optional,
  type Schema,
  string,
  union,
  unknown,
  variant,
} from "../../src/session/schema.ts";

const ROOTS = join(import.meta.dirname, "../../fixtures/roots");

/** The JSON objects of all fixtures, as text, because each run changes the parsed objects. */
const lines = readdirSync(ROOTS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => readFileSync(join(ROOTS, name), "utf8").split("\n"))
  .filter(isObject);

const hints = ["text", "toolCall", "user", "assistant", "toolResult", "message", "compaction", "usage"];
const odd = fc.oneof(
  fc.constantFrom(null, true, "", "x", 0, -1, 0.5, 1e4, 10_001, 1e13, 8.64e15, 1e17, Infinity, -Infinity),
  fc.constantFrom(...hints),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(...hints).map((name) => ({ type: name, role: name, content: [{ type: name }] })),
);

/** Position of the field to change, as a fraction of all fields, and its new value; undefined removes it. */
const change = fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), to: fc.option(odd) });

test("whatever is wrong in an entry, what is left of it matches, and nothing else is changed", () => {
  const changes = fc.array(change, { maxLength: 3 });
  let invalid = 0;
  fc.assert(
    fc.property(fc.constantFrom(...lines), changes, (line, changed) => {
      const value = JSON.parse(line) as Record<string, unknown>;
      for (const { at, to } of changed) {
        const places = placesIn(value);
        const place = places[Math.floor(at * places.length)];
        if (!place) break;
        if (to === null && !Array.isArray(place.holder)) delete place.holder[place.key];
        else place.holder[place.key] = structuredClone(to);
      }
      if (typeof value.type !== "string") value.type = ""; // as `parseEntry` does
      const before = structuredClone(value);
      const messages: string[] = [];
      const kept = dropInvalid(Entry, value, (path, message) =>
        messages.push(`${path.join(".")}: ${message}`),
      );
      expect(value).toEqual(before);
      expect(Entry.matches(kept)).toBe(true);
      expect(kept === value).toBe(Entry.matches(value));
      expect(messages.length > 0).toBe(kept !== value);
      invalid += Number(kept !== value);
      // Each message names a part that is wrong; with these parts removed, the rest is the same.
      for (const message of messages) removeAt(value, (message.split(":")[0] as string).split("."));
      expect(kept).toEqual(value);
    }),
    { numRuns: 800 },
  );
  expect(invalid).toBeGreaterThan(20);
});

test("rules accept and report what zod's do, in the same words", () => {
  const pairs: [Schema, z.ZodType][] = [
    [string, z.string()],
    [boolean, z.boolean()],
    [unknown, z.unknown()],
    [number(), z.number()],
    [number(0, 1e4), z.number().min(0).max(1e4)],
    [literal("a"), z.literal("a")],
    [union(string, number()), z.union([z.string(), z.number()])],
    [union(boolean, number(0, 1e4)), z.union([z.boolean(), z.number().min(0).max(1e4)])],
    [array(string), z.array(z.string())],
    [object({ a: optional(string) }), z.looseObject({ a: z.string().optional() })],
  ];
  const all = pairs.flatMap(([own, zod]): [Schema, z.ZodType][] => [
    [own, zod],
    [optional(own), zod.optional()],
    [nullish(own), zod.nullish()],
  ]);
  const value = fc.oneof(odd, fc.constantFrom("a", ["a"], [5], { a: "b" }, { a: 5 }, [[]], undefined));
  fc.assert(
    fc.property(fc.constantFrom(...all), value, ([own, zod], at) => {
      const { success, error } = z.looseObject({ at: zod }).safeParse({ at });
      expect(own.matches(at)).toBe(success);
      const messages: string[] = [];
      if (!success) dropInvalid(object({ at: own }), { at }, (_, message) => messages.push(message));
      const isLiteral = error?.issues.some(({ code }) => code === "invalid_value"); // no field is a literal only
      if (!isLiteral) expect(messages).toEqual(error?.issues.map(({ message }) => message) ?? []);
    }),
    { numRuns: 3_000 },
  );
});

test("variants are chosen by their key, and others must match the last schema", () => {
  const schema = variant(
    "type",
    { z: optional(string) },
    { a: { x: optional(string) } },
    object({ y: string }),
  );
  const valid = [{ type: "a" }, { type: "a", x: "" }, { type: "b", y: "", x: 5 }];
  const invalid = [{ type: "a", x: 5 }, { type: "a", z: 5 }, { type: "b" }, {}, 5];
  expect(valid.filter(schema.matches)).toEqual(valid);
  expect(invalid.filter(schema.matches)).toEqual([]);
  const either = choose([string, boolean], (value) => (value === "" ? boolean : string));
  expect(["a", "", true].map(either.matches)).toEqual([true, false, false]);
});

/** Removes a part, as `dropInvalid` does. */
function removeAt(value: unknown, [key = "", ...rest]: string[]): void {
  const holder = value as Record<string, unknown>;
  if (rest.length > 0) removeAt(holder[key], rest);
  else if (Array.isArray(holder)) holder[Number(key)] = { type: "" };
  else delete holder[key];
}

interface Place {
  holder: Record<string, unknown>;
  key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

function isObject(line: string): boolean {
  try {
    return isRecord(JSON.parse(line));
  } catch {
    return false; // some fixtures are invalid
  }
}
