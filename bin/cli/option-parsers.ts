import type { OptionDefinition } from "./option-types.ts";

/** A value that an option or argument does not accept; its message says what it does, or is empty for one of listed choices. */
export class InvalidValue extends Error {
  /** The part of the value that isn't accepted, if it is only a part. */
  readonly part: string | undefined;

  constructor(message: string, part?: string) {
    super(message);
    this.part = part;
  }
}

/** Reads a value. @param before the value of the same option before it, if it is repeated @throws InvalidValue */
export type ParseValue = (value: string, before?: unknown) => unknown;

/** How the value of an option is read. The placeholder, such as `<n>`, says so. Undefined: as it is. */
export function getValueParser([flags, , details = {}]: OptionDefinition): ParseValue | undefined {
  const { choices, aliases, max, repeats } = details;
  if (choices) return (repeats ? parseChoices : parseChoice)(choices, aliases);
  if (repeats) return parseRepeatable;
  if (flags.endsWith("<n>")) return parseCount(max);
  if (flags.endsWith("<seconds>")) return parseSeconds;
  if (flags.endsWith("[fields]")) return (list) => (list === "" ? true : list.split(","));
  if (flags.endsWith("<list>")) return (list) => parseNonEmpty(list).split(",");
  return flags.endsWith("<text>") || !flags.endsWith(">") ? undefined : parseNonEmpty;
}

/** Accepts only the choices, and aliases that messages do not list. */
export function parseChoice(choices: readonly string[], aliases: readonly string[] = []): ParseValue {
  return (value) => {
    if (choices.includes(value) || aliases.includes(value)) return value;
    throw new InvalidValue("", value); // the error lists them with the description of the option
  };
}

/** Accepts a comma-separated list of choices, and collects those of repeated options. */
function parseChoices(choices: readonly string[], aliases?: readonly string[]): ParseValue {
  const parse = parseChoice(choices, aliases);
  return (list, before) => [
    ...(Array.isArray(before) ? before : []),
    ...list.split(",").map((value) => parse(value.trim())),
  ];
}

function parseRepeatable(value: string, before: unknown): string[] {
  return [...(Array.isArray(before) ? before : []), parseNonEmpty(value)];
}

/** Rejects empty values: an unset variable in a script passes an empty argument, which would mean the current folder. */
function parseNonEmpty(value: string): string {
  if (value !== "") return value;
  throw new InvalidValue("it must not be empty");
}

/** Parses a positive integer. */
function parseCount(max = 999_999_999): ParseValue {
  return (value) => {
    if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= max) return Number(value);
    throw new InvalidValue(
      max === 999_999_999 ? "it must be a positive integer" : `it must be an integer from 1 to ${max}`,
    );
  };
}

/** Parses a duration in seconds, up to an hour. */
function parseSeconds(value: string): number {
  if (/^\d{1,4}(\.\d{1,3})?$/.test(value) && Number(value) > 0 && Number(value) <= 3600) return Number(value);
  throw new InvalidValue("it must be more than 0 and at most 3600 seconds");
}
