/**
 * pidex: the index of your pi sessions. The session files are the truth; the index only reads them and keeps one SQLite
 * file that can be deleted at any time. `SessionManager` writes sessions.
 *
 * @example
 * import { openIndex } from "pidex";
 *
 * const index = await openIndex();
 * await index.sync();
 * for (const session of (await index.listAll({ limit: 10 })).sessions) console.log(session.modified, session.firstMessage);
 * const { sessions } = await index.search("failing test");
 * await index.close();
 */

export type { SyncOptions, SyncProgress, SyncReport } from "../indexer/report.ts";
export type { VerifyOptions } from "../indexer/verify/verify.ts";
export type { Difference, VerifyReport } from "../indexer/verify/verify-answer.ts";
export type {
  FacetCount,
  Facets,
  FileProblem,
  FileTouch,
  FileTouches,
  Hit,
  HitLocation,
  Label,
  ScanHit,
  SessionHits,
  SessionInfo,
  Snippet,
  Stats,
  Totals,
  TreeEntry,
} from "../query/answers.ts";
export type { QueryCompletion, QueryCompletions } from "../query/complete.ts";
export type { LocatedEntry } from "../query/entries.ts";
export type { FieldName } from "../query/fields.ts";
export type { FileTouchList } from "../query/files.ts";
export type { ForkLocation, ForkLocations } from "../query/forks.ts";
export { formatTerm, formatValue, type TermToFormat } from "../query/format-term.ts";
export type {
  Blame,
  BlameLine,
  Commit,
  CommitSession,
  Commits,
  Confidence,
  Uncommitted,
  UncommittedFile,
} from "../query/git/git-answers.ts";
export type { BlameOptions, CommitsOptions, UncommittedOptions } from "../query/git/git-options.ts";
export type { Diagnosis, Finding } from "../query/health/diagnosis.ts";
export type {
  Finding as InsightFinding,
  Habit,
  InsightExample,
  Insights,
  ModelWork,
  ProjectWork,
} from "../query/insights/insight-answers.ts";
export type { InsightKind, InsightsOptions } from "../query/insights/insight-options.ts";
export type { SessionList } from "../query/list.ts";
export type {
  CompleteOptions,
  EntriesOptions,
  FilesOptions,
  ListOptions,
  ScanOptions,
  ScanPattern,
  SearchOptions,
} from "../query/options.ts";
export type { Outline, OutlineKind } from "../query/outline.ts";
export { type ParsedQuery, parseQuery } from "../query/parse-query.ts";
export type { ListedPrice, PriceRule } from "../query/prices/price-rule.ts";
export type {
  ContentBytes,
  KeepReason,
  KeptSession,
  PrunableSession,
  PruneOptions,
  PruneReview,
} from "../query/prune/prune-options.ts";
export type {
  FieldTerm,
  FieldValue,
  GroupNode,
  NotNode,
  QueryNode,
  QueryTerm,
  Span,
  TextTerm,
} from "../query/query-tree.ts";
export type { ScanProgress } from "../query/scan/scan.ts";
export type { ScanControl, ScanReport } from "../query/scan/scan-hits.ts";
export type { FlatSearchResult, SearchResult } from "../query/search/search.ts";
export type { SecretsControl, SecretsProgress, SecretsReport } from "../query/secrets/find-secrets.ts";
export type { SecretFinding, SecretsOptions } from "../query/secrets/secret-answers.ts";
export type { SqlAnswer } from "../query/sql/run-sql.ts";
export type { SqlCell } from "../query/sql/sql-messages.ts";
export type { SqlOptions } from "../query/sql/sql-options.ts";
export type { SqlView } from "../query/sql/sql-view.ts";
export type { IndexTotals } from "../query/stats.ts";
export { addFigures } from "../query/usage/figures.ts";
export type {
  BudgetStatus,
  Figures,
  SessionFigures,
  SessionUsage,
  Spending,
  UsageEvent,
  UsageGroup,
  UsageReport,
  UsageRow,
} from "../query/usage/usage-answers.ts";
export {
  type SpendingOptions,
  type SpendOptions,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageEventsOptions,
  type UsageOptions,
} from "../query/usage/usage-options.ts";
export { WEEKDAYS } from "../query/weekdays.ts";
export { type ErrorCode, PidexError } from "../src/errors.ts";
export { encodePath } from "../src/path-bytes.ts";
export {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  getLatestCompactionEntry,
  projectContextEntry,
  sessionEntryToContextMessages,
} from "../src/session/agent-context.ts";
export type { EntryContext } from "../src/session/context.ts";
export { CURRENT_SESSION_VERSION } from "../src/session/current-version.ts";
export type { DeletedFile, DeletedSession, DeleteOptions } from "../src/session/delete-session.ts";
export type { Block, Content, Entry, EntryId, Message, Usage } from "../src/session/entries.ts";
export { type NestedCall, type NestedCalls, parseNestedCalls } from "../src/session/nested-calls.ts";
export type { ProblemCode } from "../src/session/problems.ts";
export type { RestoredSession } from "../src/session/restore-session.ts";
export type * from "../src/session/session-types.ts";
export { type EntryText, extractEntryText } from "../src/session/text.ts";
export { buildTree, type EntryLink, type TreeNode } from "../src/session/tree.ts";
export type { CompressOptions, SessionSizes, WriteLimits } from "../src/session/writing/compress-session.ts";
export type { NewSessionOptions } from "../src/session/writing/create-session.ts";
export { findMostRecentSession } from "../src/session/writing/find-sessions.ts";
export { getDefaultSessionDir } from "../src/session/writing/folders.ts";
export { assertValidSessionId } from "../src/session/writing/ids.ts";
export {
  loadEntriesFromFile,
  migrateSessionEntries,
  parseSessionEntries,
} from "../src/session/writing/load.ts";
export { type Durability, SessionChangedError } from "../src/session/writing/session-file.ts";
export type { WritingOptions } from "../src/session/writing/session-writer.ts";
export { type DiagnoseOptions, diagnose } from "./diagnose.ts";
export type { HubIndex } from "./hub/hub-index.ts";
export { type OpenHubOptions, openHub } from "./hub/open-hub.ts";
export type { OpenIndexOptions } from "./index-options.ts";
export type { Index } from "./local-index.ts";
export { openIndex } from "./open-index.ts";
export type { CallOptions, ForksOptions } from "./query/call-options.ts";
export type { IndexQueries } from "./query/query-index.ts";
export {
  type CreateOptions,
  type OpenOptions,
  type ReadonlySessionManager,
  type SessionListOptions,
  type SessionListProgress,
  SessionManager,
} from "./session-manager.ts";
export type {
  ListTrashedOptions,
  RecentlyTrashed,
  RestoreOptions,
  TrashedSessionInfo,
} from "./session-trash.ts";
export { readUserPrices } from "./user-prices.ts";
export type { IndexWatch, SyncEvent, WatchOptions } from "./watch-index.ts";
