/** What an agent can ask, as zod: the MCP server and pi's extension describe their tools with it, and check what comes. */
import { z } from "zod";
import { ListOptions, SearchOptions, TouchAction, UsageDimension } from "../../library/schemas.ts";

const { cwd, project, model, since, until } = SearchOptions.shape;

/** Moments as text: a Date is nothing that JSON has. */
const moment = (described: { description?: string | undefined }) =>
  z.string().optional().describe(`${described.description}: a date, a time, or an age such as 7d`);

const filters = {
  cwd,
  project,
  since: moment(since),
  until: moment(until),
};

const session = z
  .string()
  .min(1)
  .max(4096)
  .describe(
    "a session: its id or the start of it, the path of its file, @last, or a citation path:line#entry",
  );

const budget = (usual: number) =>
  z.int().min(400).max(50_000).default(usual).describe("how long the answer may be, in tokens, about");

const cursor = z
  .string()
  .max(4096)
  .optional()
  .describe("goes on where an answer ended: its `next` or `previous`");
const redact = z.boolean().default(true).describe("whether keys, tokens and passwords are masked");
const withAsking = z
  .boolean()
  .default(false)
  .describe("whether the session that is asking counts, too: what stands in it is known there");

export const SearchQuestion = z.strictObject({
  query: z
    .string()
    .max(20_000)
    .describe(
      'words, a sentence or a pasted error message; "a phrase", beginning*, -without, a OR b, and fields such as ' +
        "role:user tool:bash file:tax.ts is:error since:7d. Sessions with all words come first, then the closest matches",
    ),
  strict: SearchOptions.shape.strict.describe("whether closest matches are left out"),
  ...filters,
  model,
  role: z.string().optional().describe("only entries of this role: user, assistant, toolResult, …"),
  subagents: z
    .enum(["yes", "no", "only"])
    .default("yes")
    .describe("whether sessions of subagents count: it is they who do much of the work"),
  sort: z.enum(["relevance", "newest", "oldest"]).default("relevance").describe("best first, or by time"),
  limit: z.int().min(1).max(50).default(5).describe("sessions at most"),
  hits: z.int().min(1).max(20).default(2).describe("hits of each session at most"),
  include_asking: withAsking,
  redact,
  cursor,
  max_tokens: budget(1500),
});

export const ListQuestion = z.strictObject({
  ...filters,
  model,
  sort: ListOptions.shape.sort.describe("by what, greatest first"),
  named: z.boolean().optional().describe("only sessions with a name (true) or without (false)"),
  subagents: z.enum(["no", "yes", "only"]).default("no").describe("whether sessions of subagents count"),
  archived: z.enum(["no", "yes", "only"]).default("no").describe("whether archived sessions count"),
  limit: z.int().min(1).max(200).default(20).describe("sessions at most"),
  include_asking: withAsking,
  redact,
  cursor,
  max_tokens: budget(1500),
});

export const ReadQuestion = z.strictObject({
  session,
  entry: z
    .union([z.string(), z.number()])
    .optional()
    .describe("the id of the entry to read around; without one the branch is read, or what a citation names"),
  view: z
    .enum(["entries", "outline"])
    .default("entries")
    .describe("entries with their text, or an outline: what was asked, and how much was done for it"),
  before: z
    .int()
    .min(0)
    .max(50)
    .optional()
    .describe(
      "entries before the one to read around, at most; else 2, and more where little comes behind it",
    ),
  after: z.int().min(0).max(500).optional().describe("entries behind it at most; else as many as fit"),
  leaf: z
    .union([z.string(), z.number()])
    .optional()
    .describe("reads the branch that ends with this entry; else the current one"),
  from: z.enum(["start", "end"]).default("start").describe("where to begin to read a branch"),
  thinking: z.boolean().default(false).describe("whether what the model thought is told, too"),
  redact,
  cursor,
  max_tokens: budget(2000),
});

export const TreeQuestion = z.strictObject({
  session,
  redact,
  cursor,
  max_tokens: budget(1500),
});

export const TouchQuestion = z.strictObject({
  file: z
    .string()
    .min(1)
    .max(4096)
    .describe("a path, the end of one (tax.ts, src/tax.ts), a folder (src/), or a glob (*.py)"),
  action: z.array(TouchAction).min(1).optional().describe("only what was done so"),
  ...filters,
  limit: z.int().min(1).max(50).default(10).describe("sessions at most"),
  include_asking: withAsking,
  redact,
  cursor,
  max_tokens: budget(1500),
});

export const UsageQuestion = z.strictObject({
  by: z.array(UsageDimension).max(2).default([]).describe("what to break it down by"),
  ...filters,
  model,
  session: session.optional().describe("only this session, with its subagents"),
  time_zone: z.string().optional().describe("of days and months, such as Europe/Berlin; else this machine's"),
  limit: z.int().min(1).max(200).default(20).describe("rows at most; the rest is summed up"),
  max_tokens: budget(1500),
});

/** A question as who asks writes it: what has a default may be missing. */
export type SearchAsked = z.input<typeof SearchQuestion>;
export type ListAsked = z.input<typeof ListQuestion>;
export type ReadAsked = z.input<typeof ReadQuestion>;
export type TreeAsked = z.input<typeof TreeQuestion>;
export type TouchAsked = z.input<typeof TouchQuestion>;
export type UsageAsked = z.input<typeof UsageQuestion>;
