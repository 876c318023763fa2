/** Defines options for commander. */
import { type Argument, InvalidArgumentError, Option } from "commander";
import { getValueParser, InvalidValue, type ParseValue, parseChoice } from "./option-parsers.ts";
import type { OptionDefinition } from "./option-types.ts";
import { suggestValue } from "./suggest.ts";

const repeatable = new WeakSet<Option>();

export function createOption(definition: OptionDefinition): Option {
  const [flags, description, { choices, repeats, default: standard, env, conflicts, hidden } = {}] =
    definition;
  const option = new Option(flags, description);
  const parse = getValueParser(definition);
  if (choices) option.choices(choices);
  if (parse) option.argParser(forCommander(parse, choices));
  if (repeats) repeatable.add(option);
  if (standard !== undefined) option.default(standard);
  if (hidden) option.hideHelp();
  if (env !== undefined) option.env(env);
  return option.conflicts([...(conflicts ?? [])]);
}

/** Accepts only these values, of which help and error messages list the choices. */
export function acceptChoices(
  target: Argument,
  choices: readonly string[],
  aliases?: readonly string[],
): void {
  target.choices(choices).argParser(forCommander(parseChoice(choices, aliases), choices));
}

export function isRepeatable(option: Option): boolean {
  return repeatable.has(option);
}

/** @param choices the accepted values, if they are listed: the closest one is suggested */
function forCommander(parse: ParseValue, choices: readonly string[] = []): ParseValue {
  return (value, before) => {
    try {
      return parse(value, before);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const similar = suggestValue(error.part ?? value, choices);
      const suggestion = similar === undefined ? "" : `Did you mean ${similar}? `;
      throw new InvalidArgumentError(suggestion + error.message);
    }
  };
}
