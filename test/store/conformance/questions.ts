import type { FileTouch, SessionInfo } from "../../../query/answers.ts";
import { completeQuery } from "../../../query/complete.ts";
import { readContext, readEntries } from "../../../query/entries.ts";
import { listFileTouches } from "../../../query/files.ts";
import { findForkLocations } from "../../../query/forks.ts";
import type { InsightsOptions } from "../../../query/insights/insight-options.ts";
import { insights } from "../../../query/insights/insights.ts";
import { listLabels } from "../../../query/labels.ts";
import { listSessionSummaries, listSessions } from "../../../query/list.ts";
import type { FilesOptions, ListOptions, SearchOptions } from "../../../query/options.ts";
import { readSessionOutline } from "../../../query/outline.ts";
import { listProblems } from "../../../query/problems.ts";
import { type ResolvedSession, resolveSession } from "../../../query/resolve-session.ts";
import { searchEntries, searchSessions } from "../../../query/search/search.ts";
import { countIndex } from "../../../query/stats.ts";
import { listThreads } from "../../../query/threads.ts";
import { readSessionTree } from "../../../query/tree.ts";
import { sessionUsage } from "../../../query/usage/session-usage.ts";
import { readSpending } from "../../../query/usage/spending.ts";
import { usage } from "../../../query/usage/usage.ts";
import { usageEvents } from "../../../query/usage/usage-events.ts";
import {
  USAGE_DIMENSIONS,
  type UsageEventsOptions,
  type UsageOptions,
} from "../../../query/usage/usage-options.ts";
import type { Store } from "../../../src/store/store.ts";

/** A question that every store must answer in the same way. */
export interface Question {
  name: string;
  ask: (store: Store) => Promise<unknown>;
}

const LISTS: ListOptions[] = [
  {},
  { limit: 7 },
  { order: "oldest", limit: 7 },
  ...(["created", "messages"] as const).map((sort): ListOptions => ({ sort, limit: 7 })),
  { sort: "cost", limit: 7, subagents: "yes" },
  { sort: "cost", costs: true },
  { sort: "cost", order: "oldest", pinnedFirst: true, limit: 5 },
  { sort: "name", limit: 7, subagents: "yes" },
  { sort: "name", order: "oldest", pinnedFirst: true, limit: 5 },
  { costs: true, limit: 7, subagents: "yes" },
  { sort: "size", limit: 3, cwd: "/home/ada/shop" },
  { pinnedFirst: true },
  { pinnedFirst: true, limit: 5 },
  { pinnedFirst: true, limit: 5, order: "oldest" },
  ...(["no", "yes", "only"] as const).flatMap((which): ListOptions[] => [
    { subagents: which },
    { archived: which },
  ]),
  ...[true, false].flatMap((value): ListOptions[] => [
    { named: value },
    { labeled: value },
    { pinned: value },
    { internal: value },
    { problems: value },
  ]),
  { cwd: "/home/ada/shop" },
  { project: "shop" },
  { project: "ADA/Shop" },
  { project: "/home/ada/shop" },
  { project: "书店" },
  { project: "op" },
  { model: "claude" },
  { model: "GPT" },
  { model: "anthropic/claude-opus-4-5" },
  { tags: ["tax"] },
  { tags: ["T*"] },
  { since: "2026-01-15", until: "2026-02-03" },
  { except: ["019c4bef-ebb8-7000-8000-000000000001"] },
];

/** Queries as people type them: words, phrases, prefixes, fields, exclusions, typos, pasted text. */
export const QUERIES = [
  ..."tax checkout rounding total error the a i test parser blog 数据 数 书店 🎉 日本 café naïve".split(" "),
  ..."parseSession snake_case src/tax.ts tax.ts package.json --no-cache C++ v2 0.1 TypeError".split(" "),
  ...["tax total", "rounding tax checkout", "the total", "double tax", "cannot read properties of undefined"],
  ...['"double tax"', '"the tax"', '"cannot read"', '"数据"', '"src/tax.ts"', '"a b"'],
  ...["ta*", "t*", "par*", "co* ta*", "数*", "c*"],
  ...["tax OR blog", "tax OR rounding OR parser", "(tax OR total) checkout", "(tax -total) OR parser"],
  ...["tax -total", "tax -rounding -checkout", 'total -"the total"', "-tax total"],
  ...["role:user", "role:assistant tax", "role:toolResult error", "role:user OR role:assistant"],
  ...["type:compaction", "type:message tax", "type:session_info", "-type:message tax"],
  ...["tool:bash", "tool:read tax", "tool:BASH", "tool:e*", "-tool:bash error"],
  ...["is:error", "is:current tax", "is:named", "is:forked", "is:pinned", "is:archived", "-is:current"],
  ...["since:2026-01-20", "until:2026-01-20", "since:2026-01-15 until:2026-02-01 tax"],
  ...["file:tax.ts", "file:src/", "file:*.ts", "file:package.json tax", "-file:*.ts tax", "file:nosuch"],
  ...["label:checkpoint", "label:t", "name:tax", "name:a", "title:tax", "title:e", "tag:tax", "tag:t*"],
  ...["project:shop -is:named", "-project:shop", "is:named OR -cost:>1"],
  ...["project:shop", "project:parser error", "cwd:/home/ada/shop tax", "agent:pi tax", "agent:atomic"],
  ...[
    "cost:>0.01",
    "cost:..0.001 tax",
    "-cost:>0.01 tax",
    "messages:>4",
    "messages:2..4 the",
    "-messages:1.. a",
  ],
  ...["model:claude tax", "model:gpt", "provider:anthropic", "provider:open error", "session:019c4bef"],
  ...[
    "session:@last",
    "(tax role:user) OR is:error",
    "tax (role:user OR tool:read)",
    "(tax OR tool:bash) -is:error",
  ],
  ...["chekout", "roundng", "totl tax", "taxes", "parsing sessions", "how do I fix the tax"],
  ...[
    "why does the checkout add the tax twice",
    "TypeError: Cannot read properties of undefined (reading 'total')",
  ],
  ...[
    "at checkout (src/tax.ts:12:5)\n  at main",
    "nosuchword",
    "nosuchword tax",
    "019c4bef-ebb8-7000-8000-000000000001",
  ],
];

const SEARCHES: [query: string, options: SearchOptions][] = [
  ["tax", { role: "user" }],
  ["tax", { project: "shop" }],
  ["tax", { cwd: "/home/ada/shop", since: "2026-01-20" }],
  ["tax", { model: "claude", subagents: "yes" }],
  ["the", { archived: "no" }],
  ["the", { tags: ["tax"] }],
  ["error", { named: true }],
  ["error", { labeled: true, archived: "yes" }],
  ["t*", { problems: true }],
  ["role:user", { until: "2026-01-20" }],
];

const FILES: [pattern: string, options: FilesOptions][] = [
  ["tax.ts", {}],
  ["src/", {}],
  ["*.ts", {}],
  ["*.ts", { action: ["edit", "write"] }],
  ["*.ts", { project: "shop", limit: 2 }],
  ["package.json", { since: "2026-01-10" }],
  ["nosuch", {}],
];

const COMPLETIONS = [
  "pro",
  "project:",
  "model:",
  "model:c",
  "tool:",
  "tag:",
  "label:",
  "name:",
  "provider:",
  "agent:",
  "role:",
];

const ZONE = { timeZone: "Europe/Berlin" };

const USAGES: UsageOptions[] = [
  {},
  ...USAGE_DIMENSIONS.map((by): UsageOptions => ({ by: [by], ...ZONE })),
  { by: ["month", "model"], ...ZONE },
  { by: ["project", "kind"] },
  { by: ["day", "tool"], timeZone: "Asia/Kolkata" },
  { by: ["session", "branch"] },
  { by: ["day"], since: "2026-01-10", until: "2026-01-20", ...ZONE },
  { by: ["hour"], since: "2026-01-10T10:07:33Z", until: "2026-01-12T10:11:12.345Z" },
  { by: ["model"], since: "2026-01-05T09:00:05Z", until: "2026-01-05T09:00:20Z" },
  { by: ["model"], project: "shop" },
  { by: ["agent"], subagents: "only" },
  { by: ["kind"], subagents: "no" },
  { by: ["model", "day"], estimates: true },
  { by: ["session"], estimates: true, prices: [{ model: "*", from: "2026-01-15", input: 1, output: 2 }] },
];

const SPENDING = {
  now: "2026-02-10T10:07:33Z",
  timeZone: "UTC",
  budgets: ["1/year", "1/month project:shop"],
};
const EVIDENCE = { minOccurrences: 1, minSessions: 1, limit: 1000 };
const INSIGHTS: InsightsOptions[] = [
  { ...EVIDENCE, since: "2026-01-01", until: "2026-03-01" },
  { ...EVIDENCE, since: "2026-01-12", until: "2026-01-20T10:00:00Z", project: "shop" },
];

export const QUESTIONS: readonly Question[] = [
  ...USAGES.map((options) => ({
    name: `usage ${JSON.stringify(options)}`,
    ask: (store: Store) => errorOr(() => readUsage(store, options)),
  })),
  { name: "usage of each session", ask: askOfSpending },
  { name: "spending", ask: (store) => readSpending(store, { ...SPENDING, cwd: "/home/ada/shop" }) },
  ...[{}, { since: "2026-01-10T10:07:33Z" }, { project: "shop" }, { kind: "user" }].map((options) => ({
    name: `usage events ${JSON.stringify(options)}`,
    ask: (store: Store) => listUsageEvents(store, options),
  })),
  ...INSIGHTS.map((options) => ({
    name: `insights ${JSON.stringify(options)}`,
    ask: (store: Store) => readInsights(store, options),
  })),
  ...LISTS.map((options) => ({
    name: `list ${JSON.stringify(options)}`,
    ask: (store: Store) => listAll(store, options),
  })),
  {
    name: "summaries",
    ask: async (store) => (await listSessionSummaries(store, {})).sessions.map(({ path }) => path),
  },
  {
    name: "threads",
    ask: async (store) => {
      const { sessions, total } = await listThreads(store, { pinnedFirst: true, limit: 3 });
      return { paths: sessions.map(({ path }) => path), total };
    },
  },
  { name: "stats", ask: (store) => countEverything(store) },
  { name: "labels", ask: (store) => listLabels(store) },
  { name: "problems", ask: (store) => listProblems(store) },
  { name: "each session", ask: askOfSessions },
  ...[...QUERIES.map((query): [string, SearchOptions] => [query, {}]), ...SEARCHES].flatMap(
    ([query, options]): Question[] => [
      {
        name: `entries that match ${query} ${JSON.stringify(options)}`,
        ask: (store) => findEntries(store, query, { ...options, strict: true }),
      },
      {
        name: `sessions that match ${query} ${JSON.stringify(options)}`,
        ask: (store) => findSessions(store, query, options),
      },
    ],
  ),
  ...FILES.map(([pattern, options]) => ({
    name: `touches of ${pattern} ${JSON.stringify(options)}`,
    ask: (store: Store) => listTouches(store, pattern, options),
  })),
  ...COMPLETIONS.map((query) => ({
    name: `completions of ${query}`,
    ask: async (store: Store) =>
      (await completeQuery(store, query)).options.map(({ text, ...option }) => ({
        ...option,
        text: text.replaceAll("\0", "\ufffd"),
      })),
  })),
  ...COMPLETIONS.map((query) => ({
    name: `completions of ${query} in a view`,
    ask: async (store: Store) =>
      (
        await completeQuery(store, query, query.length, { archived: "no", subagents: "no", named: false })
      ).options.map(({ text, ...option }) => ({ ...option, text: text.replaceAll("\0", "\ufffd") })),
  })),
];

/** All pages of a list. */
async function listAll(store: Store, options: ListOptions): Promise<unknown> {
  const pages: unknown[] = [];
  for (let cursor: string | undefined; ; ) {
    const { sessions, total, next } = await listSessions(store, { ...options, ...(cursor && { cursor }) });
    pages.push({ sessions: sessions.map(toComparable), total });
    if (!next) return pages;
    cursor = next;
  }
}

/** Without what differs: a hub has no bytes beyond the last whole line, and no NUL in texts. */
function toComparable({ size: _, name, ...session }: SessionInfo): unknown {
  return { ...session, name: name?.replaceAll("\0", "\ufffd") };
}

async function readUsage(store: Store, options: UsageOptions): Promise<unknown> {
  const { rows, ...report } = await usage(store, options);
  return { ...report, rows: toSorted(rows) };
}

/** Without the bytes that were read: a hub keeps lines as they were sent. */
async function readInsights(store: Store, options: InsightsOptions): Promise<unknown> {
  const { findings, read, ...rest } = await insights(store, options);
  return {
    ...rest,
    read: read.entries,
    findings: toSorted(findings.map(({ examples, ...each }) => ({ ...each, examples: toSorted(examples) }))),
  };
}

/** In an order that no store decides. */
function toSorted<T>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1));
}

/** JSON, in which a hub's texts have no NUL. */
function toSortKey(row: unknown): string {
  return JSON.stringify(row).replaceAll("\\u0000", "\ufffd");
}

async function askOfSpending(store: Store): Promise<unknown> {
  const { sessions } = await listSessions(store, { subagents: "yes", archived: "yes" });
  const answers: unknown[] = [];
  for (const { path } of sessions) answers.push({ path, ...withoutSizes(await sessionUsage(store, path)) });
  return answers;
}

/** A hub has no bytes beyond the last whole line. */
function withoutSizes(answer: object): object {
  return JSON.parse(JSON.stringify(answer, (name, value) => (name === "size" ? undefined : value)));
}

async function listUsageEvents(store: Store, options: UsageEventsOptions): Promise<unknown> {
  const events = await Array.fromAsync(usageEvents(store, options));
  const times = events.map(({ time }) => String(time ?? "unknown"));
  return {
    events: toSorted(events),
    areSorted: times.every((time, n) => n === 0 || time >= (times[n - 1] as typeof time)),
  };
}

async function countEverything(store: Store): Promise<unknown> {
  const { bytes: _, ...counts } = await countIndex(store);
  return counts;
}

async function askOfSessions(store: Store): Promise<unknown> {
  const { sessions } = await listSessions(store, { subagents: "yes", archived: "yes" });
  const answers: unknown[] = [];
  for (const { path } of sessions) {
    const session = await resolveSession(store, path);
    answers.push({
      path,
      tree: await readSessionTree(store, session),
      outline: await readSessionOutline(store, session),
      labels: await listLabels(store, session.fileId),
      problems: await listProblems(store, session.fileId),
      forks: await forksOf(store, session),
      entries: await errorOr(() => Array.fromAsync(readEntries(store, session, { branch: "all" }))),
      context: await errorOr(() => readContext(store, session, undefined)),
    });
  }
  return answers;
}

async function forksOf(store: Store, session: ResolvedSession): Promise<unknown> {
  const { parent, forks } = await findForkLocations(store, session, 10);
  const shown = ({ session: { path }, ...location }: (typeof forks)[number]) => ({ path, ...location });
  return { parent: parent && shown(parent), forks: forks.map(shown) };
}

async function errorOr(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    return String(error);
  }
}

/** All entries that match, and everything shown of them, in an order that no store decides. */
async function findEntries(store: Store, query: string, options: SearchOptions): Promise<unknown> {
  return errorOr(async () => {
    const found = await searchEntries(store, query, { ...options, exact: true, limit: 1000, facets: true });
    const hits = found.hits.map(({ score: _, ...hit }) => hit);
    hits.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
    const { hitCount, sessionCount, facets, totals, unfound, notAQuery } = found;
    return { hits, hitCount, sessionCount, facets, totals, unfound, notAQuery };
  });
}

/** The sessions that match or are the closest, in an order that no store decides. */
async function findSessions(store: Store, query: string, options: SearchOptions): Promise<unknown> {
  return errorOr(async () => {
    const { sessions, sessionCount, closest } = await searchSessions(store, query, {
      ...options,
      limit: 1000,
    });
    return {
      paths: sessions.map(({ session }) => session.path).sort(),
      sessionCount,
      corrected: closest?.corrected.toSorted((a, b) => (a.from < b.from ? -1 : 1)),
    };
  });
}

async function listTouches(store: Store, pattern: string, options: FilesOptions): Promise<unknown> {
  const { sessions, total, touchCount } = await listFileTouches(store, pattern, { touches: 50, ...options });
  return {
    sessions: sessions.map(({ session, touches, ...rest }) => ({
      path: session.path,
      touches: touches.toSorted((a, b) => (toTouchKey(a) < toTouchKey(b) ? -1 : 1)),
      ...rest,
    })),
    total,
    touchCount,
  };
}

/** An entry may touch several files, in no order. */
function toTouchKey({ line, path, action }: FileTouch): string {
  return `${line} ${path} ${action}`;
}
