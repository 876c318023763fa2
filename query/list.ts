import type { z } from "zod";
import type {
  ListedSessionRow,
  SessionPage,
  SessionPosition,
  SessionRow,
  SessionSummaryRow,
} from "../src/store/session-reads.ts";
import type { Store } from "../src/store/store.ts";
import type { SessionInfo } from "./answers.ts";
import { decodePositions, encodeCursor } from "./cursor.ts";
import { toListCondition } from "./filter.ts";
import type { ListOptions, SortKey } from "./options.ts";
import { parsePlainListOptions } from "./parse-plain-options.ts";
import { NO_MESSAGES_TEXT, toSessionInfos } from "./session-info.ts";

/** A page of sessions. */
export interface SessionList {
  sessions: SessionInfo[];
  /** Number of sessions that match the filters, on all pages. */
  total: number;
  /** The `cursor` of the next page, if there is one. */
  next?: string;
}

/**
 * Lists sessions, newest first by default.
 *
 * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`, `BAD_QUERY`
 */
export async function listSessions(store: Store, options: ListOptions): Promise<SessionList> {
  const params = parsePlainListOptions(options) ?? (await parseListOptions(options));
  const { limit, cursor } = params;
  const page = await toSessionPage(store, params);
  const rows = withPinsFirst(await readPage(store, page), params);
  const sessions = limit === undefined ? rows : rows.slice(0, limit);
  const last = sessions.at(-1);
  const list: SessionList = { sessions: await toSessionInfos(store, sessions), total: sessions.length };
  const byFile = () => new Map(sessions.map(({ file_id }, n) => [file_id, list.sessions[n] as SessionInfo]));
  if (params.costs) await (await import("./session-costs.ts")).addCosts(store, byFile());
  if (params.models) await (await import("./session-models.ts")).addModels(store, byFile());
  if (rows.length > sessions.length && last) {
    const { pinned, sort_value: value, file_id: file } = last;
    list.next = encodePosition({ pinned, value, file }, params);
  }
  if (list.next || cursor !== undefined) list.total = await store.sessions.count(page.condition);
  return list;
}

/** The fields needed to tell sessions apart. */
export type SessionSummary = Pick<
  SessionInfo,
  "path" | "id" | "cwd" | "modified" | "messageCount" | "name" | "firstMessage" | "computedTitle"
>;

/** Lists sessions with fewer fields, in a third of the time for thousands of sessions. @throws as `listSessions` */
export async function listSessionSummaries(
  store: Store,
  options: ListOptions,
): Promise<{ sessions: SessionSummary[]; next?: string }> {
  const params = parsePlainListOptions(options) ?? (await parseListOptions(options));
  const { sort, ...page } = await toSessionPage(store, params);
  const found =
    sort === "cost"
      ? (await readPage(store, { sort, ...page })).map(toSummaryRow)
      : await store.sessions.listSummaries({ sort, ...page });
  const rows = withPinsFirst(found, params);
  const sessions = (params.limit === undefined ? rows : rows.slice(0, params.limit)).map(
    ({ path, id, cwd, modified, messageCount, name, firstMessage, computedTitle }): SessionSummary => ({
      path,
      id,
      cwd,
      modified: new Date(modified),
      messageCount,
      name: name ?? undefined,
      firstMessage: firstMessage ?? NO_MESSAGES_TEXT,
      computedTitle: computedTitle ?? undefined,
    }),
  );
  return { sessions };
}

function toSummaryRow(row: SessionRow): SessionSummaryRow {
  const {
    path,
    id,
    cwd,
    pinned,
    modified,
    message_count: messageCount,
    name,
    first_message: firstMessage,
    computed_title: computedTitle,
  } = row;
  return { path, id, cwd, pinned, modified, messageCount, name, firstMessage, computedTitle };
}

/** A page that may be sorted by cost, which is not a column. */
type Page = Omit<SessionPage, "sort"> & { sort: SortKey };

/** Reads a page, in its order. */
async function readPage(store: Store, { sort, ...page }: Page): Promise<ListedSessionRow[]> {
  if (sort !== "cost") return store.sessions.list({ sort, ...page });
  const { listByCost } = await import("./list-by-cost.ts");
  return listByCost(store, page);
}

/** Without a limit, rows come in index order, and pins are moved here: sorting thousands in SQL takes as long as finding them. */
function withPinsFirst<T extends { pinned: number }>(
  rows: T[],
  { pinnedFirst, limit }: z.output<typeof ListOptions>,
): T[] {
  if (!pinnedFirst || limit !== undefined || !rows.some(({ pinned }) => pinned === 1)) return rows;
  return [...rows.filter(({ pinned }) => pinned === 1), ...rows.filter(({ pinned }) => pinned !== 1)];
}

/** The page that options describe. @throws as `toQueryCondition`, and PidexError `BAD_CURSOR` */
export async function toSessionPage(store: Store, params: z.output<typeof ListOptions>): Promise<Page> {
  const { sort, order, pinnedFirst, limit, query = "" } = params;
  const isPlain = query.trim() === "";
  return {
    condition: isPlain
      ? toListCondition(params)
      : await (await import("./list-query.ts")).toQueryCondition(store, query, params),
    sort,
    order,
    pinnedFirst,
    limit,
    after: decodePosition(params),
  };
}

/** The order that a cursor belongs to. */
function toOrderName({ sort, order, pinnedFirst }: z.output<typeof ListOptions>): string {
  return `${pinnedFirst ? "pinned " : ""}${sort} ${order}`;
}

function encodePosition(
  { pinned, value, file }: SessionPosition,
  params: z.output<typeof ListOptions>,
): string {
  return encodeCursor([pinned, value, file], toOrderName(params));
}

/** @throws PidexError `BAD_CURSOR` */
function decodePosition(params: z.output<typeof ListOptions>): SessionPosition | undefined {
  if (params.cursor === undefined) return undefined;
  const [pinned, value, file] = decodePositions(params.cursor, toOrderName(params), 3, "list") as [
    number,
    number | string,
    number,
  ];
  return { pinned, value, file };
}

/** Parses options with zod. @throws PidexError `BAD_OPTION` */
export async function parseListOptions(options: ListOptions) {
  const { ListOptions, parseOptions } = await import("./options.ts");
  return parseOptions(ListOptions, options);
}
