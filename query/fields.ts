import { nearestWord } from "../src/nearest-word.ts";
import { timeOfMoment } from "./moment.ts";

/** What a query can ask of besides words: `role:user`. */
export const FIELDS = [
  "role",
  "type",
  "tool",
  "is",
  "since",
  "until",
  "file",
  "label",
  "name",
  "tag",
  "project",
  "cwd",
  "agent",
  "model",
  "provider",
  "session",
] as const;
export type FieldName = (typeof FIELDS)[number];

/**
 * What a field is asked of:
 * - `entry`: each hit must meet it: what `role:user` finds was said by the user;
 * - `findable`: the hit meets it, or else another entry of the session, as with words;
 * - `session`: the hit's session must meet it.
 */
export type FieldLevel = "entry" | "findable" | "session";

const LEVELS: Record<FieldName, FieldLevel> = {
  role: "entry",
  type: "entry",
  tool: "entry",
  is: "entry",
  since: "entry",
  until: "entry",
  file: "findable",
  label: "findable",
  name: "session",
  tag: "session",
  project: "session",
  cwd: "session",
  agent: "session",
  model: "session",
  provider: "session",
  session: "session",
};

export function fieldLevel(field: FieldName): FieldLevel {
  return LEVELS[field];
}

const IS = ["named", "forked", "pinned", "archived", "error", "current"] as const;

/** Every role pi writes, and shorter names for some. */
const ROLES: Record<string, string> = {
  user: "user",
  assistant: "assistant",
  agent: "assistant",
  toolresult: "toolResult",
  bashexecution: "bashExecution",
  pythonexecution: "pythonExecution",
  filemention: "fileMention",
  developer: "developer",
  custom: "custom",
  hookmessage: "custom", // as version 2 called it
  branchsummary: "branchSummary",
  compactionsummary: "compactionSummary",
  system: "system",
};

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

/** The values that a field with few values can have, as pidex knows them; none for the others. */
export function knownValues(field: FieldName): readonly string[] {
  if (field === "role") return [...new Set(Object.values(ROLES))];
  if (field === "is") return IS;
  return field === "type" ? TYPES : [];
}

/** A value of a field as the query means it, or what is wrong with it. */
export type ReadValue = { value: string } | { wrong: string; hint: string };

/** Reads one value of a field: its canonical spelling, or why it is none. */
export function readValue(field: FieldName, text: string): ReadValue {
  switch (field) {
    case "role":
      return known(
        text,
        Object.hasOwn(ROLES, text.toLowerCase()) ? ROLES[text.toLowerCase()] : undefined,
        field,
        Object.keys(ROLES),
        Object.values(ROLES),
      );
    case "type": {
      const type = text.toLowerCase().replaceAll("-", "_");
      return known(text, TYPES.includes(type) ? type : undefined, field, TYPES, TYPES);
    }
    case "is": {
      const value = IS.find((each) => each === text.toLowerCase());
      if (value) return { value };
      return { wrong: `is:${text} is no question`, hint: `Ask is:${IS.join(", is:")}.` };
    }
    case "since":
    case "until": {
      const time = timeOfMoment(text);
      if (time !== undefined) return { value: String(time) };
      const hint = `Write ${field}:2026-01-31, ${field}:2026-01-31T09:30, or an age: ${field}:7d, 12h, 2w, 1y.`;
      return { wrong: `${field}:${text} is no time`, hint };
    }
    default:
      return { value: text };
  }
}

/** Agents may know more roles and types than we do: only what looks like a slip is refused. */
function known(
  text: string,
  canonical: string | undefined,
  field: string,
  spellings: readonly string[],
  shown: readonly string[],
): ReadValue {
  if (canonical) return { value: canonical };
  const meant = nearestWord(text, spellings);
  if (!meant) return { value: text };
  const hint = `Did you mean ${field}:${meant}? There are ${[...new Set(shown)].join(", ")}.`;
  return { wrong: `there is no ${field} "${text}"`, hint };
}

/** Whether a value is one of the few that a field with few values can have: `user` of `role`, `error` of `is`. */
export function isClosed(field: FieldName, value: string): boolean {
  const small = value.toLowerCase();
  if (field === "role") return Object.hasOwn(ROLES, small);
  if (field === "is") return IS.some((each) => each === small);
  return field === "type" && TYPES.includes(small);
}

/** Words of their own that look like slips, and stand in settings people paste. */
const NO_SLIPS = ["mode", "til"];

/** Whether a name is a field's with one letter missing or too many, or with two in each other's place. */
export function isSlipOf(name: string, field: string): boolean {
  if (field.length < 4 || NO_SLIPS.includes(name)) return false;
  const without = (word: string) => Array.from(word, (_, n) => word.slice(0, n) + word.slice(n + 1));
  if (without(name).includes(field) || without(field).includes(name)) return true;
  return Array.from(name).some(
    (letter, n) =>
      name.slice(0, n) + (name[n + 1] ?? "") + letter + name.slice(n + 2) === field && name !== field,
  );
}
