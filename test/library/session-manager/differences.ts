/**
 * Intended differences between pidex's SessionManager and those of the published pi 0.73.1 and 1.5.2, each with its reason.
 * The tests in conformance/ check all three, so a difference that disappears or changes fails. Where the two versions of pi
 * differ, pidex follows 1.5.2 unless the row says why not.
 */
import { expect } from "vitest";
import { CONTEXT } from "./differences/context.ts";
import { FORKS } from "./differences/forks.ts";
import { LISTS } from "./differences/lists.ts";
import { TREES } from "./differences/trees.ts";
import { WRITING } from "./differences/writing.ts";
import type { Compared } from "./implementations.ts";

export const differences = { ...WRITING, ...TREES, ...CONTEXT, ...FORKS, ...LISTS };

/** Asserts that the outcome of a case is the one in the table for an implementation. */
export function expectDifference(
  key: keyof typeof differences,
  { name }: { name: Compared },
  outcome: string,
): void {
  expect(outcome, key).toBe(differences[key][name]);
}
