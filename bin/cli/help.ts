/** Text that commander's help lacks, and its layout on narrow terminals. */
import { type Argument, type Command, Help, type Option } from "commander";
import { measureWidth, wrapLines } from "../format/text.ts";
import type { CommandName } from "./commands.ts";
import { EXAMPLES } from "./examples.ts";
import type { Io } from "./io.ts";
import { PIPED_COLUMNS } from "./piped-columns.ts";

/** Descriptions with fewer columns than this are placed below their option or command. */
const MIN_DESCRIPTION_WIDTH = 20;
const INDENT = "  ";

/** An option, argument or command with its description beside it, or below it if the terminal is narrow. */
export function formatItem(
  this: Help,
  term: string,
  termWidth: number,
  description: string,
  helper: Help,
): string {
  const width = this.helpWidth ?? 80;
  const room = width - termWidth - 2 * INDENT.length;
  if (description !== "" && room < MIN_DESCRIPTION_WIDTH) {
    return wrapHanging(`${INDENT}${term}`, width) + wrapLines(`\n${INDENT.repeat(3)}${description}`, width);
  }
  const margin = `\n${" ".repeat(termWidth + 2 * INDENT.length)}`;
  const text = helper.boxWrap(description, room).replaceAll("\n", margin);
  return `${INDENT}${term.padEnd(termWidth)}${INDENT}${text}`.trimEnd();
}

/** The options that help has in the line of the option that they negate, by that option. */
const negations = new WeakMap<Option, Option>();

/** Makes help show an option and its negation in one line. */
export function pairInHelp(option: Option, negation: Option): void {
  negations.set(option, negation);
}

/** The options that help lists. */
export function listOptions(this: Help, command: Command): Option[] {
  const options = Help.prototype.visibleOptions.call(this, command);
  const paired = new Set(options.map((option) => negations.get(option)));
  return options.filter((option) => !paired.has(option));
}

/** `--[no-]named` for an option that is shown with its negation. */
export function formatOptionTerm(option: Option): string {
  return negations.has(option) ? option.flags.replace("--", "--[no-]") : option.flags;
}

/** The description of an option with its choices and its default: `Sort by this key: name, size (default: name)`. */
export function describeOption(option: Option): string {
  const { defaultValue, envVar } = option;
  return addChoices(option, typeof defaultValue === "number" ? String(defaultValue) : undefined, envVar);
}

/** The description of an argument with its choices. */
export function describeArgument(argument: Argument): string {
  return addChoices(argument);
}

function addChoices({ description, argChoices }: Option | Argument, standard?: string, env?: string): string {
  const [, text = "", written = standard] = /^(.*?)(?: \(default: ([^()]*)\))?$/s.exec(description) ?? [];
  const choices = argChoices ? `: ${argChoices.join(", ")}` : "";
  const defaults = [env && `$${env}`, written].filter(Boolean).join(" or ");
  return `${text}${choices}${defaults && ` (default: ${defaults})`}`;
}

/** What follows the options of a command: aliases, its own text, columns in a pipe, and examples. */
export function formatMore(io: Io, name: CommandName, aliases: readonly string[], help: string): string {
  const shown =
    aliases.length === 0 ? "" : `\nAliases:\n  ${aliases.map((each) => `pidex ${each}`).join(", ")}\n`;
  const text = `${shown}${help && `${help}\n`}${formatPipedColumns(name)}\n${formatExamples(name)}`;
  return formatHelpText(io, text);
}

function formatPipedColumns(name: CommandName): string {
  const lines = Object.entries(PIPED_COLUMNS[name] ?? {}).map(
    ([option, columns]) => `${option && `${option}: `}${columns.join(", ")}`,
  );
  const [first, ...more] = lines;
  if (first === undefined) return "";
  if (more.length === 0) return `\nTab-separated in a pipe: ${first}\n`;
  return `\nTab-separated columns in a pipe:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function formatExamples(name: CommandName): string {
  return `Examples:\n${EXAMPLES[name].map(([line, description]) => `  # ${description}\n  $ ${line}`).join("\n")}`;
}

/** The text wrapped to the terminal, except commands, which are copied. Lines that begin at the margin and end in a colon are titles. */
export function formatHelpText(io: Io, text: string): string {
  return text
    .split("\n")
    .map((line) => (line.startsWith("  $ ") ? line : wrapHanging(line, io.columns)))
    .join("\n")
    .replace(/^\w[^\n]*:$/gm, (title) => io.style("bold", title));
}

/** A line wrapped between words; if it is indented, the lines that continue it are indented further. */
function wrapHanging(line: string, columns: number): string {
  const [indent = ""] = /^ */.exec(line) ?? [];
  if (measureWidth(line) <= columns || indent === "") return wrapLines(line, columns);
  const margin = indent + INDENT;
  return indent + wrapLines(line.trimStart(), columns - margin.length).replaceAll("\n", `\n${margin}`);
}
