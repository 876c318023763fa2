import fc from "fast-check";
import { expect, test } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import { searchEntries, searchSessions } from "../../../query/search/search.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";

/** Windows too small for all hits, so that copies of one entry are in several. */
const WINDOWS = [
  { first: 2, wide: 5 },
  { first: 5, wide: 20 },
];
const QUERIES = ["needle", "needle hay", "needle OR hay", "needle is:current"];
const SORTS = ["relevance", "newest", "oldest"] as const;
const RUNS = Number(process.env.PIDEX_RUNS ?? 8);

/** A new session, or a fork of an earlier one, from its end or from one of its entries. */
const anySession = fc.record({
  forkOf: fc.option(fc.nat(9), { nil: undefined }),
  leaf: fc.option(fc.nat(9), { nil: undefined }),
  messages: fc.array(
    fc.record({
      text: fc.constantFrom("needle", "hay", "needle hay", "needle needle one", "hay needle two"),
      branch: fc.option(fc.nat(9), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

function write(
  root: string,
  all: readonly (typeof anySession extends fc.Arbitrary<infer T> ? T : never)[],
): void {
  const sessions: Session[] = [];
  const idOf = ({ entries }: Session, n: number) => String(entries[n % entries.length]?.id);
  for (const [n, { forkOf, leaf, messages }] of all.entries()) {
    const timestamp = new Date(Date.UTC(2026, 0, 1 + 2 * n)).toISOString();
    const options = { id: `s${n}`, timestamp };
    const parent = forkOf === undefined ? undefined : sessions[forkOf % Math.max(1, sessions.length)];
    const talk = parent
      ? parent.fork({ ...options, ...(leaf !== undefined && { leaf: idOf(parent, leaf) }) })
      : session(options);
    for (const { text, branch } of messages) {
      if (branch !== undefined && talk.entries.length > 1) talk.branch(idOf(talk, branch));
      talk.user(text);
    }
    sessions.push(talk);
  }
  for (const each of sessions) each.writeUnder(root);
}

/** All pages of a result. */
async function paged<T>(page: (cursor: string | undefined) => Promise<{ items: T[]; next?: string }>) {
  const all: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await page(cursor);
    all.push(...items);
    if (next === undefined) return all;
    expect(items.length).toBeGreaterThan(0);
    cursor = next;
  }
}

test("all pages contain each session once, including all that an exact search finds, despite copies in forks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anySession, { minLength: 3, maxLength: 9 }), async (all) => {
      const root = temporaryFolder();
      write(root, all);
      const db = await databaseIn(temporaryFolder());
      await syncFolders(db, [root]);
      const store = new SqliteStore(db.reader, { roots: [toRoot(root)] });
      for (const windows of WINDOWS) {
        for (const query of QUERIES) {
          for (const sort of SORTS) {
            const whole = { sort, exact: true, limit: 1000, strict: true };
            const exact = await searchSessions(store, query, whole, windows);
            const entries = await searchEntries(store, query, whole, windows);
            for (const limit of [1, 3]) {
              const shown = await paged(async (cursor) => {
                const options = { sort, limit, cursor, strict: true };
                const { sessions, next } = await searchSessions(store, query, options, windows);
                return {
                  items: sessions.map((each) => each.session.id),
                  ...(next !== undefined && { next }),
                };
              });
              expect(new Set(shown).size).toBe(shown.length);
              const missed = exact.sessions.filter((each) => !shown.includes(each.session.id));
              expect([query, sort, limit, missed.map((each) => each.session.id)]).toEqual([
                query,
                sort,
                limit,
                [],
              ]);
              const hits = await paged(async (cursor) => {
                const options = { sort, limit, cursor, strict: true };
                const { hits, next } = await searchEntries(store, query, options, windows);
                const items = hits.map(({ entryId, timestamp }) => `${entryId} ${timestamp}`);
                return { items, ...(next !== undefined && { next }) };
              });
              // For cross-entry matches, windows determine which entries are shown.
              if (query === "needle hay") continue;
              const expected = entries.hits.map(({ entryId, timestamp }) => `${entryId} ${timestamp}`);
              expect(hits.toSorted()).toEqual(expected.toSorted());
            }
          }
        }
      }
      await db.close();
    }),
    { numRuns: RUNS },
  );
}, 300_000);
