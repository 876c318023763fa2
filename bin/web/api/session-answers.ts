/** What the page is answered about one session. Types alone. */
import type {
  Deleted,
  EntryId,
  FileProblem,
  Label,
  PlacedEntry,
  Restored,
  SessionInfo,
} from "../../../library/index.ts";
import type { Organised } from "../../actions/organise.ts";
import type { ResumeCommand } from "../../actions/resume.ts";
import type { AsJson, BriefSessionJson, SessionJson } from "./answers.ts";

export type PlacedEntryJson = AsJson<PlacedEntry>;

/** A session and what it cost: as much as a link to it tells. */
export interface SessionLink {
  session: BriefSessionJson & { created: string | null; model?: string };
  costUsd: number;
}

/** `/api/session`. */
export interface SessionAnswer {
  session: SessionJson;
  /** US dollars: what it spent itself, what it holds copies of, what its subagents spent. */
  spend: { ownUsd: number; inheritedUsd: number; subagentsUsd: number; tokens: number };
  /** The session it was forked from, and the one that started it; a path alone where the index knows no such session. */
  parent?: SessionLink | { path: string };
  starter?: SessionLink | { path: string };
  forks: SessionLink[];
  subagents: SessionLink[];
  labels: AsJson<Label>[];
  problems: { count: number; first: FileProblem[] };
  resume: ResumeCommand & { whyNot?: string };
  /** So many seconds ago it was written, if that is so recent that an agent may be at work. */
  secondsSinceWritten?: number;
}

/** A session that has entries in common with the one that is shown, and the lines of the last of those in both. */
export interface ForkLink {
  session: BriefSessionJson;
  line: number;
  lineThere: number;
}

/** `/api/forks`: where it came off the one it was forked from, and where its newest forks came off it. */
export interface ForksAnswer {
  parent?: ForkLink;
  forks: ForkLink[];
}

/** `/api/candidates`: the sessions that an ambiguous id may mean. */
export interface CandidatesAnswer {
  sessions: SessionJson[];
}

/**
 * `/api/outline`: the tree of a session, a row for each entry in file order, in columns. `line`, `up` and `time` are
 * distances, which are short to write.
 */
export interface OutlineAnswer {
  /** The row the columns begin with: those before it are as who asks knows them. */
  from: number;
  /** All rows there are. */
  count: number;
  /** Says what those rows are: sent along with `from`, it tells whether they still are. */
  mark: string;
  kinds: { type: string; role?: string; word: string }[];
  kind: number[];
  /** Lines after the row before. */
  line: number[];
  /** Rows up to the one it hangs from; 0 for a root. */
  up: number[];
  /** Milliseconds after the last row before that tells a time. */
  time: (number | null)[];
  /** The ids of rows from which nothing hangs. */
  ends: [position: number, id: EntryId | null][];
  labels: [position: number, label: string][];
  /** The files of subagents' sessions, by the row that names them. */
  runs: [position: number, path: string][];
  /** The row of the entry that was asked for by `at`, or by `leaf`. */
  at?: number;
  leaf?: number;
}

/** `/api/entries`. */
export interface EntriesAnswer {
  entries: PlacedEntryJson[];
}

/** `/api/previews`: a line of words about each entry. */
export interface PreviewsAnswer {
  previews: { line: number; text: string }[];
}

/** `/api/hits`: the lines of the entries that are found in a session. */
export interface HitsAnswer {
  lines: number[];
}

/** `/api/rename`, `label`, `pin`, `archive` and `tag`: what `pidex name --json` and the like write. */
export interface OrganisedAnswer {
  sessions: Organised[];
}

/** `/api/restore`: what `pidex restore SESSION --json` writes, without the id. */
export interface RestoredAnswer {
  restored: Restored[];
}

/** `/api/trash`: what `pidex delete --json` writes, and whether `/api/restore` can undo it. */
export interface TrashedAnswer {
  deleted: (Deleted & { sessionId: SessionInfo["id"]; isRestorable: boolean })[];
}
