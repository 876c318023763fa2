import { PidexError, type SessionInfo } from "../../library/index.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatCents, formatExactDollars } from "../format/numbers.ts";
import { formatInteger, toField, toOneLine } from "../format/safe.ts";
import { getMarks, getProjectName, shortId } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import { formatRelativeTime } from "../format/times.ts";
import { folderName, getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { requireKnown } from "./select-fields.ts";
import {
  SESSION_COLUMN_NAMES,
  SESSION_FIELD_NAMES,
  type SessionColumnName,
  type SessionFieldName,
} from "./session-column-names.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

/** A column of a list of sessions. */
export interface SessionColumn extends Omit<Column, "heading"> {
  /** On a terminal. */
  cell: (session: SessionInfo) => string;
  /** In JSON. */
  value: (session: SessionInfo) => string | number | readonly string[] | null | undefined;
  /** In pipes and templates, if it differs from `value`. */
  text?: (session: SessionInfo) => string;
}

/** The maximum width of tags, in columns. */
const MAX_TAGS_WIDTH = 24;

/** Projects and tags are cut to this width before titles are. */
const SHORT_WIDTH = 12;
/** Enough to tell titles apart: on narrow terminals, they are worth more than other columns. */
const TITLE_WIDTH = 30;

const toModel = ({ provider, model }: SessionInfo) => [provider, model].filter(Boolean).join("/");
const toIso = (date: Date) => (Number.isNaN(date.getTime()) ? null : date.toISOString());

export const SESSION_COLUMNS: Readonly<Record<SessionColumnName, SessionColumn>> = {
  id: { style: "dim", isNeverCut: true, cell: ({ id }) => shortId(id), value: ({ id }) => id },
  modified: {
    align: "right",
    isNeverCut: true,
    omitOrder: 1,
    cell: ({ modified }) => formatRelativeTime(modified),
    value: ({ modified }) => toIso(modified),
  },
  created: {
    align: "right",
    isNeverCut: true,
    omitOrder: 1,
    cell: ({ created }) => formatRelativeTime(created),
    value: ({ created }) => toIso(created),
  },
  messages: {
    align: "right",
    isNeverCut: true,
    omitOrder: 4,
    cell: ({ messageCount }) => formatInteger(messageCount),
    value: ({ messageCount }) => messageCount,
  },
  cost: {
    align: "right",
    isNeverCut: true,
    style: "green",
    omitOrder: 2,
    cell: ({ costUsd }) => (costUsd ? formatCents(costUsd) : ""), // 0 is also that no cost was recorded
    value: ({ costUsd }) => costUsd,
    text: ({ costUsd }) => (costUsd === undefined ? "" : formatExactDollars(Math.round(costUsd * 1e9))),
  },
  project: {
    style: "cyan",
    comfortableWidth: SHORT_WIDTH,
    omitOrder: 3,
    cell: getProjectName,
    value: ({ cwd }) => folderName(cwd),
  },
  folder: { style: "cyan", cell: ({ cwd }) => toOneLine(cwd), value: ({ cwd }) => cwd },
  path: { cell: ({ path }) => toOneLine(path), value: ({ path }) => path },
  title: {
    shrinksFirst: true,
    comfortableWidth: TITLE_WIDTH,
    cell: (session) => [...getMarks(session), getSessionTitle(session)].join(" "),
    value: getSessionTitle,
  },
  name: { cell: ({ name = "" }) => toOneLine(name), value: ({ name }) => name },
  tags: {
    style: "green",
    comfortableWidth: SHORT_WIDTH,
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
    isNeverCut: true,
    cell: ({ entryCount }) => formatInteger(entryCount),
    value: ({ entryCount }) => entryCount,
  },
  size: {
    align: "right",
    isNeverCut: true,
    cell: ({ size }) => formatBytes(size),
    value: ({ size }) => size,
  },
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
    const { cell: _, value: __, text: ___, ...column } = SESSION_COLUMNS[name];
    return { ...column, ...(names && { omitOrder: 0 }), heading: HEADINGS[name] ?? name.toUpperCase() };
  });
  return {
    columns,
    rows: sessions.map((session) => shown.map((name) => SESSION_COLUMNS[name].cell(session))),
  };
}

/** The columns with these names. @throws PidexError `BAD_OPTION` for an unknown one */
export function parseColumns(names: readonly string[]): SessionColumnName[] {
  return requireKnown(names, SESSION_COLUMN_NAMES, { option: "--columns", one: "column", many: "Columns" });
}

/** How `--columns` or `--format` print sessions. */
export interface SessionShape {
  names: readonly (SessionColumnName | SessionFieldName)[];
  /** Text for a terminal or a pipe. */
  format: (io: Io, sessions: readonly SessionInfo[]) => string;
}

/** The form that the flags select; undefined for the usual one. @throws PidexError `BAD_OPTION` for an unknown column */
export function parseShape({
  columns,
  format,
}: Pick<Flags<"list">, "columns" | "format">): SessionShape | undefined {
  if (format !== undefined) return parseTemplate(format);
  if (columns === undefined) return undefined;
  const names = parseColumns(columns);
  return {
    names,
    format(io, sessions) {
      if (!io.isTerminal) {
        return sessions.map((session) => formatRow(names.map((name) => toText(name, session)))).join("");
      }
      const table = toSessionTable(sessions, names);
      return formatTable(io, table.columns, table.rows);
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\\\": "\\" };

/** Parses a template: `{id} {title}`, with `\t`, `\n` and `\\`. Each session is followed by a new line. */
function parseTemplate(template: string): SessionShape {
  const parts = template.replace(/\\[nt\\]/g, (sequence) => ESCAPES[sequence] as string).split(/\{(\w+)\}/);
  const written = parts.filter((_, n) => n % 2 === 1);
  if (written.length === 0) {
    const hint = "Write a template such as '{id} {title}'. For JSON use --json, for columns --columns.";
    throw new PidexError("BAD_OPTION", `--format: no {column} in ${JSON.stringify(template)}`, hint);
  }
  const names = requireKnown(written, [...SESSION_COLUMN_NAMES, ...SESSION_FIELD_NAMES], {
    option: "--format",
    one: "column",
    many: "Columns",
  });
  const fill = (session: SessionInfo) =>
    parts
      .map((part, n) =>
        n % 2 === 1 ? toField(toText(part as SessionColumnName | SessionFieldName, session)) : part,
      )
      .join("");
  return { names, format: (_, sessions) => sessions.map((session) => `${fill(session)}\n`).join("") };
}

function toText(name: SessionColumnName | SessionFieldName, session: SessionInfo): string {
  if (name === "costUsd") return toText("cost", session);
  if (!(name in SESSION_COLUMNS)) return String(session[name as SessionFieldName] ?? "");
  const { text, value } = SESSION_COLUMNS[name as SessionColumnName];
  return text ? text(session) : String(value(session) ?? "");
}
