// Apart from the columns, so that help and completions don't load the library.

/** The names of the columns of lists of sessions. */
export const SESSION_COLUMN_NAMES = [
  "id",
  "modified",
  "created",
  "messages",
  "cost",
  "project",
  "folder",
  "path",
  "title",
  "name",
  "tags",
  "model",
  "agent",
  "entries",
  "size",
  "machine",
  "person",
] as const;
/** Further fields of `--json`, which templates accept too. */
export const SESSION_FIELD_NAMES = [
  "cwd",
  "costUsd",
  "models",
  "messageCount",
  "entryCount",
  "userMessageCount",
  "assistantMessageCount",
  "labelCount",
  "problemCount",
  "firstMessage",
  "computedTitle",
  "parentSessionPath",
  "provider",
  "pinned",
  "archived",
  "compressed",
  "subagent",
  "internal",
  "startedBy",
] as const;
export type SessionFieldName = (typeof SESSION_FIELD_NAMES)[number];

export type SessionColumnName = (typeof SESSION_COLUMN_NAMES)[number];
