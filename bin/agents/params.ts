/**
 * Schemas of the requests of agents. The MCP server and the pi extension describe their tools with them and validate
 * arguments. Parameters are snake_case, as is usual for tools; answers are camelCase, as with `--json`.
 */
import { z } from "zod";
import {
  BlameOptions,
  InsightKind,
  ListOptions,
  SearchOptions,
  TouchAction,
  UsageDimension,
} from "../../library/schemas.ts";

const { cwd, project, model, since, until } = SearchOptions.shape;

/** A moment as text, because JSON has no dates. */
const moment = (schema: { description?: string | undefined }) =>
  z.string().optional().describe(`${schema.description}: a date, a time, or an age such as 7d`);

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

const budget = (defaultTokens: number) =>
  z
    .int()
    .min(400)
    .max(50_000)
    .default(defaultTokens)
    .describe("approximate maximum length of the answer, in tokens");

const paged = {
  redact: z.boolean().default(true).describe("mask keys, tokens and passwords"),
  cursor: z.string().max(4096).optional().describe("the `next` or `previous` cursor of an earlier answer"),
};

const listed = {
  include_current_session: z
    .boolean()
    .default(false)
    .describe("include the current session, which you already know"),
  ...paged,
};

export const SearchParams = z.strictObject({
  query: z
    .string()
    .max(20_000)
    .describe(
      'words, a sentence or a pasted error message; "a phrase", beginning*, -without, a OR b, and fields such as ' +
        "role:user tool:bash file:tax.ts is:error since:7d. Sessions that contain all words come first, then the closest matches",
    ),
  strict: SearchOptions.shape.strict.describe("return full matches only, without the closest matches"),
  ...filters,
  model,
  role: z.string().optional().describe("only entries with this role: user, assistant, toolResult, …"),
  subagents: z
    .enum(["yes", "no", "only"])
    .default("yes")
    .describe("include sessions of subagents, which often do much of the work"),
  sort: z.enum(["relevance", "newest", "oldest"]).default("relevance").describe("order of the results"),
  limit: z.int().min(1).max(50).default(5).describe("maximum number of sessions"),
  hits: z.int().min(1).max(20).default(2).describe("maximum number of hits per session"),
  ...listed,
  max_tokens: budget(1500),
});

export const ListParams = z.strictObject({
  ...filters,
  model,
  sort: ListOptions.shape.sort.describe("sort key, in descending order"),
  named: z.boolean().optional().describe("only sessions with a name (true) or without (false)"),
  subagents: z.enum(["no", "yes", "only"]).default("no").describe("include sessions of subagents"),
  archived: z.enum(["no", "yes", "only"]).default("no").describe("include archived sessions"),
  limit: z.int().min(1).max(200).default(20).describe("maximum number of sessions"),
  ...listed,
  max_tokens: budget(1500),
});

export const ReadParams = z.strictObject({
  session,
  entry: z
    .union([z.string(), z.number()])
    .optional()
    .describe(
      "id of the entry to read around; by default the entry of the citation, or else the whole branch",
    ),
  view: z
    .enum(["entries", "outline"])
    .default("entries")
    .describe(
      "entries with their text, or an outline: user messages, summaries and the number of entries in between",
    ),
  before: z
    .int()
    .min(0)
    .max(50)
    .optional()
    .describe("maximum number of entries before the one to read around; by default 2, more if few follow it"),
  after: z
    .int()
    .min(0)
    .max(500)
    .optional()
    .describe("maximum number of entries after it; by default as many as fit"),
  leaf: z
    .union([z.string(), z.number()])
    .optional()
    .describe("id of the last entry of the branch to read; by default the current branch"),
  from: z.enum(["start", "end"]).default("start").describe("end of the branch to start reading from"),
  thinking: z.boolean().default(false).describe("include the model's thinking"),
  ...paged,
  max_tokens: budget(2000),
});

export const HandoffParams = z.strictObject({
  session,
  leaf: z
    .union([z.string(), z.number()])
    .optional()
    .describe("id of the last entry of the branch to brief on; by default the current branch"),
  redact: paged.redact,
  max_tokens: budget(4000),
});

export const TreeParams = z.strictObject({
  session,
  ...paged,
  max_tokens: budget(1500),
});

export const TouchParams = z.strictObject({
  file: z
    .string()
    .min(1)
    .max(4096)
    .describe("a path, the end of one (tax.ts, src/tax.ts), a folder (src/), or a glob (*.py)"),
  action: z.array(TouchAction).min(1).optional().describe("only these actions"),
  ...filters,
  limit: z.int().min(1).max(50).default(10).describe("maximum number of sessions"),
  ...listed,
  max_tokens: budget(1500),
});

export const BlameParams = z.strictObject({
  file: z
    .string()
    .min(1)
    .max(4096)
    .describe("path of a file in a git working tree, absolute or relative to the working directory"),
  from: BlameOptions.shape.from,
  to: BlameOptions.shape.to,
  rev: BlameOptions.shape.rev,
  redact: paged.redact,
  max_tokens: budget(1500),
});

export const UsageParams = z.strictObject({
  by: z.array(UsageDimension).max(2).default([]).describe("dimensions to group by"),
  ...filters,
  model,
  session: session.optional().describe("only this session, with its subagents"),
  time_zone: z
    .string()
    .optional()
    .describe("time zone of days and months, such as Europe/Berlin; by default that of this machine"),
  limit: z.int().min(1).max(200).default(20).describe("maximum number of rows; the rest is summed up"),
  estimates: z
    .boolean()
    .default(false)
    .describe("whether to estimate usage without a recorded cost, apart from the cost"),
  max_tokens: budget(1500),
});

export const StatusParams = z.strictObject({
  session: session.optional().describe("the session of the placeholder {session}, if it is indexed"),
});

export const InsightsParams = z.strictObject({
  ...filters,
  kind: z.array(InsightKind).min(1).optional().describe("only findings of these kinds"),
  limit: z.int().min(1).max(50).default(10).describe("maximum number of findings"),
  min_occurrences: z.int().min(1).default(3).describe("leave out findings with fewer occurrences"),
  min_sessions: z.int().min(1).default(2).describe("leave out findings in fewer sessions"),
  max_tokens: budget(1500),
});

/** Validated parameters as handlers get them. The others have been applied to the request's context. */
export type Params<P extends z.ZodType> = Omit<z.output<P>, "redact" | "include_current_session">;
