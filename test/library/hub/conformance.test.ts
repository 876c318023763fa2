import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type HubIndex,
  type Index,
  openIndex,
  PidexError,
  type Stats,
  USAGE_DIMENSIONS,
} from "../../../library/index.ts";
import type { MachineFile } from "../../../src/store/postgres/files.ts";
import { startHub } from "../../bin/hub/hubs.ts";
import { ROOTS } from "../../query/opened-queries.ts";
import { QUERIES } from "../../store/conformance/questions.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { addFile, openAs, settleShelves } from "./hub-files.ts";

type AnyIndex = Pick<HubIndex, keyof HubIndex & keyof Index>;
type Ask = (index: AnyIndex, sessions: readonly string[]) => Promise<unknown>;

/** Questions to the public methods. Each is asked about the same files. */
const QUESTIONS: Record<string, Ask> = {
  "listAll without options": (index) => index.listAll(),
  "listAll with everything": (index) =>
    index.listAll({ subagents: "yes", archived: "yes", pinnedFirst: true }),
  "listAll since a Date": (index) => index.listAll({ since: new Date("2026-01-15") }),
  "pages of listAll": async (index) => {
    const pages: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const { next, ...page } = await index.listAll({ limit: 5, sort: "created", ...(cursor && { cursor }) });
      pages.push(page);
      if (!next) return pages;
      cursor = next;
    }
  },
  list: (index) =>
    index.list("/home/ada/shop", { limit: 3 }).then(({ sessions, total }) => ({ sessions, total })),
  listSummaries: (index) => index.listSummaries({ limit: 7 }),
  "labels of all": (index) => index.labels(),
  "problems of all": (index) => index.problems(),
  complete: (index) => index.complete("project:s"),
  "complete at the cursor": (index) => index.complete("mod tax", 3),
  files: async (index) => {
    const { sessions, total, touchCount } = await index.files("*.ts", { limit: 1000, touches: 1 });
    return {
      total,
      touchCount,
      sessions: sessions.map(({ session, touchCount }) => ({ session, touchCount })),
    };
  },
  ...Object.fromEntries(
    (
      ["find", "treeEntries", "outline", "tree", "forks", "branch", "labels", "problems", "context"] as const
    ).map((method): [string, Ask] => [
      `${method} of each session`,
      (index, sessions) =>
        Promise.all(sessions.map((session) => attempt(() => index[method](session) as Promise<unknown>))),
    ]),
  ),
  "entries of each session": (index, sessions) =>
    Promise.all(
      sessions.map((session) => attempt(() => Array.fromAsync(index.entries(session, { branch: "all" })))),
    ),
  "single entries": (index, sessions) =>
    Promise.all(
      sessions.map((session) =>
        attempt(async () => {
          const [first] = await index.treeEntries(session);
          const id = first?.id ?? "none";
          return [
            await index.entry(session, id),
            await index.children(session, id),
            await index.branch(session, id),
          ];
        }),
      ),
    ),
  ...Object.fromEntries(
    USAGE_DIMENSIONS.filter((by) => by !== "machine" && by !== "person").map((by): [string, Ask] => [
      `usage by ${by}`,
      (index) => index.usage({ by: [by] }),
    ]),
  ),
  "usage by two, filtered": (index) =>
    index.usage({ by: ["month", "model"], project: "shop", since: new Date("2026-01-10"), limit: 3 }),
  "usage of a session": (index, [session]) => index.usage({ session: session as string, by: ["kind"] }),
  usageEvents: (index) => Array.fromAsync(index.usageEvents()),
  "usageEvents, filtered": (index) =>
    Array.fromAsync(index.usageEvents({ model: "claude", kind: "assistant" })),
  "spend of each session": (index, sessions) =>
    Promise.all(sessions.map((session) => attempt(() => index.spend(session)))),
  "the totals": async (index) => {
    const { bytes: _, databasePath: __, databaseBytes: ___, ...counts } = (await index.stats()) as Stats;
    return counts;
  },
  "the empty context": (index, [session]) => index.context(session as string, null),
  "an unknown session": (index) => attempt(() => index.find("nosuch")),
  "an ambiguous session": (index) => attempt(() => index.find("019")),
  "an unknown entry": (index, [session]) => attempt(() => index.entry(session as string, "nosuch")),
  "an invalid option": (index) => attempt(() => index.listAll({ limit: 0 })),
  "an unknown option": (index) => attempt(() => index.listAll({ nosuch: 1 } as never)),
  "an invalid query": (index) => attempt(() => index.search("since:never")),
  "an invalid cursor": (index) => attempt(() => index.search("tax", { cursor: "x.y" }).catch(codeOf)),
  "options that are no object": (index) => attempt(() => index.listAll(7 as never)),
  ...Object.fromEntries(
    QUERIES.map((query): [string, Ask] => [
      `search ${query}`,
      (index) =>
        attempt(async () => {
          const { sessions, sessionCount, closest } = await index.search(query, { limit: 1000, exact: true });
          return {
            sessionCount,
            closest: closest?.sessionCount,
            sessions: sortBySession(sessions.map(({ session }) => session)),
          };
        }),
    ]),
  ),
};

const codeOf = ({ code }: PidexError) => code;

async function attempt(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
}

function sortBySession<T extends { path: string }>(sessions: T[]): T[] {
  return sessions.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * An answer with what differs by design made equal: paths have no machine, a hub has no bytes beyond the last whole line and no NUL in
 * texts.
 */
function comparable(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/\bada-laptop:/g, "").replaceAll("\0", "\ufffd");
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(comparable);
  const { size: _, machine: ____, person: _____, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, comparable(inner)]));
}

describe.skipIf(!hasPostgres)("a hub gives the same answers as the local index of the same files:", () => {
  const closing = new AsyncDisposableStack();
  let local: Index;
  let hub: HubIndex;
  let sessions: string[];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    closing.defer(() => rmSync(folder, { recursive: true }));
    local = closing.use(await openIndex({ db: join(folder, "index.db"), roots: ROOTS }));
    await local.sync();
    const server = closing.use(await startHub());
    const db = new Database(join(folder, "index.db"), { readonly: true });
    const files = db.prepare("SELECT path, subagent FROM file ORDER BY id").all() as MachineFile[];
    db.close();
    for (const { path, subagent } of files) await addFile(server, server.owner, path, { subagent });
    await settleShelves(server);
    hub = closing.use(await openAs(server, server.owner));
    sessions = (await local.listAll({ subagents: "yes" })).sessions.map(({ path }) => path);
  });
  afterAll(() => closing.disposeAsync());

  test.each(Object.keys(QUESTIONS))("%s", async (name) => {
    const ask = QUESTIONS[name] as Ask;
    expect(comparable(await ask(hub, sessions))).toEqual(comparable(await ask(local, sessions)));
  });
});
