/** What commander makes of the values of options. */
import { InvalidArgumentError } from "commander";

/** An option that may be given again. Completions know it by this function's name. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, given(value)];
}

/** An unset variable in a script gives an empty argument, which would mean the current folder. */
export function given(value: string): string {
  if (value !== "") return value;
  throw new InvalidArgumentError("It must not be empty.");
}

export function count(most = 999_999_999): (value: string) => number {
  return (value) => {
    if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= most) return Number(value);
    throw new InvalidArgumentError(
      most === 999_999_999 ? "It must be a positive integer." : `It must be an integer from 1 to ${most}.`,
    );
  };
}

/** A time that a query may take. */
export function seconds(value: string): number {
  if (/^\d{1,4}(\.\d{1,3})?$/.test(value) && Number(value) > 0 && Number(value) <= 3600) return Number(value);
  throw new InvalidArgumentError("It must be a number of seconds, at most 3600.");
}
