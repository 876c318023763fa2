/** Schemas of the answers to agents: a subset of the JSON of the command line (docs/json.md). */
import { z } from "zod";
import {
  BlameJson,
  BlameLineJson,
  ClosestMatchesJson,
  EntryIdJson,
  FiguresJson,
  FileTouchJson,
  FindingJson,
  HitJson,
  InsightsJson,
  SessionInfoJson,
  TreeEntryJson,
  UsageJson,
  UsageRowJson,
} from "../../library/schemas.ts";

/** The fields that identify a session. */
export const BriefSessionJson = SessionInfoJson.pick({
  path: true,
  id: true,
  cwd: true,
  modified: true,
  messageCount: true,
}).extend({ title: z.string().describe("its name, or else its first message") });

const paged = {
  next: z.string().optional().describe("cursor for the next page; absent on the last page"),
  remark: z
    .string()
    .optional()
    .describe("why the answer may be incomplete, for example because the index is still being built"),
};

export const SearchAnswer = z.object({
  sessions: z.array(
    z.object({
      session: BriefSessionJson,
      hits: z.array(
        HitJson.pick({ entryId: true, line: true, role: true, type: true, timestamp: true }).extend({
          text: z.string().describe("text around the match, on one line, quoted from the session"),
        }),
      ),
      hitCount: z.int().describe("hits examined in this session"),
      missing: z
        .array(z.string())
        .optional()
        .describe("for a closest match: query words that this session lacks"),
    }),
  ),
  sessionCount: z.int().describe("sessions found among the examined hits"),
  more: z.boolean().describe("whether more hits exist than were examined"),
  unfound: z
    .array(z.string())
    .optional()
    .describe("if no session matches fully: query words that the index does not contain"),
  closest: ClosestMatchesJson.optional(),
  correctedQuery: z
    .string()
    .optional()
    .describe("the query with misspelled words corrected, if these are its results"),
  ...paged,
});

export const ListAnswer = z.object({
  sessions: z.array(BriefSessionJson),
  total: z.int().describe("total number of sessions"),
  ...paged,
});

export const ReadEntryJson = z.object({
  entryId: EntryIdJson,
  line: z.int().describe("line number in the file, from 1"),
  who: z.string().describe("user, assistant, the name of a tool, or the kind of entry"),
  timestamp: z.string().optional(),
  text: z.string().describe("the text of the entry, quoted from the session"),
  omittedCharacters: z.int().optional().describe("number of characters of its text that are not in `text`"),
  otherBranches: z
    .array(
      z.object({
        entryId: EntryIdJson,
        line: z.int(),
        entries: z.int().describe("number of entries on that branch from here on"),
      }),
    )
    .optional()
    .describe(
      "the first entries of other branches that replace this entry: read around one of them to see its branch",
    ),
  subagents: z
    .array(z.string())
    .optional()
    .describe("session files of the subagents this entry reports on; pass one to read_session"),
});

export const ReadAnswer = z.object({
  session: BriefSessionJson,
  entries: z.array(ReadEntryJson),
  position: z.string().describe("position of these entries on the branch, such as 12-20 of 141"),
  previous: z.string().optional().describe("cursor for the previous page"),
  ...paged,
});

export const HandoffAnswer = z.object({
  session: BriefSessionJson,
  sections: z
    .array(
      z.object({
        title: z.string(),
        lines: z
          .array(z.string())
          .describe(
            "Markdown list items, quoted from the session; each ends with its citation `:LINE~HASH`, except those that count what was left out",
          ),
      }),
    )
    .describe("the goal, the later requests with what came of them, files, commands, errors, what is open"),
  tokens: z.int().describe("tokens of the brief as text, estimated"),
  remark: paged.remark,
});

export const TreeAnswer = z.object({
  session: BriefSessionJson,
  entries: z
    .array(
      TreeEntryJson.pick({ line: true, type: true, role: true, label: true, onCurrentBranch: true }).extend({
        entryId: EntryIdJson,
        depth: z.int().describe("number of branch points above it"),
        omittedEntries: z
          .int()
          .describe("number of entries between it and the previous listed entry of its branch"),
        text: z.string().describe("preview of the entry, quoted from the session"),
      }),
    )
    .describe("branch points, the first and last entries of branches, and labeled entries"),
  entryCount: z.int(),
  branchCount: z.int().describe("number of leaves (entries without children)"),
  ...paged,
});

export const TouchAnswer = z.object({
  sessions: z.array(
    z.object({
      session: BriefSessionJson,
      touches: z.array(
        FileTouchJson.pick({
          path: true,
          action: true,
          entryId: true,
          line: true,
          tool: true,
          timestamp: true,
          failed: true,
        }),
      ),
      touchCount: z.int(),
    }),
  ),
  total: z.int().describe("total number of sessions"),
  ...paged,
});

export const BlameAnswer = z.object({
  rev: BlameJson.shape.rev,
  ranges: z.array(
    z.object({
      from: z.int().describe("the first line, from 1"),
      to: z.int().describe("the last line"),
      ...BlameLineJson.omit({ line: true, text: true }).shape,
    }),
  ),
  sessions: z.array(BriefSessionJson).describe("the sessions of the ranges"),
  nextLine: z.int().optional().describe("the first line that did not fit: pass it as `from`"),
  remark: paged.remark,
});

const figures = FiguresJson.pick({
  costUsd: true,
  estimatedUsd: true,
  unpricedTokens: true,
  tokens: true,
  cacheHitRate: true,
  messages: true,
  toolCalls: true,
  failedToolCalls: true,
});

export const UsageAnswer = UsageJson.pick({
  by: true,
  timeZone: true,
  rowCount: true,
  unreadFiles: true,
}).extend({
  rows: z.array(figures.extend({ key: UsageRowJson.shape.key, title: z.string().optional() })),
  others: figures.optional().describe("sum of the rows that were omitted"),
  total: figures,
  remark: paged.remark,
});

export const StatusAnswer = z.object({
  line: z.string().optional().describe("the line; absent if the setting `pi_status` is off"),
  remark: paged.remark,
});

const { costUsd, sessions, changes, costPerChangeUsd } = InsightsJson.shape.totals.shape.now.shape;
const insightTotals = z.object({ costUsd, sessions, changes, costPerChangeUsd });

export const InsightsAnswer = InsightsJson.pick({
  period: true,
  before: true,
  findingCount: true,
  unreadFiles: true,
}).extend({
  findings: z.array(
    FindingJson.omit({ examples: true }).extend({
      citations: z.array(z.string()).describe("the newest occurrence in some sessions, as path:line#entry"),
    }),
  ),
  totals: z.object({ now: insightTotals, before: insightTotals }),
  remark: paged.remark,
});

export type InsightsAnswer = z.infer<typeof InsightsAnswer>;
export type BriefSession = z.infer<typeof BriefSessionJson>;
export type SearchAnswer = z.infer<typeof SearchAnswer>;
export type ListAnswer = z.infer<typeof ListAnswer>;
export type ReadEntry = z.infer<typeof ReadEntryJson>;
export type ReadAnswer = z.infer<typeof ReadAnswer>;
export type HandoffAnswer = z.infer<typeof HandoffAnswer>;
export type TreeAnswer = z.infer<typeof TreeAnswer>;
export type BlameAnswer = z.infer<typeof BlameAnswer>;
export type TouchAnswer = z.infer<typeof TouchAnswer>;
export type StatusAnswer = z.infer<typeof StatusAnswer>;
export type UsageAnswer = z.infer<typeof UsageAnswer>;
