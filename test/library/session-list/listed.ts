import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { SessionInfo } from "../../../query/answers.ts";
import { PidexError } from "../../../src/errors.ts";
import { temporaryFolder } from "../../temporary.ts";

/** A path where no database can be created, not even by root: below a file. */
export const NOWHERE = join(import.meta.filename, "pidex", "index.db");

/** Sets environment variables until the test ends. */
export function setEnvironment(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    onTestFinished(() => setVariable(name, before));
    setVariable(name, value);
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

/** A session folder, configured as root, and the path of a database that does not exist yet. */
export function createWorkspace() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  setEnvironment({ PIDEX_ROOTS: root });
  return { folder, root, db: join(folder, "cache", "index.db") };
}

/** Collects the problems that a list reports. */
export function collectProblems() {
  const problems: Error[] = [];
  return { problems, onProblem: (problem: Error) => void problems.push(problem) };
}

export function expectProblem(problems: Error[], code: string): void {
  expect(problems).toEqual([expect.any(PidexError)]);
  expect(problems[0]).toMatchObject({ code, hint: expect.stringMatching(/./) });
}

export const pathsOf = (sessions: readonly SessionInfo[]): string[] => sessions.map(({ path }) => path);
