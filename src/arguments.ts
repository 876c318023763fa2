import { badOption } from "./errors.ts";

/** Checks that an argument of the library is text. @throws PidexError `BAD_OPTION` */
export function requireText(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string") throw badOption(`${name} must be a string, not ${typeName(value)}`, HINT);
}

/** Checks that what an argument holds its options in is an object. @throws PidexError `BAD_OPTION` */
export function requireOptions(value: unknown): asserts value is object {
  if (typeof value !== "object" || value === null) {
    throw badOption(`options must be an object, not ${typeName(value)}`, HINT);
  }
}

const HINT = "See docs/library.md for what it takes.";

function typeName(value: unknown): string {
  return value === null ? "null" : typeof value;
}
