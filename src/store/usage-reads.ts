import type { EventTable, SessionTable, Sums, UsageSeriesTable } from "./schema.ts";

/**
 * Reads of usage. Every billable event counts once, in the session that owns it: the first one with a copy of it, among those that
 * the reader may see.
 */
export interface UsageReads {
  /** Adds the usage of the selected events and tool calls to the sums that the query's targets return. */
  sum(query: SumQuery): Promise<void>;
  /**
   * What sessions cost by themselves, by file, in nano-dollars: the events that they own, without their subagents. Sessions without
   * usage are missing.
   *
   * @param files the sessions to read, at least; all by default
   */
  sessionCosts(files?: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * The usage of the events that a session only has copies of, as counted in the sessions that own them.
   *
   * @param subagents as in `SumQuery`
   */
  sumCopies(file: number, subagents: ReadonlySet<number>): Promise<CopiedUsage>;
  /**
   * The events that `sum` adds up for the same selection, by time, page by page.
   *
   * @throws PidexError `FILE_CHANGED` if files are read again before the end
   */
  events(query: EventQuery): AsyncGenerator<UsageEventRow[]>;
  /** All sessions, with the sessions that recorded a subagent run with their file. */
  members(): Promise<MemberRow[]>;
  /** The files of subagents: those in subagents' folders, and those that another session records as a subagent run. */
  subagentFiles(): Promise<readonly number[]>;
  /** The models of all series. */
  models(): Promise<ModelRow[]>;
  /** What names these sessions, in any order. */
  sessionNames(files: readonly number[]): Promise<SessionNameRow[]>;
  /** Number of files with usage that is not counted yet: they were indexed by an older version, or only in part. */
  countUnread(): Promise<number>;
}

/** The dimensions of a sum, besides file and time. Tool calls have the kind of the model response that made them. */
export interface UsageSeries extends Omit<UsageSeriesTable, "id"> {
  isCall: boolean;
}

/** The sums that a series in a file is added to, by number of the period; undefined skips the series. */
export type SumTarget = ((period: number) => Sums) | undefined;

/**
 * Called once for each series. Files other than subagents' should share one function if their sums have the same targets: there
 * are thousands of files with tens of series each.
 */
export type SeriesTarget = (series: UsageSeries) => SumTarget;

/** A number for the period that contains a quarter of an hour, and the first quarter after it. */
export interface NumberedPeriod {
  period: number;
  until: number;
}

export interface SumQuery {
  /** The files to read; undefined for all. */
  files?: ReadonlySet<number> | undefined;
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
  /** Subagents' files: users' messages there are the subagents' tasks, and are skipped. */
  subagents: ReadonlySet<number>;
  /** Whether `target` distinguishes files other than subagents'. */
  isByFile?: boolean;
  /** Whether `target` distinguishes series. */
  isBySeries: boolean;
  /** Called once for each file that is distinguished, and once for all others, with any number. */
  target: (file: number) => SeriesTarget;
  /** The periods to distinguish; by default all time is period 0. */
  periodAt?: ((quarter: number) => NumberedPeriod) | undefined;
}

export interface CopiedUsage {
  sums: Sums;
  /** The cost of the copied events by the file of their owner, in nano-dollars. */
  costs: ReadonlyMap<number, number>;
}

export interface EventQuery extends Pick<SumQuery, "files" | "since" | "until"> {
  /** Whether to include users' messages, which cost nothing. */
  withTurns: boolean;
  /** Leaves `calls`, `failed` and `copies` at 0 and empty, which takes half the time. */
  isBrief?: boolean;
  /** Whether to include events of a series in a file. The series of an event has no stop reason here. */
  matches: (series: UsageSeries, file: number) => boolean;
}

/** An event at the occurrence that counts, with the figures that count. */
export interface UsageEventRow extends Omit<EventTable, "entry" | "key" | "instance" | "attribution"> {
  path: string;
  line: number;
  byte_offset: number;
  entry_id: string | number | null;
  session_id: string;
  provider: string;
  model: string;
  /** 1 on the current branch. */
  current: number;
  /** Tool calls of a model response, with those made by scripts that it called. */
  calls: number;
  failed: number;
  /** The other occurrences, by path and line. */
  copies: { path: string; line: number }[];
}

/** A session, and the session that started it. */
export interface MemberRow {
  file: number;
  path: string;
  cwd: string;
  /** 1 if its file is in a subagents' folder, or `caller` is known. */
  subagent: number;
  /** The session that recorded a subagent run with this file, the first created if there are several; null if none did. */
  caller: number | null;
  /** Of that run. */
  agent: string | null;
  /** The tool that started the run. */
  tool: string | null;
  /** In a hub, the names of the machine with the file, and of its person. */
  machine?: string | null;
  person?: string | null;
}

export interface ModelRow {
  id: number;
  provider: string;
  model: string;
}

export type SessionNameRow = Pick<
  SessionTable,
  "file_id" | "id" | "name" | "first_message" | "computed_title"
>;
