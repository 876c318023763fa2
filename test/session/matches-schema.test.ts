import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { Entry, SessionHeader } from "../../src/session/entries.ts";
import { matchesSchema } from "../../src/session/matches-schema.ts";

const ROOTS = join(import.meta.dirname, "../../fixtures/roots");

/** The JSON lines of all fixtures, as text, because each run changes the parsed objects. */
const lines = readdirSync(ROOTS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => readFileSync(join(ROOTS, name), "utf8").split("\n"))
  .filter(isJson);

const hints = ["text", "toolCall", "user", "assistant", "toolResult", "message", "compaction", "usage"];
const odd = fc.oneof(
  fc.constantFrom(null, true, "", "x", 0, -1, 0.5, 1e4, 10_001, 1e13, 8.64e15, 1e17, Infinity, -Infinity),
  fc.constantFrom(...hints),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(...hints).map((name) => ({ type: name, role: name, content: [{ type: name }] })),
);

/** Position of the field to change, as a fraction of all fields, and its new value; undefined removes it. */
const change = fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), to: fc.option(odd) });

test("a value matches only if zod accepts it", () => {
  const changes = fc.array(change, { maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...lines), changes, (line, changed) => {
      const value: unknown = JSON.parse(line);
      for (const { at, to } of changed) {
        const places = placesIn(value);
        const place = places[Math.floor(at * places.length)];
        if (!place) break;
        if (to === null && !Array.isArray(place.holder)) delete place.holder[place.key];
        else place.holder[place.key] = structuredClone(to);
      }
      for (const schema of [Entry, SessionHeader]) {
        expect(matchesSchema(schema, value)).toBe(schema.safeParse(value).success);
      }
    }),
    { numRuns: 800 },
  );
});

test("other rules of a schema are left to zod", () => {
  const strict: [z.ZodType, unknown][] = [
    [z.email(), "x"],
    [z.int(), 0.5],
    [z.number().multipleOf(2), 3],
    [z.number().gt(3), 3],
    [z.number().min(1).min(5).min(2), 3],
    [z.number().max(2).max(5), 3],
    [z.number(), Infinity],
    [z.string().min(2), "x"],
    [z.string().refine((text) => text !== "x"), "x"],
    [z.array(z.string()).max(0), ["x"]],
    [z.strictObject({}), { x: 1 }],
    [z.object({}).catchall(z.string()), { x: 1 }],
    [z.discriminatedUnion("type", [z.object({ type: z.literal("a") })]), { type: "x" }],
    [z.tuple([z.string()]), []],
    [z.record(z.string(), z.number()), { x: "y" }],
  ];
  for (const [schema, value] of strict) {
    for (const [within, wrapped] of [
      [schema, value],
      [schema.optional(), value],
      [z.looseObject({ a: schema }), { a: value }],
      [z.array(schema), [value]],
    ] as const) {
      expect(within.safeParse(wrapped).success).toBe(false);
      expect(matchesSchema(within, wrapped)).toBe(false);
    }
  }
});

interface Place {
  holder: Record<string, unknown>;
  key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false; // some fixtures are invalid
  }
}
