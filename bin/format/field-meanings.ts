import type { FieldName } from "../../query/fields.ts";

/** What each field of the query language finds, in one line. */
const MEANINGS: Readonly<Record<FieldName, string>> = {
  role: "author of a message: user, assistant, toolResult",
  type: "type of an entry: message, compaction, label",
  tool: "entries that call a tool, and its output",
  is: "named, forked, pinned, archived, compressed, error, current",
  since: "from a date or age on: 2026-01-31, 7d, yesterday",
  until: "before the end of a date or age",
  file: "entries that read or changed a file",
  label: "entries with a label that contains a text",
  name: "sessions with a name that contains a text",
  title: "sessions with a title that contains a text",
  tag: "sessions with a tag",
  project: "sessions of a project, by the end of its folder",
  cwd: "sessions in exactly this folder",
  agent: "sessions of an agent: pi, omp, openclaw",
  model: "sessions that used a model",
  provider: "sessions that used a provider",
  cost: "sessions by cost in dollars: >1, 1..5",
  messages: "sessions by number of messages: >50",
  session: "a session, by id or path",
  machine: "sessions of a machine, on a hub",
  person: "sessions of a person, on a hub",
};

/** All fields with their meanings. */
export const FIELD_MEANINGS: readonly (readonly [field: string, meaning: string])[] =
  Object.entries(MEANINGS);

const BY_COMPLETION: ReadonlyMap<string, string> = new Map(
  Object.entries(MEANINGS).map(([field, meaning]) => [`${field}:`, meaning]),
);

/** What the field of a completion such as `project:` finds; undefined for a value. */
export function getFieldMeaning(completion: string): string | undefined {
  return BY_COMPLETION.get(completion);
}
