/** What the page is answered: what `pidex --json` writes, as it is after it went through JSON. Types alone. */
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
  Spend,
  SyncProgress,
  UsageReport,
} from "../../../library/index.ts";
import type { BriefSession } from "../../../library/internal.ts";

/** A value as it is after JSON: times are texts. */
export type AsJson<T> = T extends Date
  ? string
  : T extends readonly (infer Each)[]
    ? AsJson<Each>[]
    : T extends object
      ? { [Key in keyof T]: AsJson<T[Key]> }
      : T;

export type SessionJson = AsJson<Omit<SessionInfo, "allMessagesText">>;
export type BriefSessionJson = AsJson<BriefSession>;
export type { FacetCount, FileProblem, Hit };

/** `/api/list`: `pidex list --json`. */
export interface ListAnswer {
  sessions: SessionJson[];
  total: number;
  next?: string;
}

/** `/api/search`: `pidex search --json`. */
export type SearchAnswer = Omit<AsJson<SearchResult>, "sessions" | "changedFiles"> & {
  sessions: { session: SessionJson; hits: Hit[]; hitCount: number }[];
};

/** What `/api/scan` tells, a line of JSON each: a session before its first hit. */
export type ScanEvent =
  | { session: SessionJson }
  | { hit: ScanHit }
  | { progress: { bytes: number; bytesDone: number } }
  | Failure;

/** `/api/facets`: how many hits there are of each value, or sessions where nothing is looked for. */
export interface FacetsAnswer {
  facets: Facets;
  counted: "hits" | "sessions";
  /** How many hits and sessions that are; where it is not whole, of the newest hits alone. */
  totals?: NonNullable<SearchResult["totals"]>;
}

/** `/api/complete`. */
export type CompleteAnswer = QueryCompletions;

/** `/api/usage`: `pidex usage --json`. */
export interface UsageAnswer {
  usage: AsJson<UsageReport>;
}

/** `/api/spend`: `pidex spend --json`. */
export interface SpendAnswer {
  spend: AsJson<Spend>;
}

/** `/api/doctor`: `pidex doctor --json`. */
export interface DoctorAnswer {
  diagnosis: AsJson<Diagnosis>;
}

/** `/api/problems`. */
export interface ProblemsAnswer {
  problems: FileProblem[];
}

/** A stretch of a line. */
export type LinePart =
  | { kind: "text"; text: string }
  /** Bytes that are no text, or a byte order mark: `ef bb bf`. */
  | { kind: "bytes"; hex: string }
  /** Where the line stops being JSON: the character that cannot stand there, none where the line ends too early. */
  | { kind: "here"; text: string }
  /** Bytes that are not shown. */
  | { kind: "left"; bytes: number };

/** `/api/line`: a line as the file has it now. */
export interface LineAnswer {
  /** From 1; 0 for the file as a whole. */
  line: number;
  byteOffset: number;
  /** How long it is; how much was read of it, where that is not the whole. */
  bytes: number;
  isWhole: boolean;
  parts: LinePart[];
}

/** What `/api/changes` tells, one after the other: see `Change`. */
export type Change =
  /** The index is being brought up to date. */
  | { kind: "progress"; progress: SyncProgress }
  /** It is, and these files changed; without `paths`, any may have. */
  | { kind: "synced"; paths?: string[]; changed: boolean }
  /** It is not, and why. */
  | { kind: "problem"; message: string };

/** What opens the page, and so gives out links to it. */
export type LinkSource = "serve" | "picker";

/** `GET /api/sign-in`: where to get a link. */
export interface LinkSourceAnswer {
  linksFrom: LinkSource;
}

/** `POST /api/sign-in`: what the page sends with each question from then on, as `Authorization: Bearer KEY`. */
export interface SignInAnswer {
  key: string;
}

/** `POST /api/ticket`: where a browser saves an answer from, once, within half a minute. */
export interface TicketAnswer {
  address: string;
}

/** What went wrong, and what to do about it. */
export interface Failure {
  error: { code: string; message: string; hint: string };
}
