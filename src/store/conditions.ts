/**
 * Conditions on sessions and entries as data. Each store translates them into its own query language, and adds the condition that
 * the reader may see the session.
 */

import type { Position } from "./position.ts";
import type { TextExpression } from "./text-expression.ts";

/** Properties that a session has or lacks. */
export type SessionFlag =
  | "archived"
  /** Its bytes are in a compressed file; no session of a hub has it. */
  | "compressed"
  | "forked"
  | "internal"
  | "labeled"
  | "named"
  | "pinned"
  /** Written by a subagent. */
  | "subagent"
  /** Its file has problems. */
  | "problems";

/** A condition on a session. */
export type SessionCondition =
  | { kind: "all" | "any"; of: readonly SessionCondition[] }
  | { kind: "not"; of: SessionCondition }
  | { kind: "flag"; flag: SessionFlag; value: boolean }
  | { kind: "cwd" | "path"; path: string }
  /** Its working directory ends in these path segments, or is this absolute path. Ignores case. */
  | { kind: "project"; project: string }
  /** It used a model with this text in its `provider/model`, or exactly this `provider/model` if there is one. */
  | { kind: "model"; text: string }
  /** It used a provider with this text in its name. */
  | { kind: "provider"; text: string }
  /** It has this tag, as `foldTag` returns it; `*` matches anything. */
  | { kind: "tag"; folded: string }
  /** It has one of these names. */
  | { kind: "name"; names: readonly string[] }
  /** Its name is one of these, or it has no name and its computed title is. */
  | { kind: "title"; titles: readonly string[] }
  /** It has one of these ids. */
  | { kind: "id"; ids: readonly string[] }
  | { kind: "idPrefix"; prefix: string }
  /** Its file is on this machine, or on a machine of this person; no session of a local index is. `*` matches anything. */
  | { kind: "machine" | "person"; name: string }
  /** It has this number of messages. */
  | ({ kind: "messages" } & NumberRange)
  /** The store's ids of files. */
  | { kind: "file"; files: readonly number[] }
  /** Its path ends in this path, with either kind of slash before it. */
  | { kind: "pathEnd"; end: string }
  /** It has none of these ids and paths. */
  | { kind: "except"; sessions: readonly string[] }
  | ({ kind: "modified" } & TimeRange);

/** Unix milliseconds: `since` is included, `until` is not. */
export interface TimeRange {
  since?: number | undefined;
  until?: number | undefined;
}

/** Integers: both ends are included. */
export interface NumberRange {
  min?: number | undefined;
  max?: number | undefined;
}

/** A condition on an entry. Unknown values, such as the role of an entry without one, don't satisfy any condition but `not`. */
export type EntryCondition =
  | { kind: "all" | "any"; of: readonly EntryCondition[] }
  | { kind: "not"; of: EntryCondition }
  | { kind: "session"; of: SessionCondition }
  | { kind: "text"; text: TextExpression }
  | { kind: "role"; role: string }
  | { kind: "type"; types: readonly string[] }
  /** It calls this tool, or is its result. Ignores case; `*` matches anything. */
  | { kind: "tool"; tool: string }
  /** It records a failure. */
  | { kind: "failed" }
  /** It is on the current branch of its session. */
  | { kind: "current" }
  | ({ kind: "time" } & TimeRange)
  /** It touched one of these paths, by the store's ids. */
  | { kind: "paths"; paths: readonly number[] }
  /** It has one of these labels. */
  | { kind: "label"; labels: readonly string[] }
  | { kind: "file"; files: readonly number[] }
  /** It has one of these ids. */
  | { kind: "id"; ids: readonly string[] }
  | { kind: "position"; positions: readonly Position[] };

/** What every hit satisfies. */
export interface HitConditions {
  /** Texts that its entry contains, all of them. */
  texts: readonly TextExpression[];
  /** Those that are scored: the ones that are not common. */
  scored: readonly TextExpression[];
  /** Texts that its entry does not contain. */
  excluded: readonly TextExpression[];
  /** On its session. */
  session: SessionCondition;
  /** On its entry. */
  entry: readonly EntryCondition[];
}

/** Whether hits are scored when they are found, because no text is common. */
export function areAllScored({ texts, scored }: HitConditions): boolean {
  return texts.length > 0 && scored.length === texts.length;
}
