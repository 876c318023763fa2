import type { NeedleText, Profile } from "./plan.ts";
import type { Totals } from "./session-file.ts";

/** A text that occurs in exactly one entry of the root. `path` is relative to the root. */
export interface Needle extends NeedleText {
  sessionId: string;
  path: string;
  entryId: string;
}

/** What a root contains. */
export interface Manifest extends Totals {
  seed: number;
  profile: Profile | "varied" | "real";
  /** Number of files that begin with entries of another. */
  forks: number;
  /** Number of files of subagents. */
  subagents: number;
  /** Cost recorded by entries, excluding copies in forks. */
  nanoDollars: number;
  /** The part of `nanoDollars` spent by subagents, recorded in their own files and again in their callers' details. */
  subagentNanoDollars: number;
  needles: Needle[];
}

export function emptyManifest(seed: number, profile: Manifest["profile"]): Manifest {
  return {
    seed,
    profile,
    files: 0,
    forks: 0,
    subagents: 0,
    bytes: 0,
    entries: 0,
    entriesByType: {},
    messagesByRole: {},
    nanoDollars: 0,
    subagentNanoDollars: 0,
    needles: [],
  };
}
