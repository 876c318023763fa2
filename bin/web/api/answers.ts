/** The server's JSON responses, mostly the output of `pidex --json`. Types only. */
import type {
  BudgetStatus,
  Commit,
  CommitSession,
  DeletedSession,
  Diagnosis,
  FacetCount,
  Facets,
  FileProblem,
  Hit,
  Insights,
  QueryCompletions,
  RestoredSession,
  ScanHit,
  SearchResult,
  SessionInfo,
  SessionSizes,
  SessionUsage,
  SyncProgress,
  UsageReport,
} from "../../../library/index.ts";
import type { SessionMetadata } from "../../actions/session-metadata.ts";
import type { toTrashedJson } from "../../actions/trashed-sessions.ts";
import type { NamedCall } from "../../format/call-files.ts";
import type { MessageEdits } from "../../format/file-edits.ts";
import type { BeforeJson, JsonOf, SessionJson } from "./json.ts";
import type { ForkLink, LocatedEntryJson, OutlineAnswer, SessionAnswer } from "./session-answers.ts";

export type { FacetCount, FileProblem, Hit };

/** The responses of the API by route. */
export interface Answers extends Record<"rename" | "label" | "pin" | "archive" | "tag", MetadataAnswer> {
  source: {
    /** The host of the hub whose sessions these are: `hub.example.org`; undefined for the sessions on this machine. */
    hub?: string | undefined;
    /** The setting: `200/month`. */
    budget?: string | undefined;
    /** The time zone of dates in queries. */
    timeZone: string;
  };
  /** `pidex list --json`. */
  list: { sessions: SessionJson[]; total: number; next?: string | undefined };
  /** `pidex search --json`. */
  search: Omit<JsonOf<SearchResult>, "sessions" | "changedFiles"> & {
    sessions: { session: SessionJson; hits: Hit[]; hitCount: number }[];
  };
  /** The number of hits and sessions for each value. */
  facets: {
    facets: Facets;
    /** Total hits and sessions. If `isWhole` is false, only the newest hits were counted. */
    totals?: NonNullable<SearchResult["totals"]>;
  };
  complete: QueryCompletions;
  /** The values in a query that no session has, each with queries that have one of the nearest values in its place. */
  unmatched: { values: { filter: string; value: string; instead: { value: string; query: string }[] }[] };
  /** `pidex usage daily --json`. */
  usage: { usage: JsonOf<UsageReport> };
  /** The state of the further budgets of the settings, `budgets`. That of `budget` is in `usage`. */
  budgets: { budgets: BudgetStatus[] };
  /** `pidex insights --json`. */
  insights: { insights: JsonOf<Insights> };
  /** `pidex spend --json`. */
  spend: { spend: JsonOf<SessionUsage> };
  /** `pidex doctor --json`. */
  doctor: { diagnosis: JsonOf<Diagnosis> };
  problems: { problems: FileProblem[] };
  /** The current content of a line. */
  line: {
    /** Starts at 1; 0 means the whole file. */
    line: number;
    byteOffset: number;
    /** Length in bytes; if `isWhole` is false, the bytes read so far. */
    bytes: number;
    isWhole: boolean;
    parts: LineSegment[];
  };
  session: SessionAnswer;
  /** Where the session was forked from its parent, and where its newest forks were forked from it. */
  forks: { parent?: ForkLink | undefined; forks: ForkLink[] };
  /** The commits of the repository in the session's working directory that contain edits of it, as in `pidex commit --session`. */
  commits: {
    repository: string;
    commits: (Pick<Commit, "commit" | "subject" | "committed"> &
      Pick<CommitSession, "lines" | "removed" | "confidence">)[];
  };
  /** The brief of a session, as `pidex handoff`, and its estimated length in tokens. */
  handoff: { text: string; tokens: number };
  /** The sessions that an ambiguous id matches. */
  candidates: { sessions: SessionJson[] };
  outline: OutlineAnswer;
  entries: { entries: LocatedEntryJson[] };
  /** A one-line preview of each entry. */
  previews: { previews: { line: number; text: string }[] };
  /** The tool calls of each entry. */
  calls: { calls: { line: number; calls: NamedCall[] }[] };
  /** The files that messages changed. */
  edits: { messages: MessageEdits[] };
  /** The lines of the entries in a session that match a query, and whether there may be more. */
  hits: { lines: number[]; more: boolean };
  /** The sizes of a session file in bytes, if it was compressed or restored; empty if it was as wanted already. */
  compress: { compressed: (SessionSizes & { sessionId: SessionInfo["id"] })[] };
  /** `pidex delete --json`, and whether `restore` can undo it. */
  trash: { deleted: (DeletedSession & { sessionId: SessionInfo["id"]; isRestorable: boolean })[] };
  /** `pidex trash --json`. */
  trashed: { trashed: ReturnType<typeof toTrashedJson>[] };
  /** `pidex restore SESSION --json`, without the id. */
  restore: { restored: RestoredSession[] };
  /** An address that a browser can download from once, within half a minute. */
  ticket: { address: string };
}
export type Route = keyof Answers;

/** `pidex name --json` and similar commands. */
interface MetadataAnswer {
  sessions: SessionMetadata[];
}

/** A response before it is sent. Those with the output of `pidex --json` have its schema version. */
export type Reply<R extends Route> = BeforeJson<Answers[R]> & { schema?: number };

/** One line of JSON from `/api/scan`. A session comes before its first hit, counts of what was found so far come from time to time, and last. */
export type ScanEvent =
  | { session: SessionJson }
  | { counts: Answers["facets"] }
  | { hit: ScanHit }
  | { progress: { bytes: number; bytesDone: number } }
  | ErrorAnswer;

/** A segment of a line. */
export type LineSegment =
  | { kind: "text"; text: string }
  /** Invalid UTF-8, or a byte order mark: `ef bb bf`. */
  | { kind: "bytes"; hex: string }
  /** Where the line stops being JSON: the unexpected character, or "" if the line ends too early. */
  | { kind: "here"; text: string }
  /** How many bytes of the line are not in the answer here. */
  | { kind: "omitted"; bytes: number };

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
  /** Of this run: a browser that stays signed in derives the key from it. */
  run: string;
}

/** `POST /api/sign-in`: the key that the page then sends with every request, as `Authorization: Bearer KEY`. */
export interface SignInAnswer {
  key: string;
  /** For browsers that stay signed in: the key of a later run is the HMAC-SHA256 of its `run` with this secret, in base64url. */
  secret?: string;
}

/** The body of an error response. */
export interface ErrorAnswer {
  error: { code: string; message: string; hint: string };
}
