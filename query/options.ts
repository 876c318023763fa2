/**
 * What can be asked, as zod schemas: the one place where options from argv, HTTP or a caller are checked.
 */
import { z } from "zod";
import { PidexError } from "../src/errors.ts";

/** A moment: a Date, Unix milliseconds, an ISO date or time, or an age such as `7d`, `12h`, `30m`, `2w`. */
const Moment = z
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

/** A time as people write it, in Unix milliseconds: `2026-01-31`, `2026-01-31T09:30`, `7d`. Undefined when it is none. */
export function parseMoment(text: string): number | undefined {
  return timeOfMoment(text);
}

const UNITS: Record<string, number> = { m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3, y: 365 * 86400e3 };

/** What `Date.parse` is asked: it takes much else for a time. */
const ISO_TIME = /^\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;

function timeOfMoment(moment: Date | number | string): number | undefined {
  if (typeof moment === "number") return Number.isFinite(moment) ? moment : undefined;
  if (moment instanceof Date) return Number.isNaN(moment.getTime()) ? undefined : moment.getTime();
  const age = /^(\d{1,6})([mhdwy])$/.exec(moment.trim());
  if (age) return Date.now() - Number(age[1]) * (UNITS[age[2] as string] as number);
  if (!ISO_TIME.test(moment)) return undefined;
  // A bare date is a day where the user is, not where Greenwich is.
  const [, year, month = "-01", day] = /^(\d{4})(-\d{2})?(-\d{2})?$/.exec(moment) ?? [];
  const local = year ? `${year}${month}${day ?? "-01"}T00:00` : moment;
  const time = Date.parse(local);
  // Date.parse takes 31 February for 3 March.
  const isDay = !day || new Date(time).getDate() === Number(day.slice(1));
  return Number.isNaN(time) || !isDay ? undefined : time;
}

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
  internal: z.boolean().optional().describe("only sessions an agent kept for itself (true), or none (false)"),
  problems: z.boolean().optional().describe("only sessions with problems (true) or without (false)"),
  subagents: z
    .enum(["no", "yes", "only"])
    .default("no")
    .describe("whether sessions of subagents count: pi's own list never has them"),
};

/** What both lists and searches can be narrowed by. */
export const Filters = z.object(filters);
export type Filters = z.infer<typeof Filters>;

export const SortKey = z.enum(["modified", "created", "messages", "size"]);
export type SortKey = z.infer<typeof SortKey>;

export const ListOptions = z.strictObject({
  ...filters,
  sort: SortKey.default("modified"),
  order: z.enum(["newest", "oldest"]).default("newest").describe("greatest first, or least first"),
  limit: z.int().min(1).optional().describe("sessions a page; none means all"),
  cursor: z.string().optional().describe("where the last page ended: its `next`"),
});
export type ListOptions = z.input<typeof ListOptions>;

export const SearchOptions = z.strictObject({
  ...filters,
  role: z.string().min(1).optional().describe("only entries of this role: user, assistant, toolResult, …"),
  sort: z
    .enum(["relevance", "newest", "oldest"])
    .default("relevance")
    .describe("best first, or by time of the hit"),
  exact: z
    .boolean()
    .default(false)
    .describe("whether all hits are ranked, however many, and not the newest 2,000 first"),
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
export const TouchAction = z.enum(["read", "write", "edit", "delete", "search", "use"]);

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

export const ScanOptions = z.strictObject({
  ...filters,
  query: z.string().optional().describe("only entries that a search for this would find"),
  role: z.string().min(1).optional().describe("only entries of this role: user, assistant, toolResult, …"),
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
