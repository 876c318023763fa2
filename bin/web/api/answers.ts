/** The server's JSON responses, mostly the output of `pidex --json`. Types only. */
import type {
  Diagnosis,
  FacetCount,
  Facets,
  FileProblem,
  Hit,
  QueryCompletions,
  ScanHit,
  SearchResult,
  SessionInfo,
  SessionUsage,
  SyncProgress,
  UsageReport,
} from "../../../library/index.ts";
import type { SessionSummary } from "../../../library/internal.ts";

/** The type of a value after `JSON.stringify` and `JSON.parse`: dates become strings. */
export type JsonOf<T> = T extends Date
  ? string
  : T extends readonly (infer Each)[]
    ? JsonOf<Each>[]
    : T extends object
      ? { [Key in keyof T]: JsonOf<T[Key]> }
      : T;

export type SessionJson = JsonOf<Omit<SessionInfo, "allMessagesText">>;
export type BriefSessionJson = JsonOf<SessionSummary>;
export type { FacetCount, FileProblem, Hit };

/** `/api/list`: `pidex list --json`. */
export interface ListAnswer {
  sessions: SessionJson[];
  total: number;
  next?: string;
}

/** `/api/search`: `pidex search --json`. */
export type SearchAnswer = Omit<JsonOf<SearchResult>, "sessions" | "changedFiles"> & {
  sessions: { session: SessionJson; hits: Hit[]; hitCount: number }[];
};

/** One line of JSON from `/api/scan`. A session comes before its first hit. */
export type ScanEvent =
  | { session: SessionJson }
  | { hit: ScanHit }
  | { progress: { bytes: number; bytesDone: number } }
  | ErrorAnswer;

/** `/api/facets`: the number of hits for each value, or of sessions if the query is empty. */
export interface FacetsAnswer {
  facets: Facets;
  counted: "hits" | "sessions";
  /** Total hits and sessions. If `isWhole` is false, only the newest hits were counted. */
  totals?: NonNullable<SearchResult["totals"]>;
}

/** `/api/complete`. */
export type CompleteAnswer = QueryCompletions;

/** `/api/usage`: `pidex usage --json`. */
export interface UsageAnswer {
  usage: JsonOf<UsageReport>;
}

/** `/api/spend`: `pidex spend --json`. */
export interface SpendAnswer {
  spend: JsonOf<SessionUsage>;
}

/** `/api/doctor`: `pidex doctor --json`. */
export interface DoctorAnswer {
  diagnosis: JsonOf<Diagnosis>;
}

/** `/api/problems`. */
export interface ProblemsAnswer {
  problems: FileProblem[];
}

/** A segment of a line. */
export type LineSegment =
  | { kind: "text"; text: string }
  /** Invalid UTF-8, or a byte order mark: `ef bb bf`. */
  | { kind: "bytes"; hex: string }
  /** Where the line stops being JSON: the unexpected character, or "" if the line ends too early. */
  | { kind: "here"; text: string }
  /** The number of bytes omitted. */
  | { kind: "left"; bytes: number };

/** `/api/line`: the current content of a line. */
export interface LineAnswer {
  /** Starts at 1; 0 means the whole file. */
  line: number;
  byteOffset: number;
  /** Length in bytes; if `isWhole` is false, the bytes read so far. */
  bytes: number;
  isWhole: boolean;
  parts: LineSegment[];
}

/** A server-sent event of `/api/changes`. */
export type Change =
  /** A sync is running. */
  | { kind: "progress"; progress: SyncProgress }
  /** The index is up to date, and these files changed; without `paths`, any file may have. */
  | { kind: "synced"; paths?: string[]; changed: boolean }
  /** The index is not up to date, and why. */
  | { kind: "problem"; message: string };

/** The program that opened the page and issues sign-in links. */
export type LinkSource = "serve" | "picker";

/** `GET /api/sign-in`: where to get a link. */
export interface LinkSourceAnswer {
  linksFrom: LinkSource;
}

/** `POST /api/sign-in`: the key that the page then sends with every request, as `Authorization: Bearer KEY`. */
export interface SignInAnswer {
  key: string;
}

/** `POST /api/ticket`: an address that a browser can download from once, within half a minute. */
export interface TicketAnswer {
  address: string;
}

/** The body of an error response. */
export interface ErrorAnswer {
  error: { code: string; message: string; hint: string };
}
