import { badOption } from "./errors.ts";

/** Checks that an argument of the library is text. @throws PidexError `BAD_OPTION` */
export function requireText(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string") throw badOption(`${name} must be a string, not ${typeName(value)}`, HINT);
}

/** Options that must be a non-negative number. */
const NUMBERS = ["patienceMs", "intervalMs", "cacheMb"];

/**
 * Checks that options are an object, and checks the options that have no schema: signals, callbacks, times and sizes.
 *
 * @param known names of all options, if no schema checks them
 * @throws PidexError `BAD_OPTION`
 */
export function requireOptions(value: unknown, known?: readonly string[]): asserts value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badOption(`options must be an object, not ${typeName(value)}`, HINT);
  }
  for (const [name, option] of Object.entries(value)) {
    if (known && !known.includes(name))
      throw badOption(`unknown option "${name}"`, `Options: ${known.join(", ")}.`);
    if (option === undefined) continue;
    if (name === "signal" && !(option instanceof AbortSignal))
      throw badOption("signal must be an AbortSignal", HINT);
    if (/^on[A-Z]/.test(name) && typeof option !== "function")
      throw badOption(`${name} must be a function`, HINT);
    if (NUMBERS.includes(name) && !(typeof option === "number" && option >= 0)) {
      throw badOption(`${name} must be a non-negative number`, HINT);
    }
  }
}

/** Checks that an argument is an entry's id: text, or a number as in some old files. @throws PidexError `BAD_OPTION` */
export function requireEntryId(value: unknown): asserts value is string | number {
  if (typeof value === "string" || typeof value === "number") return;
  throw badOption(`an entry's id must be a string or a number, not ${typeName(value)}`, HINT);
}

const HINT = "See the type declarations of pidex.";

function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}
