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
export type SessionColumnName = (typeof SESSION_COLUMN_NAMES)[number];
