/**
 * Queries as people type them, written by two authors who knew only the sessions, not how pidex searches. Half of them, chosen at
 * random within each kind, are held out: nothing is tuned on `held-out.json`, which should not be read.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

export const KINDS = [
  "vague memory",
  "full sentence",
  "typo",
  "word form",
  "synonym",
  "pasted error",
  "Chinese and Japanese",
  "mixed languages",
  "identifier case",
  "session id",
  "exact words",
] as const;
export type Kind = (typeof KINDS)[number];

const Question = z.union([
  z.strictObject({
    kind: z.enum(KINDS),
    query: z.string().describe("may contain {id}, {id:8}, {path} or {file} of the first expected session"),
    expect: z.array(z.string()).min(1).describe("keys of planted sessions; finding any of them is enough"),
  }),
  z.strictObject({
    kind: z.enum(KINDS),
    query: z.string(),
    session: z.string().describe("id of a real session"),
    lines: z.array(z.int()).min(1).describe("line numbers in its file; finding any of them is enough"),
  }),
]);
export type Question = z.infer<typeof Question>;

const Turn = z.union([
  z.strictObject({ user: z.string() }),
  z.strictObject({ say: z.string() }),
  z.strictObject({ think: z.string() }),
  z.strictObject({ run: z.string(), output: z.string() }),
  z.strictObject({ fails: z.string(), output: z.string() }),
  z.strictObject({ read: z.string(), output: z.string() }),
  z.strictObject({ edit: z.string(), old: z.string(), new: z.string() }),
  z.strictObject({ chores: z.int() }),
]);

const PlantedSession = z.strictObject({
  key: z.string(),
  project: z.enum(["shop", "ledger", "infra", "field", "kit", "pipeline", "manual"]),
  when: z.string(),
  turns: z.array(Turn),
});
export type PlantedSession = z.infer<typeof PlantedSession>;

export function readQuestions(half: "tuned" | "held-out"): Question[] {
  return z.array(Question).parse(readJson(half));
}

/** Sessions by the same authors, planted in addition to the stories. */
export function readPlantedSessions(): PlantedSession[] {
  return z.array(PlantedSession).parse(readJson("sessions"));
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), "utf8"));
}
