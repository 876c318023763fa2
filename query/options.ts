/** Query options as zod schemas. Callbacks, signals and durations are checked in `src/arguments.ts`. */
import { z } from "zod";
import { PidexError } from "../src/errors.ts";
import { TOUCH_ACTIONS } from "../src/store/schema.ts";
import { parseFieldValue } from "./fields.ts";
import { findNearestMoment } from "./nearest-moment.ts";
import { MOMENT_HINT, parseMoment } from "./parse-moment.ts";
import { DEFAULT_SNIPPET_LENGTH, MAX_SNIPPET_LENGTH } from "./snippet-length.ts";

/** A moment: a Date, Unix milliseconds, or a text such as `2026-01-31`, `7d` or `yesterday`. */
export const Moment = z
  .union([z.date(), z.number(), z.string()])
  .transform((moment, context): number => {
    const time = parseMoment(moment);
    if (time === undefined) {
      const nearest = typeof moment === "string" ? findNearestMoment(moment) : undefined;
      const suggestion = nearest === undefined ? "" : `Did you mean "${nearest}"? `;
      context.addIssue({
        code: "custom",
        message: `"${moment}" is not a date, time or age. ${suggestion}${MOMENT_HINT}`,
      });
      return z.NEVER;
    }
    return time;
  })
  .describe("a date, a time, an age such as 7d, or words such as yesterday and last week");

/** A role, as `role:` accepts it. */
const Role = z
  .string()
  .min(1)
  .transform((role, context): string => {
    const result = parseFieldValue("role", role);
    if ("value" in result) return result.value;
    context.addIssue({ code: "custom", message: `${result.message}. ${result.hint}` });
    return z.NEVER;
  });

const filters = {
  cwd: z.string().min(1).optional().describe("only sessions with this working directory"),
  project: z
    .string()
    .min(1)
    .optional()
    .describe("only sessions with a directory that ends in this name or path (`shop`, `ada/shop`)"),
  model: z.string().min(1).optional().describe("only sessions that used a model with this text in its name"),
  machine: z
    .string()
    .min(1)
    .optional()
    .describe("on a hub: only sessions of this machine; `*` matches anything"),
  person: z
    .string()
    .min(1)
    .optional()
    .describe("on a hub: only sessions of this person's machines; `*` matches anything"),
  since: Moment.optional().describe("only entries at or after this time"),
  until: Moment.optional().describe("only entries before this time"),
  named: z.boolean().optional().describe("only sessions with a name (true) or without (false)"),
  labeled: z.boolean().optional().describe("only sessions with labels (true) or without (false)"),
  pinned: z.boolean().optional().describe("only sessions that are pinned (true) or not (false)"),
  tags: z
    .array(z.string().trim().min(1))
    .optional()
    .describe("only sessions with all of these tags, ignoring case; `*` matches anything"),
  archived: z
    .enum(["no", "yes", "only"])
    .default("yes")
    .describe("archived sessions: `no` excludes them, `yes` includes them, `only` returns nothing else"),
  internal: z.boolean().optional().describe("only internal sessions of agents (true), or none (false)"),
  problems: z.boolean().optional().describe("only sessions with problems (true) or without (false)"),
  subagents: z
    .enum(["no", "yes", "only"])
    .default("no")
    .describe(
      "subagents' sessions: `no` excludes them, as pi's own list does, `yes` includes them, `only` returns nothing else",
    ),
  except: z.array(z.string().min(1)).optional().describe("sessions to exclude, by complete id or file path"),
};

/** Filters that lists and searches share. */
export const Filters = z.object(filters);
export type Filters = z.output<typeof Filters>;

export const SortKey = z.enum(["modified", "created", "messages", "cost", "name", "size"]);
export type SortKey = z.infer<typeof SortKey>;

/** Filters by time of queries that return sessions, not entries. */
export const SESSION_TIMES = {
  since: filters.since.describe("only sessions modified at or after this time"),
  until: filters.until.describe("only sessions modified before this time"),
};

export const ListOptions = z.strictObject({
  ...filters,
  query: z
    .string()
    .optional()
    .describe("fields of sessions in the language of searches, such as `project:shop cost:>1`"),
  ...SESSION_TIMES,
  archived: filters.archived
    .unwrap()
    .default("no")
    .describe("archived sessions: `no` excludes them, `yes` includes them, `only` returns nothing else"),
  sort: SortKey.default("modified"),
  order: z
    .enum(["newest", "oldest"])
    .default("newest")
    .describe("descending or ascending; names are ascending with `newest`"),
  pinnedFirst: z.boolean().default(false).describe("whether pinned sessions come first"),
  costs: z.boolean().default(false).describe("whether sessions have `costUsd`"),
  models: z.boolean().default(false).describe("whether sessions have `models`"),
  limit: z.int().min(1).optional().describe("sessions per page; all if absent"),
  cursor: z.string().optional().describe("the `next` of the previous page"),
});
export type ListOptions = z.input<typeof ListOptions>;

export const Query = z.string();

const snippetLength = z
  .int()
  .min(DEFAULT_SNIPPET_LENGTH)
  .max(MAX_SNIPPET_LENGTH)
  .default(DEFAULT_SNIPPET_LENGTH)
  .describe("approximate length of snippets, in UTF-16 units; a longer one goes on after its matches");

export const SearchOptions = z.strictObject({
  ...filters,
  role: Role.optional().describe("only entries with this role: user, assistant, toolResult, …"),
  sort: z
    .enum(["relevance", "newest", "oldest", "cost", "messages"])
    .default("relevance")
    .describe(
      "best first, or by the time of the hit; `cost` and `messages`, greatest first, only for queries that filter sessions by fields",
    ),
  exact: z.boolean().default(false).describe("whether to rank all hits instead of the newest 2,000 first"),
  quick: z
    .boolean()
    .default(false)
    .describe(
      "for search as you type: whether to rank the newest 250 hits first, and to search words of letters only for a prefix; `more` is then true, and the next page has the rest",
    ),
  strict: z.boolean().default(false).describe("whether to omit closest matches"),
  facets: z
    .boolean()
    .default(false)
    .describe("whether to count hits by project, model, tag, role, tool, month and day"),
  limit: z.int().min(1).max(1000).default(20).describe("sessions, or hits, per page"),
  costs: z.boolean().default(false).describe("whether sessions have `costUsd`"),
  models: z.boolean().default(false).describe("whether sessions have `models`"),
  hits: z.int().min(1).max(1000).default(3).describe("maximum number of hits per session"),
  snippetLength,
  cursor: z.string().optional().describe("the `next` of the previous page"),
  sync: z.boolean().default(true).describe("whether to sync and search again if a file was rewritten"),
});
export type SearchOptions = z.input<typeof SearchOptions>;

/** Filters of the view in which a query is completed. */
export const CompleteOptions = z.strictObject({
  ...filters,
  archived: filters.archived.unwrap().default("yes"),
  subagents: filters.subagents.unwrap().default("yes"),
});
export type CompleteOptions = z.input<typeof CompleteOptions>;

/** What an entry did to a file; `use` if unknown. */
export const TouchAction = z.enum(TOUCH_ACTIONS);

/** A path, the end of a path, a folder or a glob. */
export const FilesPattern = z.string({ error: "the pattern must be a string" });

export const FilesOptions = z.strictObject({
  ...filters,
  subagents: filters.subagents
    .unwrap()
    .default("yes")
    .describe("subagents' sessions: `no` excludes them, `yes` includes them, `only` returns nothing else"),
  action: z.array(TouchAction).min(1).optional().describe("only these actions"),
  limit: z.int().min(1).max(1000).default(20).describe("sessions per page"),
  touches: z.int().min(1).default(5).describe("maximum number of touches per session"),
  costs: z.boolean().default(false).describe("whether sessions have `costUsd`"),
  cursor: z.string().optional().describe("the `next` of the previous page"),
});
export type FilesOptions = z.input<typeof FilesOptions>;

const caseSensitive = z.boolean().optional();

/**
 * A pattern to scan for in unprocessed text. Without `caseSensitive`, case matters if the pattern contains an uppercase
 * letter. Regular expressions use RE2 syntax; `^` and `$` match at line ends, `.` does not match a newline.
 */
export const ScanPattern = z.union(
  [
    z.strictObject({ substring: z.string(), regex: z.undefined().optional(), caseSensitive }),
    z.strictObject({ regex: z.string(), substring: z.undefined().optional(), caseSensitive }),
  ],
  'the pattern must be {substring: "text"} or {regex: "a.b"}, optionally with caseSensitive: true or false',
);
export type ScanPattern = z.infer<typeof ScanPattern>;

export const ScanOptions = z.strictObject({
  ...filters,
  query: z.string().optional().describe("only entries that match this query"),
  role: Role.optional().describe("only entries with this role: user, assistant, toolResult, …"),
  fromLine: z.int().min(1).optional().describe("only entries at or after this line of their files"),
  limit: z.int().min(1).optional().describe("maximum number of hits"),
  snippetLength,
});
export type ScanOptions = z.input<typeof ScanOptions>;

export const EntriesOptions = z.strictObject({
  branch: z
    .union([
      z.enum(["current", "all"]),
      z.strictObject({ leaf: z.union([z.string(), z.number()]) }),
      z.strictObject({ lines: z.array(z.int()) }),
    ])
    .default("current")
    .describe(
      "the entries on the path to the last one, or all, in file order; the path to one entry; or the entries on some lines",
    ),
  backwards: z.boolean().default(false).describe("from the last entry to the first"),
  hash: z
    .boolean()
    .default(false)
    .describe("include a hash of each line, to tell later whether it was changed"),
});
export type EntriesOptions = z.input<typeof EntriesOptions>;

/** Validates options. @throws PidexError `BAD_OPTION` with the first issue as its message */
export function parseOptions<T>(schema: z.ZodType<T>, options: unknown): T {
  const result = schema.safeParse(options);
  if (result.success) {
    assertInOrder(result.data);
    return result.data;
  }
  const [issue] = result.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new PidexError("BAD_OPTION", `${where}${issue?.message}`, "Correct the option or omit it.", {
    cause: result.error,
  });
}

/** @throws PidexError `BAD_OPTION` if `since` is later than `until`, which nothing can match: the two are likely swapped */
function assertInOrder(options: unknown): void {
  const { since, until, timeZone } = Object(options) as Record<string, unknown>;
  if (typeof since !== "number" || typeof until !== "number" || since <= until) return;
  const [start, end] = [since, until].map((time) => formatMoment(time, timeZone as string | undefined));
  throw new PidexError("BAD_OPTION", `since (${start}) is after until (${end})`, "Swap the two times.");
}

/** A date if a day begins at that time, as dates are read; otherwise an ISO time. */
function formatMoment(time: number, timeZone: string | undefined): string {
  const moment = new Date(time);
  if (Number.isNaN(moment.getTime())) return String(time);
  // Swedish writes dates and times as ISO does.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const [, date] = /^(\d{4}-\d{2}-\d{2}) 00:00:00$/.exec(format.format(moment)) ?? [];
  return date !== undefined && time % 1000 === 0 ? date : moment.toISOString();
}
