import type { Pool } from "pg";
import { z } from "zod";
import { InsightsOptions } from "../../../query/insights/insight-options.ts";
import {
  CompleteOptions,
  EntriesOptions,
  FilesOptions,
  FilesPattern,
  ListOptions,
  parseOptions,
  Query,
  SearchOptions,
} from "../../../query/options.ts";
import {
  SpendingOptions,
  SpendOptions,
  UsageEventsOptions,
  UsageOptions,
} from "../../../query/usage/usage-options.ts";
import { PidexError } from "../../../src/errors.ts";
import { QueryIndex } from "../../query/query-index.ts";
import { toFiguresStore } from "./figures-store.ts";
import { HubSource, type HubSourceOptions } from "./hub-source.ts";
import { getReadableShelves, type Reader } from "./reader.ts";
import { settleShelves } from "./settler.ts";

/** Sessions of one page; machines ask for more pages. */
export const MAX_HUB_PAGE = 1_000;

const session = z.string("session must be a string").max(4_096);
const entryId = z.union([z.string().max(4_096), z.number()]);
const none = z.strictObject({});
const limit = z.int().min(1).max(MAX_HUB_PAGE);
const listOptions = ListOptions.extend({ limit });
const query = Query.max(100_000);

/** The methods of `QueryIndex` that a hub answers, with the schemas of their arguments. The last ones may be omitted. */
const METHODS = {
  list: [z.string(), listOptions.omit({ cwd: true })],
  listAll: [listOptions],
  find: [session, none],
  search: [query, SearchOptions],
  searchEntries: [query, SearchOptions],
  complete: [query, z.int(), CompleteOptions],
  files: [FilesPattern, FilesOptions.extend({ touches: z.int().min(1).max(MAX_HUB_PAGE).optional() })],
  treeEntries: [session, none],
  outline: [session, none],
  forks: [session, z.strictObject({ limit: z.int().min(0).max(MAX_HUB_PAGE).optional() })],
  branch: [session, entryId, none],
  children: [session, entryId, none],
  labels: [session, none],
  problems: [session, none],
  entries: [session, EntriesOptions],
  entry: [session, entryId, none],
  context: [session, entryId.nullable(), none],
  usage: [UsageOptions],
  insights: [InsightsOptions],
  spend: [session, SpendOptions],
  spending: [SpendingOptions],
  usageEvents: [UsageEventsOptions],
  stats: [none],
} as const satisfies Partial<Record<keyof QueryIndex, readonly z.ZodType[]>>;

export type HubMethod = keyof typeof METHODS;

/** Methods that also count the usage of the team's projects for readers who see only figures of them. */
const OF_FIGURES: readonly HubMethod[] = ["usage", "usageEvents", "stats"];

/** Methods that read the ledger. */
const OF_LEDGER: readonly HubMethod[] = ["usage", "usageEvents", "insights", "spend", "spending", "stats"];

/** Brings the ledger of what a reader may see up to date, if a query reads it. Call it before `answerQuery`. */
export async function settleForQuery(
  pool: Pool,
  { own, projects }: Reader,
  { method }: HubQuery,
): Promise<void> {
  if (OF_LEDGER.includes(method)) await settleShelves(pool, [own, ...projects.map(({ shelf }) => shelf)]);
}

/** What a reader asks: a method of the reading half of an index, with its arguments. */
export interface HubQuery {
  method: HubMethod;
  args: readonly unknown[];
}

/**
 * Checks what a reader asks.
 *
 * @throws PidexError `BAD_OPTION` for an unknown method, or arguments that a method does not accept
 */
export function parseHubQuery({ method, args }: { method: string; args: readonly unknown[] }): HubQuery {
  if (!Object.hasOwn(METHODS, method)) {
    const hint = "Update pidex on this machine or on the hub.";
    throw new PidexError("BAD_OPTION", `the hub has no query "${method}"`, hint);
  }
  const schemas: readonly z.ZodType[] = METHODS[method as HubMethod];
  if (args.length > schemas.length) {
    throw new PidexError("BAD_OPTION", `${method} has too many arguments`, "Omit the last ones.");
  }
  for (const [n, arg] of args.entries()) parseOptions<unknown>(schemas[n] as z.ZodType, arg);
  return { method: method as HubMethod, args };
}

/**
 * Answers a query with what the reader may see.
 *
 * @returns the value, or the items of a stream
 * @throws as the method, and PidexError `NOT_ALLOWED` if the role does not allow it; `SQL_TIMEOUT` if it takes too long
 */
export function answerQuery(
  pool: Pool,
  reader: Reader,
  { method, args }: HubQuery,
  options: HubSourceOptions = {},
): Promise<unknown> | AsyncGenerator<unknown> {
  const index = new QueryIndex(toSource(pool, reader, method, args, options));
  return (index[method] as (...args: readonly unknown[]) => Promise<unknown> | AsyncGenerator).call(
    index,
    ...args,
  );
}

function toSource(
  pool: Pool,
  reader: Reader,
  method: HubMethod,
  args: readonly unknown[],
  options: HubSourceOptions,
): HubSource {
  if (reader.role !== "figures" || !OF_FIGURES.includes(method)) {
    return new HubSource(pool, getReadableShelves(reader), options);
  }
  if (method === "usage") {
    const { by } = parseOptions(UsageOptions, args[0] ?? {});
    if (by.includes("session")) {
      const hint = "Break usage down by project or model, or use spend for a session of your own.";
      throw new PidexError("NOT_ALLOWED", "your role sees usage, but no sessions of the team", hint);
    }
  }
  const shelves = [reader.own, ...reader.projects.map(({ shelf }) => shelf)];
  return new HubSource(pool, shelves, options, (opened) => toFiguresStore(opened, reader));
}
