import type { SessionInfo } from "../../library/index.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatDollars } from "../format/numbers.ts";
import { formatInteger, toOneLine } from "../format/safe.ts";
import { getMarks, getProjectName, shortId } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import { formatRelativeTime } from "../format/times.ts";
import { folderName, getSessionTitle } from "../format/titles.ts";
import type { SessionColumnName } from "./session-column-names.ts";
import type { Column } from "./table.ts";

/** A column of a list of sessions. */
export interface SessionColumn extends Omit<Column, "heading"> {
  /** On a terminal. */
  cell: (session: SessionInfo) => string;
  /** In pipes, templates and JSON. */
  value: (session: SessionInfo) => string | number | readonly string[] | null | undefined;
}

/** The maximum width of tags, in columns. */
const MAX_TAGS_WIDTH = 24;

const toModel = ({ provider, model }: SessionInfo) => [provider, model].filter(Boolean).join("/");
const toIso = (date: Date) => (Number.isNaN(date.getTime()) ? null : date.toISOString());

export const SESSION_COLUMNS: Readonly<Record<SessionColumnName, SessionColumn>> = {
  id: { style: "dim", cell: ({ id }) => shortId(id), value: ({ id }) => id },
  modified: {
    align: "right",
    omitOrder: 1,
    cell: ({ modified }) => formatRelativeTime(modified),
    value: ({ modified }) => toIso(modified),
  },
  created: {
    align: "right",
    omitOrder: 1,
    cell: ({ created }) => formatRelativeTime(created),
    value: ({ created }) => toIso(created),
  },
  messages: {
    align: "right",
    omitOrder: 4,
    cell: ({ messageCount }) => formatInteger(messageCount),
    value: ({ messageCount }) => messageCount,
  },
  cost: {
    align: "right",
    style: "green",
    omitOrder: 3,
    cell: ({ costUsd }) => (costUsd === undefined ? "" : formatDollars(costUsd)),
    value: ({ costUsd }) => costUsd,
  },
  project: { style: "cyan", omitOrder: 2, cell: getProjectName, value: ({ cwd }) => folderName(cwd) },
  folder: { style: "cyan", cell: ({ cwd }) => toOneLine(cwd), value: ({ cwd }) => cwd },
  path: { cell: ({ path }) => toOneLine(path), value: ({ path }) => path },
  title: {
    shrinksFirst: true,
    cell: (session) => [...getMarks(session), getSessionTitle(session)].join(" "),
    value: getSessionTitle,
  },
  name: { cell: ({ name = "" }) => toOneLine(name), value: ({ name }) => name },
  tags: {
    style: "green",
    omitOrder: 5,
    cell: ({ tags }) => truncate(toOneLine(tags.join(", ")), MAX_TAGS_WIDTH),
    value: ({ tags }) => tags,
  },
  model: {
    cell: (session) => toOneLine(toModel(session)),
    value: (session) => toModel(session) || undefined,
  },
  agent: { cell: ({ agent = "" }) => toOneLine(agent), value: ({ agent }) => agent },
  entries: {
    align: "right",
    cell: ({ entryCount }) => formatInteger(entryCount),
    value: ({ entryCount }) => entryCount,
  },
  size: { align: "right", cell: ({ size }) => formatBytes(size), value: ({ size }) => size },
  machine: { cell: ({ machine = "" }) => toOneLine(machine), value: ({ machine }) => machine },
  person: { cell: ({ person = "" }) => toOneLine(person), value: ({ person }) => person },
};

/** Headings that differ from the name of the column. */
const HEADINGS: Partial<Record<SessionColumnName, string>> = { messages: "MSGS" };

/** The columns of lists by default; tags only if there are any. */
const USUAL: readonly SessionColumnName[] = [
  "id",
  "modified",
  "messages",
  "cost",
  "project",
  "tags",
  "title",
];

/** Columns and rows of sessions for a terminal. Columns that `names` lists are never omitted. */
export function toSessionTable(
  sessions: readonly SessionInfo[],
  names: readonly SessionColumnName[] | undefined,
): { columns: Column[]; rows: string[][] } {
  const hasTags = sessions.some(({ tags }) => tags.length > 0);
  const shown = names ?? USUAL.filter((name) => name !== "tags" || hasTags);
  const columns = shown.map((name): Column => {
    const { cell: _, value: __, ...column } = SESSION_COLUMNS[name];
    return { ...column, ...(names && { omitOrder: 0 }), heading: HEADINGS[name] ?? name.toUpperCase() };
  });
  return {
    columns,
    rows: sessions.map((session) => shown.map((name) => SESSION_COLUMNS[name].cell(session))),
  };
}
