/** Parsers of option values for commander. */
import { InvalidArgumentError } from "commander";

/** Parses a repeatable option. Completions recognize it by this function's name. */
export function parseRepeatable(value: string, before: string[] = []): string[] {
  return [...before, parseNonEmpty(value)];
}

/** Rejects empty values: an unset variable in a script passes an empty argument, which would mean the current folder. */
export function parseNonEmpty(value: string): string {
  if (value !== "") return value;
  throw new InvalidArgumentError("It must not be empty.");
}

/** Parses a positive integer. */
export function parseCount(max = 999_999_999): (value: string) => number {
  return (value) => {
    if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= max) return Number(value);
    throw new InvalidArgumentError(
      max === 999_999_999 ? "It must be a positive integer." : `It must be an integer from 1 to ${max}.`,
    );
  };
}

/** Parses a duration in seconds, up to an hour. */
export function parseSeconds(value: string): number {
  if (/^\d{1,4}(\.\d{1,3})?$/.test(value) && Number(value) > 0 && Number(value) <= 3600) return Number(value);
  throw new InvalidArgumentError("It must be a number of seconds, at most 3600.");
}
