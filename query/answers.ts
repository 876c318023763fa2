/**
 * JSON output as zod schemas: the contract of every surface. docs/json.md is generated from them. Dates are ISO times in UTC;
 * the library returns `created` and `modified` as Date.
 */
import { z } from "zod";
import { TouchAction } from "./options.ts";

export const EntryIdJson = z
  .union([z.string(), z.number(), z.null()])
  .describe("the entry's id; null if it has none");
export const IsoTimeJson = z.iso.datetime();

export const SessionInfoJson = z
  .object({
    path: z.string().describe("the session file"),
    id: z.string().describe("the session's id, from its header; unique within a working directory only"),
    cwd: z.string().describe("working directory; empty if the header has none"),
    agent: z
      .string()
      .optional()
      .describe(
        "the agent that wrote it, derived from the file's folder: pi, atomic, omp, prime-agent, openclaw, gsd, or the NAME of ~/.NAME/agent",
      ),
    name: z.string().optional().describe("the latest name, set by the user or the agent"),
    parentSessionPath: z
      .string()
      .optional()
      .describe("the session that this one was forked from, according to its header"),
    created: IsoTimeJson.nullable().describe("the header's time; null if invalid"),
    modified: IsoTimeJson.describe(
      "time of the newest user or assistant message, else the header's, else the file's",
    ),
    costUsd: z
      .number()
      .optional()
      .describe(
        "in lists and with `costs`: what the session cost by itself, as `own` of `pidex spend`, in US dollars",
      ),
    models: z
      .array(z.string())
      .optional()
      .describe(
        "with `models`, and in `--json models` of `list` and `search`: the models of its responses as provider/model, most used first",
      ),
    messageCount: z.int().describe("entries of type message, tool results included"),
    firstMessage: z.string().describe('the first text of the user, or "(no messages)"'),
    computedTitle: z
      .string()
      .optional()
      .describe(
        "the title of a session without a name, computed from what the user asked for: docs/cli.md#titles",
      ),
    title: z
      .string()
      .optional()
      .describe(
        "of `pidex list`, `search`, `files`, `show`, `tree` and `resume`: the title that lists show, on one line: `name`, else `computedTitle`",
      ),
    allMessagesText: z
      .string()
      .optional()
      .describe("all user and assistant text; on the command line only with --text"),
    entryCount: z.int().describe("entries of every type"),
    userMessageCount: z.int(),
    assistantMessageCount: z.int(),
    provider: z.string().optional().describe("provider of the last model"),
    model: z.string().optional().describe("the last model"),
    size: z.int().describe("the file's size in bytes"),
    labelCount: z.int().describe("entries that currently have a label"),
    pinned: z.boolean().describe("true if the user pinned it"),
    archived: z.boolean().describe("true if the user archived it; lists exclude it by default"),
    compressed: z
      .boolean()
      .describe("true if `pidex prune --compress` compressed its file; `path` and `size` stay as they were"),
    tags: z.array(z.string()).describe("its tags, in the order they were added"),
    problemCount: z.int().describe("number of problems in the file"),
    subagent: z.boolean().describe("true if a subagent wrote it"),
    internal: z.boolean().describe("true if the agent created it for internal use, as Atomic's workflows do"),
    machine: z.string().optional().describe("from a hub: the machine with the session file"),
    person: z.string().optional().describe("from a hub: the owner of that machine"),
    startedBy: z
      .string()
      .optional()
      .describe("for a subagent's session, the session that started it, if known"),
  })
  .meta({ title: "Session" });

export const SnippetJson = z
  .object({
    text: z.string().describe("text around the match, on one line"),
    ranges: z
      .array(z.tuple([z.int(), z.int()]))
      .describe("matches in `text`: start and end (exclusive), in UTF-16 units"),
  })
  .meta({ title: "Snippet" });

export const HitLocationJson = z
  .object({
    path: z.string().describe("the session file"),
    sessionId: z.string(),
    line: z.int().describe("line number in the file, from 1"),
    byteOffset: z.int().describe("byte offset of that line in the file"),
    onCurrentBranch: z
      .boolean()
      .describe("true if the entry is on the path from the root to the session's last entry"),
  })
  .meta({ title: "Location" });

const { path, sessionId, line, byteOffset, onCurrentBranch } = HitLocationJson.shape;
const corrected = z.array(z.object({ from: z.string(), to: z.string() }));

export const HitJson = z
  .object({
    path,
    sessionId,
    entryId: EntryIdJson,
    line,
    byteOffset,
    type: z.string().describe("the entry's type"),
    role: z.string().optional().describe("the message's role, for messages"),
    timestamp: IsoTimeJson.optional(),
    onCurrentBranch,
    alsoIn: z.array(HitLocationJson).describe("locations of its copies in forks"),
    crossEntry: z
      .boolean()
      .describe(
        "true if the entry matches only part of the query, and other entries of its session match the rest",
      ),
    part: z
      .enum(["message", "thinking", "call", "output"])
      .describe("the part that matched: a message, thinking, a tool call or command, or its output"),
    score: z.number().describe("relevance; greater is better, comparable within one result only"),
    snippet: SnippetJson,
    missing: z
      .array(z.string())
      .optional()
      .describe("for a closest match: words of the query that the session lacks in any form"),
    corrected: corrected
      .optional()
      .describe("for a closest match: words taken as misspelled, and what was found instead"),
  })
  .meta({ title: "Hit" });

export const ScanHitJson = HitJson.omit({ score: true, crossEntry: true, missing: true, corrected: true })
  .extend({ matchCount: z.int().describe("number of matches in the entry, counted up to 1,000 per part") })
  .meta({ title: "Scan hit" });

export const SessionHitsJson = z
  .object({
    session: SessionInfoJson,
    hits: z.array(HitJson).describe("its best hits, best first"),
    hitCount: z.int().describe("number of ranked hits in the session"),
  })
  .meta({ title: "Session hits" });

export const ClosestMatchesJson = z
  .object({
    sessionCount: z.int().describe("number of closest matches; they come last"),
    missing: z
      .array(z.string())
      .describe("words that the first of them lacks, except words corrected in any of them"),
    corrected: corrected.describe("words taken as misspelled, and what was found instead"),
  })
  .meta({ title: "Closest matches" });

export const FacetCountJson = z
  .object({
    value: z.string(),
    hits: z.int().describe("entries; in a list, sessions"),
    sessions: z.int().describe("sessions with those entries"),
  })
  .meta({ title: "Facet count" });

export const TotalsJson = z
  .object({
    hits: z.int().describe("entries that match; copies in forks count once"),
    sessions: z.int().describe("sessions with those entries"),
    isWhole: z
      .boolean()
      .describe("whether all matches were counted; if false, only the newest were, and `exact` counts all"),
  })
  .meta({ title: "Totals" });

export const FacetsJson = z
  .object({
    projects: z.array(FacetCountJson).describe("by working directory"),
    models: z.array(FacetCountJson).describe("by provider/model used in the session"),
    tags: z.array(FacetCountJson).describe("by tag of the session"),
    roles: z.array(FacetCountJson),
    tools: z.array(FacetCountJson).describe("by tool that the entry calls, or that returned it"),
    months: z.array(FacetCountJson).describe("by month, newest first, in the local time zone"),
    days: z.array(FacetCountJson).describe("by day, newest first, in the local time zone"),
  })
  .meta({ title: "Facets" });

export const TreeEntryJson = z
  .object({
    id: EntryIdJson,
    parentId: EntryIdJson.describe("the parent entry's id; null for a root entry"),
    type: z.string(),
    role: z.string().optional(),
    timestamp: IsoTimeJson.optional(),
    line: z.int(),
    byteOffset: z.int(),
    label: z.string().optional(),
    labelTimestamp: IsoTimeJson.optional(),
    onCurrentBranch: z.boolean().describe("true if the entry is on the path from the root to the last entry"),
  })
  .meta({ title: "Tree entry" });

export const LabelJson = z
  .object({
    label: z.string(),
    targetId: z.union([z.string(), z.number()]),
    timestamp: IsoTimeJson.optional().describe("when it was set"),
    sessionPath: z.string(),
    sessionId: z.string(),
    line: z.int().optional().describe("line of the labeled entry; absent if there is no such entry"),
  })
  .meta({ title: "Label" });

export const ProblemJson = z
  .object({
    path: z.string(),
    code: z.string().describe("see docs/problems.md"),
    line: z.int().describe("line number from 1, or 0 for the file as a whole"),
    byteOffset: z.int(),
    message: z.string(),
  })
  .meta({ title: "Problem" });

export const CountJson = z.object({ name: z.string(), count: z.int() }).meta({ title: "Count" });

export const FileTouchJson = z
  .object({
    path: z.string().describe("the touched file: absolute, if the session's working directory is known"),
    action: TouchAction.describe("what was done; `use` if unknown"),
    entryId: EntryIdJson,
    line: z.int().describe("line number in the session file, from 1"),
    byteOffset: z.int().describe("byte offset of that line in the session file"),
    type: z.string().describe("the entry's type"),
    role: z.string().optional().describe("the message's role, for messages"),
    tool: z.string().optional().describe("the tool that was used"),
    timestamp: IsoTimeJson.optional(),
    failed: z
      .boolean()
      .optional()
      .describe("true if the call or command failed; absent if no result is known"),
    onCurrentBranch,
    alsoIn: z.array(HitLocationJson).describe("locations of its copies in forks"),
  })
  .meta({ title: "File touch" });

export const FileTouchesJson = z
  .object({
    session: SessionInfoJson,
    touches: z.array(FileTouchJson).describe("its newest touches, newest first"),
    touchCount: z.int().describe("number of all its matching touches"),
    actions: z.array(CountJson).describe("matching touches by action, most frequent first"),
  })
  .meta({ title: "File touches" });

export const StatsJson = z
  .object({
    sessions: z.int().describe("without subagents' sessions"),
    subagentSessions: z.int(),
    files: z.int().describe("files named like sessions, readable or not"),
    bytes: z.int().describe("total size of these files, in bytes"),
    indexedBytes: z.int().describe("bytes of these files that are indexed"),
    entries: z.int().describe("in all files, including copies in forks"),
    messages: z.int().describe("in all files, including copies in forks"),
    toolCalls: z.int().describe("copies in forks count once"),
    failedToolCalls: z.int().describe("copies in forks count once"),
    oldest: IsoTimeJson.optional().describe("creation of the oldest session"),
    newest: IsoTimeJson.optional().describe("last activity in any session"),
    tokens: z.object({
      input: z.int(),
      output: z.int(),
      cacheRead: z.int(),
      cacheWrite: z.int(),
      reasoning: z.int(),
    }),
    costUsd: z.number().describe("US dollars as recorded by the agents; copies in forks count once"),
    models: z.array(CountJson).describe("assistant messages by provider/model, including copies in forks"),
    projects: z.array(CountJson).describe("sessions by working directory"),
    problems: z.array(CountJson).describe("problems by code"),
    databasePath: z.string(),
    databaseBytes: z.int(),
  })
  .meta({ title: "Stats" });
export type Stats = z.infer<typeof StatsJson>;
export type Snippet = z.infer<typeof SnippetJson>;

type Dated<T, K extends keyof T> = Omit<T, K> & { [P in K]: Date };

/**
 * A session in a list: a superset of pi's `SessionInfo`. As in pi, `created` is an invalid Date if the header's time is invalid.
 * `allMessagesText` is read from the file on first access, and not enumerable, so that a list of thousands stays
 * small, also as JSON.
 */
export type SessionInfo = Dated<
  Omit<z.infer<typeof SessionInfoJson>, "allMessagesText" | "title">,
  "created" | "modified"
> & { readonly allMessagesText: string };
export type HitLocation = z.infer<typeof HitLocationJson>;
export type Hit = z.infer<typeof HitJson>;
export type ScanHit = z.infer<typeof ScanHitJson>;
export interface SessionHits {
  session: SessionInfo;
  hits: Hit[];
  hitCount: number;
}
export type FacetCount = z.infer<typeof FacetCountJson>;
export type Facets = z.infer<typeof FacetsJson>;
/** Number of matches, possibly of the newest only. */
export type Totals = z.infer<typeof TotalsJson>;
export type FileTouch = z.infer<typeof FileTouchJson>;
export interface FileTouches {
  session: SessionInfo;
  touches: FileTouch[];
  touchCount: number;
  actions: { name: string; count: number }[];
}
export type TreeEntry = z.infer<typeof TreeEntryJson>;
export type Label = z.infer<typeof LabelJson>;
export type FileProblem = z.infer<typeof ProblemJson>;
