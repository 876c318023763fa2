/** Types of values that are sent as JSON. */
import type { SessionInfo } from "../../../library/index.ts";
import type { SessionSummary } from "../../../library/internal.ts";

/** The type of a value after `JSON.stringify` and `JSON.parse`: dates become strings. */
export type JsonOf<T> = T extends Date
  ? string
  : T extends readonly (infer Each)[]
    ? JsonOf<Each>[]
    : T extends object
      ? { [Key in keyof T]: JsonOf<T[Key]> }
      : T;

/** A value that `JSON.stringify` and `JSON.parse` turn into a `T`: texts may still be dates. */
export type BeforeJson<T> = T extends string
  ? T | Date
  : T extends readonly (infer Each)[]
    ? readonly BeforeJson<Each>[]
    : T extends object
      ? { [Key in keyof T]: BeforeJson<T[Key]> }
      : T;

export type SessionJson = JsonOf<Omit<SessionInfo, "allMessagesText">>;
export type BriefSessionJson = JsonOf<SessionSummary>;
