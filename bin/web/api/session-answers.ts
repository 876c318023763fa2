/** The server's JSON responses about one session. Types only. */
import type { EntryId, FileProblem, Label, LocatedEntry, OutlineKind } from "../../../library/index.ts";
import type { ResumeCommand } from "../../actions/resume.ts";
import type { BriefSessionJson, JsonOf, SessionJson } from "./json.ts";

export type LocatedEntryJson = JsonOf<LocatedEntry>;

/** What a link to a session shows: the session and its cost. */
export interface SessionLink {
  session: BriefSessionJson & { created: string | null; model?: string };
  costUsd: number;
}

/** `/api/session`. */
export interface SessionAnswer {
  session: SessionJson;
  /** US dollars: spent by the session itself, inherited with copied entries, and spent by its subagents. */
  spend: { ownUsd: number; inheritedUsd: number; subagentsUsd: number; tokens: number };
  /** The session it was forked from, and its caller session; only a path if the session is not in the index. */
  parent?: SessionLink | { path: string };
  starter?: SessionLink | { path: string };
  forks: SessionLink[];
  subagents: SessionLink[];
  labels: JsonOf<Label>[];
  problems: { count: number; first: FileProblem[] };
  /** Undefined on a hub. */
  resume?: ResumeCommand & { whyNot?: { code: string; message: string; hint: string } };
  /** Seconds since the last write, if an agent may still be running. */
  secondsSinceWritten?: number;
}

/** A session that shares entries with the displayed one, and the line of the last shared entry in both files. */
export interface ForkLink {
  session: BriefSessionJson;
  line: number;
  lineThere: number;
}

/**
 * `/api/outline`: the tree of a session as columns, with one row for each entry in file order. `line`, `up` and `time` are
 * differences, which keeps the response small.
 */
export interface OutlineAnswer {
  /** The first row in the columns: the client already has the rows before it. */
  from: number;
  /** Number of rows in the tree. */
  count: number;
  /** Identifies the content of the rows. Sent back with `from`, it shows whether the client's rows are still valid. */
  mark: string;
  kinds: (OutlineKind & { word: string })[];
  kind: number[];
  /** Lines after the previous row. */
  line: number[];
  /** Rows up to the parent; 0 for a root. */
  up: number[];
  /** Milliseconds after the last previous row that has a time. */
  time: (number | null)[];
  /** Costs of model responses in millionths of a US dollar; 0 for others. */
  cost: number[];
  /** The ids of rows without children. */
  ends: [position: number, id: EntryId | null][];
  labels: [position: number, label: string][];
  /** The session files of subagents, by the row that names them. */
  runs: [position: number, path: string][];
  /** The rows of the entries requested as `at` and `leaf`. */
  at?: number;
  leaf?: number;
}
