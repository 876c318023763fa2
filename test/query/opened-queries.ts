import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Session } from "../../fixtures/builder.ts";
import { type Index, openIndex, PidexError } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

/** The sessions of `fixtures/catalog.ts`, as files. Read-only. */
export const FIXTURES = join(import.meta.dirname, "../../fixtures/roots");

/** An index over folders, not synced. Closed at the end of the test. */
export async function openOver(roots: string[], db = join(temporaryFolder(), "index.db")): Promise<Index> {
  const index = await openIndex({ db, roots });
  onTestFinished(() => index.close());
  return index;
}

export const ROOTS = ["pi", "atomic", "flat", "scripts", "broken"].map((root) => join(FIXTURES, root));

let fixtureDatabase: Promise<Buffer> | undefined;

/** The bytes of a database with all fixtures, built once per process. */
async function indexFixtures(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  const db = join(folder, "index.db");
  const index = await openIndex({ db, roots: ROOTS });
  await index.sync();
  await index.close();
  const bytes = readFileSync(db);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** A synced index of all fixtures in its own database. */
export async function indexedFixtures(): Promise<Index> {
  fixtureDatabase ??= indexFixtures();
  const db = join(temporaryFolder(), "index.db");
  writeFileSync(db, await fixtureDatabase);
  const index = await openOver(ROOTS, db);
  await index.sync();
  return index;
}

/** Writes sessions where pi would write them, in a new folder, and returns a synced index. */
export async function indexed(...sessions: Session[]) {
  const root = join(temporaryFolder(), "sessions");
  const paths = sessions.map((session) => session.writeUnder(root));
  const index = await openOver([root]);
  await index.sync();
  return { index, root, paths, path: paths[0] as string };
}

/** Every session file below a folder. */
export function sessionFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
    .sort();
}

/** The error that a promise rejects with; it must be a PidexError. */
export async function failure(promise: Promise<unknown>): Promise<PidexError> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(PidexError);
  return error as PidexError;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
