/**
 * What can be asked, as zod schemas: the one place where options from argv, HTTP or a caller are checked.
 */
import { z } from "zod";
import { PidexError } from "../src/errors.ts";
import { TOUCH_ACTIONS } from "../src/store/sqlite/schema.ts";
import { readValue } from "./fields.ts";
import { timeOfMoment } from "./moment.ts";

/** A moment: a Date, Unix milliseconds, an ISO date or time, or an age such as `7d`, `12h`, `30m`, `2w`. */
export const Moment = z
  .union([z.date(), z.number(), z.string()])
  .transform((moment, context): number => {
    const time = timeOfMoment(moment);
    if (time === undefined) {
      context.addIssue({
        code: "custom",
        message: `"${moment}" is no time: write 2026, 2026-01-31, 2026-01-31T09:30, or an age such as 7d, 12h, 2w`,
      });
      return z.NEVER;
    }
    return time;
  })
  .describe("a date, a time, or an age such as 7d");

/** A role, as `role:` in a query takes it. */
const Role = z
  .string()
  .min(1)
  .transform((role, context): string => {
    const read = readValue("role", role);
    if ("value" in read) return read.value;
    context.addIssue({ code: "custom", message: `${read.wrong}. ${read.hint}` });
    return z.NEVER;
  });

const filters = {
  cwd: z.string().min(1).optional().describe("only sessions of this working directory"),
  project: z
    .string()
    .min(1)
    .optional()
    .describe("only sessions whose directory ends in this name or path (`shop`, `ada/shop`)"),
  model: z.string().min(1).optional().describe("only sessions that used a model with this in its name"),
  since: Moment.optional().describe("only what is not older than this"),
  until: Moment.optional().describe("only what is older than this"),
  named: z.boolean().optional().describe("only sessions with a name (true) or without (false)"),
  labelled: z.boolean().optional().describe("only sessions with labels (true) or without (false)"),
  pinned: z.boolean().optional().describe("only sessions that are pinned (true) or not (false)"),
  tags: z
    .array(z.string().trim().min(1))
    .optional()
    .describe("only sessions with all of these tags, in any case; a star in one stands for anything"),
  archived: z.enum(["no", "yes", "only"]).default("yes").describe("whether archived sessions count"),
  internal: z.boolean().optional().describe("only sessions an agent kept for itself (true), or none (false)"),
  problems: z.boolean().optional().describe("only sessions with problems (true) or without (false)"),
  subagents: z
    .enum(["no", "yes", "only"])
    .default("no")
    .describe("whether sessions of subagents count: pi's own list never has them"),
  except: z
    .array(z.string().min(1))
    .optional()
    .describe("sessions that are left out, by their whole ids or the paths of their files"),
};

/** What both lists and searches can be narrowed by. */
export const Filters = z.object(filters);
export type Filters = z.output<typeof Filters>;

export const SortKey = z.enum(["modified", "created", "messages", "size"]);
export type SortKey = z.infer<typeof SortKey>;

export const ListOptions = z.strictObject({
  ...filters,
  archived: filters.archived
    .unwrap()
    .default("no")
    .describe("whether archived sessions count: their owner wants them out of the way"),
  sort: SortKey.default("modified"),
  order: z.enum(["newest", "oldest"]).default("newest").describe("greatest first, or least first"),
  pinnedFirst: z.boolean().default(false).describe("whether pinned sessions come before all others"),
  limit: z.int().min(1).optional().describe("sessions a page; none means all"),
  cursor: z.string().optional().describe("where the last page ended: its `next`"),
});
export type ListOptions = z.input<typeof ListOptions>;

export const Query = z.string();

export const SearchOptions = z.strictObject({
  ...filters,
  role: Role.optional().describe("only entries of this role: user, assistant, toolResult, …"),
  sort: z
    .enum(["relevance", "newest", "oldest"])
    .default("relevance")
    .describe("best first, or by time of the hit"),
  exact: z
    .boolean()
    .default(false)
    .describe("whether all hits are ranked, however many, and not the newest 2,000 first"),
  quick: z
    .boolean()
    .default(false)
    .describe("whether the newest 500 hits are ranked first, for who shows hits while somebody types"),
  strict: z
    .boolean()
    .default(false)
    .describe("whether only sessions that match in full are found, however few they are"),
  facets: z
    .boolean()
    .default(false)
    .describe("whether to count hits by project, model, role, tool and month"),
  limit: z.int().min(1).max(1000).default(20).describe("sessions, or hits, a page"),
  hits: z.int().min(1).max(1000).default(3).describe("hits a session at most"),
  cursor: z.string().optional().describe("where the last page ended: its `next`"),
  sync: z
    .boolean()
    .default(true)
    .describe("whether to sync and search again when a file turns out to have been rewritten"),
});
export type SearchOptions = z.input<typeof SearchOptions>;

/** What an entry did to a file; `use` where its tool's name says no more. */
export const TouchAction = z.enum(TOUCH_ACTIONS);

/** Which files: `matchingPaths` says what it means. */
export const FilesPattern = z.string({ error: "the pattern is no text" });

export const FilesOptions = z.strictObject({
  ...filters,
  subagents: filters.subagents
    .unwrap()
    .default("yes")
    .describe("whether sessions of subagents count: it is they who do much of the work"),
  action: z.array(TouchAction).min(1).optional().describe("only what was done so"),
  limit: z.int().min(1).max(1000).default(20).describe("sessions a page"),
  touches: z.int().min(1).default(5).describe("touches a session at most"),
  cursor: z.string().optional().describe("where the last page ended: its `next`"),
});
export type FilesOptions = z.input<typeof FilesOptions>;

const caseSensitive = z.boolean().optional();

/**
 * What a scan looks for, in texts as they are. Without `caseSensitive`, case matters when the pattern has an
 * upper-case letter. Regular expressions are RE2's; `^` and `$` stand at line ends, `.` is no newline.
 */
export const ScanPattern = z.union(
  [
    z.strictObject({ substring: z.string(), regex: z.undefined().optional(), caseSensitive }),
    z.strictObject({ regex: z.string(), substring: z.undefined().optional(), caseSensitive }),
  ],
  'what to look for is {substring: "text"} or {regex: "a.b"}, each with caseSensitive: true or false where that matters',
);
export type ScanPattern = z.infer<typeof ScanPattern>;

export const ScanOptions = z.strictObject({
  ...filters,
  query: z.string().optional().describe("only entries that a search for this would find"),
  role: Role.optional().describe("only entries of this role: user, assistant, toolResult, …"),
  limit: z.int().min(1).optional().describe("hits at most"),
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
      "the path to the last entry, all in file order, the path to one entry, or the ones on these lines",
    ),
});
export type EntriesOptions = z.input<typeof EntriesOptions>;

/** Checks options, and says what is wrong with them as a `PidexError` `BAD_OPTION`. */
export function parseOptions<T>(schema: z.ZodType<T>, options: unknown): T {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new PidexError(
    "BAD_OPTION",
    `${where}${issue?.message}`,
    "Leave it out, or give it as the message says.",
    {
      cause: result.error,
    },
  );
}
