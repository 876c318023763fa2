import { findNearestWord } from "../src/nearest-word.ts";
import type { NumberRange } from "../src/store/conditions.ts";
import { findNearestMoment } from "./nearest-moment.ts";
import { parseMoment } from "./parse-moment.ts";
import { parseNumberRange } from "./parse-number-range.ts";

/**
 * What a field applies to:
 * - `entry`: every hit must satisfy it;
 * - `findable`: the hit, or else another entry of its session, must satisfy it, as with words;
 * - `session`: the hit's session must satisfy it.
 */
export type FieldLevel = "entry" | "findable" | "session";

/** The fields of the query language: `role:user`. */
const LEVELS = {
  role: "entry",
  type: "entry",
  tool: "entry",
  is: "entry",
  since: "entry",
  until: "entry",
  file: "findable",
  label: "findable",
  name: "session",
  title: "session",
  tag: "session",
  project: "session",
  cwd: "session",
  agent: "session",
  model: "session",
  provider: "session",
  cost: "session",
  messages: "session",
  session: "session",
  machine: "session",
  person: "session",
} as const satisfies Record<string, FieldLevel>;

export type FieldName = keyof typeof LEVELS;
export const FIELDS = Object.keys(LEVELS) as readonly FieldName[];

/** Other names of fields, which other search languages have. */
const SYNONYMS = new Map<string, FieldName>([
  ["after", "since"],
  ["before", "until"],
  ["path", "file"],
]);

/** Fields by what other programs call them. These names are words, for which a notice suggests the field. */
export const MEANT_FIELDS: ReadonlyMap<string, FieldName> = new Map([
  ["after", "since"],
  ["author", "role"],
  ["before", "until"],
  ["date", "since"],
  ["day", "since"],
  ["dir", "cwd"],
  ["folder", "cwd"],
  ["from", "since"],
  ["proj", "project"],
  ["repo", "project"],
  ["to", "until"],
]);

/** The field with a name or a synonym. */
export function findField(name: string): FieldName | undefined {
  return FIELDS.find((field) => field === name) ?? SYNONYMS.get(name);
}

export function getFieldLevel(field: FieldName): FieldLevel {
  return LEVELS[field];
}

const IS = ["named", "forked", "pinned", "archived", "compressed", "error", "current"] as const;

/** Every role that pi writes, and aliases, by their lowercase form. */
const ROLES = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["agent", "assistant"],
  ["toolresult", "toolResult"],
  ["bashexecution", "bashExecution"],
  ["pythonexecution", "pythonExecution"],
  ["filemention", "fileMention"],
  ["developer", "developer"],
  ["custom", "custom"],
  ["hookmessage", "custom"], // as version 2 called it
  ["branchsummary", "branchSummary"],
  ["compactionsummary", "compactionSummary"],
  ["system", "system"],
]);

const TYPES = [
  "message",
  "compaction",
  "branch_summary",
  "session_summary",
  "custom_message",
  "custom",
  "label",
  "session_info",
  "usage",
  "model_change",
  "thinking_level_change",
  "context_edit",
  "context_compaction",
  "title_change",
  "model_usage",
  "session_init",
  "child_usage_attributed",
];

/** The known values of a field with a fixed set of values; empty for other fields. */
export function getKnownValues(field: FieldName): readonly string[] {
  if (field === "role") return [...new Set(ROLES.values())];
  if (field === "is") return IS;
  return field === "type" ? TYPES : [];
}

/** One dollar in nano-dollars, the unit of costs. */
const NANO_DOLLARS = 1e9;

/** The numbers that a value of `cost:` or `messages:` allows, in nano-dollars or messages; undefined if it is invalid. */
export function parseFieldRange(field: "cost" | "messages", text: string): NumberRange | undefined {
  return parseNumberRange(
    field === "cost" ? text.replaceAll("$", "") : text,
    field === "cost" ? NANO_DOLLARS : 1,
  );
}

/** The canonical value of a field, or an error message. */
export type ParsedValue = { value: string } | { message: string; hint: string };

/** Parses one value of a field. */
export function parseFieldValue(field: FieldName, text: string): ParsedValue {
  switch (field) {
    case "role":
      return known(text, ROLES.get(text.toLowerCase()), field, [...ROLES.keys()], [...ROLES.values()]);
    case "type": {
      const type = text.toLowerCase().replaceAll("-", "_");
      return known(text, TYPES.includes(type) ? type : undefined, field, TYPES, TYPES);
    }
    case "is": {
      const value = IS.find((each) => each === text.toLowerCase());
      if (value) return { value };
      const beginning = text.length > 1 ? text.toLowerCase() : "\0";
      const meant = findNearestWord(text, IS) ?? IS.find((each) => each.startsWith(beginning));
      return {
        message: `unknown filter is:${text}`,
        hint: `${meant ? `Did you mean is:${meant}? ` : ""}Values are ${describeValues("is")}.`,
      };
    }
    case "since":
    case "until": {
      const time = parseMoment(text);
      if (time !== undefined) return { value: String(time) };
      const nearest = findNearestMoment(text)?.replaceAll(" ", "-");
      const suggestion = nearest === undefined ? "" : `Did you mean ${field}:${nearest}? `;
      const hint = `${suggestion}Write ${describeValues(field)}.`;
      const example = nearest === undefined ? `, try ${field}:7d` : "";
      return { message: `${field}:${text} is not a date, time or age${example}`, hint };
    }
    case "cost":
    case "messages": {
      if (parseFieldRange(field, text)) return { value: text };
      const [sign = ""] = /^(?:[<>]=?|=)/.exec(text) ?? [];
      const [noun, example] = field === "cost" ? ["an amount", "1.50"] : ["a number", "50"];
      const hint = `Write ${describeValues(field)}.`;
      return { message: `${field}:${text} is not ${noun}, try ${field}:${sign}${example}`, hint };
    }
    default:
      return { value: text };
  }
}

/**
 * Examples of a field with a value, or all of a field with few values.
 *
 * @param name the field, or its synonym
 */
export function describeValues(field: FieldName, name: string = field): string {
  switch (field) {
    case "is":
      return IS.map((each) => `${name}:${each}`).join(", ");
    case "since":
    case "until":
      return `${name}:2026-01-31, ${name}:7d, ${name}:yesterday, ${name}:last-week or ${name}:"3 days ago"`;
    case "cost":
    case "messages": {
      const [low, high] = field === "cost" ? ["0.5", "2"] : ["10", "50"];
      return `${name}:>${high}, ${name}:<=${low}, ${name}:${low}..${high} or ${name}:${high}.. (quoted in a shell)`;
    }
    default:
      return `${name}:value`;
  }
}

/** Agents may write roles and types that pidex does not know, so only values that look like typos are rejected. */
function known(
  text: string,
  canonical: string | undefined,
  field: string,
  spellings: readonly string[],
  shown: readonly string[],
): ParsedValue {
  if (canonical) return { value: canonical };
  const meant = findNearestWord(text, spellings);
  if (!meant) return { value: text };
  const hint = `Did you mean ${field}:${meant}? Known values: ${[...new Set(shown)].join(", ")}.`;
  return { message: `unknown ${field} "${text}"`, hint };
}

/** Whether a value belongs to a field's fixed set of values: `user` of `role`, `error` of `is`. */
export function isKnownValue(field: FieldName, value: string): boolean {
  const lower = value.toLowerCase();
  if (field === "role") return ROLES.has(lower);
  if (field === "is") return IS.some((each) => each === lower);
  return field === "type" && TYPES.includes(lower);
}

/** Whether a word after a field and a space was probably meant as its value: `role: user`, `cost: >1`, `since: 7d`. */
export function isLikelyValue(field: FieldName, word: string): boolean {
  if (field === "cost" || field === "messages") {
    return /[<>=]|\.\./.test(word) && parseFieldRange(field, word) !== undefined;
  }
  if (field === "since" || field === "until") return /\d/.test(word) && parseMoment(word) !== undefined;
  return isKnownValue(field, word);
}

/** Words that differ from a field name by one letter but are common in pasted settings. */
export const NOT_TYPOS: readonly string[] = ["mode", "til", "message", "costs"];

/** Whether a name is a field name with one letter missing, one added, or two neighbors swapped. */
export function isTypoOf(name: string, field: string): boolean {
  if (field.length < 4 || NOT_TYPOS.includes(name)) return false;
  const without = (word: string) => Array.from(word, (_, n) => word.slice(0, n) + word.slice(n + 1));
  if (without(name).includes(field) || without(field).includes(name)) return true;
  return Array.from(name).some(
    (letter, n) =>
      name.slice(0, n) + (name[n + 1] ?? "") + letter + name.slice(n + 2) === field && name !== field,
  );
}
