import { badOption } from "./errors.ts";

/** Checks that an argument of the library is text. @throws PidexError `BAD_OPTION` */
export function requireText(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string") throw badOption(`${name} must be a string, not ${typeName(value)}`, HINT);
}

/** Options that are a number of something: never less than none. */
const NUMBERS = ["patienceMs", "intervalMs", "batchBytes", "cacheMb"];

/**
 * Checks that an argument with options is an object, and those of them that no schema describes: signals, callbacks,
 * times.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function requireOptions(value: unknown): asserts value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badOption(`options must be an object, not ${typeName(value)}`, HINT);
  }
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue;
    if (name === "signal" && !(each instanceof AbortSignal))
      throw badOption("signal must be an AbortSignal", HINT);
    if (/^on[A-Z]/.test(name) && typeof each !== "function")
      throw badOption(`${name} must be a function`, HINT);
    if (NUMBERS.includes(name) && !(typeof each === "number" && each >= 0)) {
      throw badOption(`${name} must be a number from 0`, HINT);
    }
  }
}

/** Checks that an argument is the id of an entry: text, or a number in some old files. @throws PidexError `BAD_OPTION` */
export function requireEntryId(value: unknown): asserts value is string | number {
  if (typeof value === "string" || typeof value === "number") return;
  throw badOption(`an entry's id must be a string or a number, not ${typeName(value)}`, HINT);
}

const HINT = "See docs/library.md for what it takes.";

function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}
