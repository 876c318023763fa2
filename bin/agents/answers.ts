/** What an agent is answered, as zod: parts of the JSON that the command line writes (docs/json.md), and no more than it needs. */
import { z } from "zod";
import {
  ClosestJson,
  EntryIdJson,
  FiguresJson,
  FileTouchJson,
  HitJson,
  SessionInfoJson,
  TreeEntryJson,
  UsageJson,
  UsageRowJson,
} from "../../library/schemas.ts";

/** As much of a session as tells which it is. */
export const BriefSessionJson = SessionInfoJson.pick({
  path: true,
  id: true,
  cwd: true,
  modified: true,
  messageCount: true,
}).extend({ title: z.string().describe("its name, else how it began") });

const paged = {
  next: z.string().optional().describe("the cursor to go on with, where there is more"),
  remark: z.string().optional().describe("what the answer may lack: a first index that is not done yet, say"),
};

export const SearchAnswer = z.object({
  sessions: z.array(
    z.object({
      session: BriefSessionJson,
      hits: z.array(
        HitJson.pick({ entryId: true, line: true, role: true, type: true, timestamp: true }).extend({
          text: z.string().describe("text around the match, on one line: a quotation"),
        }),
      ),
      hitCount: z.int().describe("hits looked at in this session"),
      missing: z
        .array(z.string())
        .optional()
        .describe("for a session that matches in part: words of the query that it does not have"),
    }),
  ),
  sessionCount: z.int().describe("sessions found, as far as they were looked at"),
  more: z.boolean().describe("whether there are more hits than were looked at"),
  unfound: z
    .array(z.string())
    .optional()
    .describe("where no session matches in full: words of the query that the index does not have"),
  closest: ClosestJson.optional(),
  ...paged,
});

export const ListAnswer = z.object({
  sessions: z.array(BriefSessionJson),
  total: z.int().describe("sessions there are"),
  ...paged,
});

export const ReadEntryJson = z.object({
  entryId: EntryIdJson,
  line: z.int().describe("line number in the file, from 1"),
  who: z.string().describe("user, assistant, a tool, or what kind of entry it is"),
  timestamp: z.string().optional(),
  text: z.string().describe("what stands there: a quotation"),
  left_out: z.int().optional().describe("characters of its text that are left out"),
  instead: z
    .array(
      z.object({
        entryId: EntryIdJson,
        line: z.int(),
        entries: z.int().describe("how many it has, from there on"),
      }),
    )
    .optional()
    .describe(
      "the first entries of other branches, which have these in its place: read around one to see it",
    ),
  subagents: z
    .array(z.string())
    .optional()
    .describe("the session files of the subagents that it tells of: read_session takes them"),
});

export const ReadAnswer = z.object({
  session: BriefSessionJson,
  entries: z.array(ReadEntryJson),
  position: z.string().describe("where these entries are on the branch: 12-20 of 141"),
  previous: z.string().optional().describe("the cursor for what comes before"),
  ...paged,
});

export const TreeAnswer = z.object({
  session: BriefSessionJson,
  entries: z
    .array(
      TreeEntryJson.pick({ line: true, type: true, role: true, label: true, onCurrentBranch: true }).extend({
        entryId: EntryIdJson,
        depth: z.int().describe("branch points above it"),
        skipped: z.int().describe("entries in a row between it and the one told before it on its branch"),
        text: z.string().describe("what it is about: a quotation"),
      }),
    )
    .describe("where branches part, begin and end, and what has a label"),
  entryCount: z.int(),
  branchCount: z.int().describe("entries that nothing hangs from"),
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
  total: z.int().describe("sessions there are"),
  ...paged,
});

const figures = FiguresJson.pick({
  costUsd: true,
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
  others: figures.optional().describe("all rows that were left out"),
  total: figures,
  remark: paged.remark,
});

export type BriefSession = z.infer<typeof BriefSessionJson>;
export type SearchAnswer = z.infer<typeof SearchAnswer>;
export type ListAnswer = z.infer<typeof ListAnswer>;
export type ReadEntry = z.infer<typeof ReadEntryJson>;
export type ReadAnswer = z.infer<typeof ReadAnswer>;
export type TreeAnswer = z.infer<typeof TreeAnswer>;
export type TouchAnswer = z.infer<typeof TouchAnswer>;
export type UsageAnswer = z.infer<typeof UsageAnswer>;
