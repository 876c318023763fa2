/** Defines options for commander. The placeholder of a value, such as `<n>`, says how it is read. */
import { type Argument, InvalidArgumentError, Option } from "commander";
import type { OptionDefinition } from "./option-types.ts";

export function createOption([flags, description, details = {}]: OptionDefinition): Option {
  const { choices, aliases, max, repeats, default: standard, conflicts } = details;
  const option = new Option(flags, description);
  if (choices) acceptChoices(option, choices, aliases);
  else if (repeats) option.argParser(parseRepeatable);
  else if (flags.endsWith("<n>")) option.argParser(parseCount(max));
  else if (flags.endsWith("<seconds>")) option.argParser(parseSeconds);
  else if (flags.endsWith("[fields]")) option.argParser((list) => (list === "" ? true : list.split(",")));
  else if (flags.endsWith("<list>")) option.argParser((list) => parseNonEmpty(list).split(","));
  else if (option.required && !flags.endsWith("<text>")) option.argParser(parseNonEmpty);
  if (standard !== undefined) option.default(standard);
  return option.conflicts([...(conflicts ?? [])]);
}

/** Accepts only these values, of which help and error messages list the choices. */
export function acceptChoices(
  target: Option | Argument,
  choices: readonly string[],
  aliases: readonly string[] = [],
): void {
  target.choices(choices);
  const { parseArg } = target;
  target.argParser((value: string, previous: unknown) =>
    aliases.includes(value) ? value : parseArg?.(value, previous),
  );
}

export function isRepeatable({ parseArg }: Option): boolean {
  return parseArg === parseRepeatable;
}

function parseRepeatable(value: string, before: string[] = []): string[] {
  return [...before, parseNonEmpty(value)];
}

/** Rejects empty values: an unset variable in a script passes an empty argument, which would mean the current folder. */
function parseNonEmpty(value: string): string {
  if (value !== "") return value;
  throw new InvalidArgumentError("It must not be empty.");
}

/** Parses a positive integer. */
function parseCount(max = 999_999_999): (value: string) => number {
  return (value) => {
    if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= max) return Number(value);
    throw new InvalidArgumentError(
      max === 999_999_999 ? "It must be a positive integer." : `It must be an integer from 1 to ${max}.`,
    );
  };
}

/** Parses a duration in seconds, up to an hour. */
function parseSeconds(value: string): number {
  if (/^\d{1,4}(\.\d{1,3})?$/.test(value) && Number(value) > 0 && Number(value) <= 3600) return Number(value);
  throw new InvalidArgumentError("It must be more than 0 and at most 3600 seconds.");
}
