import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { text, toolCall } from "../../fixtures/blocks.ts";
import { session } from "../../fixtures/builder.ts";
import type { Hit, HitLocation, ScanHit } from "../../library/index.ts";
import { collapseCopies } from "../../query/copies.ts";
import { readLocationsWithCopies } from "../../query/entry-locations.ts";
import { listFileTouches } from "../../query/files.ts";
import { scanHits } from "../../query/scan/scan-hits.ts";
import { searchEntries } from "../../query/search/search.ts";
import { toRoot } from "../../src/session/locations.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openThrowaway, syncFolders } from "../indexer/index-at.ts";
import { temporaryFolder } from "../temporary.ts";
import { collect } from "./opened-queries.ts";

/** An entry that any number of files may contain any number of times. Few distinct values make duplicates likely. */
const entry = fc.record({
  id: fc.constantFrom("0000abcd", "5", 5, undefined),
  timestamp: fc.constantFrom("2026-01-05T09:00:00.000Z", "2026-01-05T09:00:00.001Z", undefined),
  say: fc.constantFrom("needle", "needle too"),
  role: fc.constantFrom("user", "assistant", "custom"),
  parentId: fc.constantFrom(null, "0000abcd"),
});
type Entry = typeof entry extends fc.Arbitrary<infer E> ? E : never;

/** A session file: new entries, or the entries of the previous file followed by new ones. */
const file = fc.record({
  isFork: fc.boolean(),
  created: fc.constantFrom("2026-02-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "some day"),
  entries: fc.array(entry, { maxLength: 5 }),
});

const READ = toolCall("c", "read", { path: "/shop/tax.ts" });

/** The identity of an entry: everything except its parent. */
function identity({ id, timestamp, say, role }: Entry): string | undefined {
  if (id === undefined || timestamp === undefined) return undefined;
  return JSON.stringify([id, timestamp, say, role]);
}

/** All locations of each entry of each file, by counting. */
function expectedGroups(files: readonly Entry[][], paths: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  files.forEach((entries, n) => {
    const counts = new Map<string, number>();
    entries.forEach((each, index) => {
      const place = `${paths[n]}:${index + 2}`;
      const known = identity(each);
      const count = known === undefined ? 0 : (counts.get(known) ?? 0);
      if (known !== undefined) counts.set(known, count + 1);
      const key = known === undefined ? place : `${known} ${count}`;
      groups.set(key, [...(groups.get(key) ?? []), place]);
    });
  });
  return inOrder([...groups.values()]);
}

const inOrder = (groups: string[][]): string[][] =>
  groups.map((group) => group.sort()).sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1));

const groupsOf = (hits: readonly (Hit | ScanHit)[]): string[][] =>
  inOrder(hits.map((hit) => [hit, ...hit.alsoIn].map(place)));

const place = ({ path, line }: Pick<HitLocation, "path" | "line">): string => `${path}:${line}`;

test("every query lists each copy of an entry once", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 5 }), async (definitions) => {
      const root = join(temporaryFolder(), "sessions");
      const files: Entry[][] = [];
      for (const { isFork, entries } of definitions)
        files.push([...((isFork && files.at(-1)) || []), ...entries]);
      const paths = files.map((entries, n) => {
        const talk = session({ id: `s${n}`, header: { timestamp: definitions[n]?.created } });
        for (const { say, role, ...fields } of entries) {
          talk.message({ role, content: [text(say), READ], timestamp: 1 }, fields);
        }
        return talk.write(join(root, "p", `s${n}.jsonl`));
      });
      const database = await openThrowaway(join(temporaryFolder(), "index.db"));
      try {
        await syncFolders(database, root);
        const db = database.reader;
        const scope = { roots: [toRoot(root)] };
        const expected = expectedGroups(files, paths);

        const found = await searchEntries(db, scope, "needle", { limit: 1000, subagents: "yes" });
        expect(groupsOf(found.hits)).toEqual(expected);
        expect(found.hitCount).toBe(expected.length);
        const scanned = await collect(scanHits(db, scope, { substring: "needle" }, { subagents: "yes" }, {}));
        expect(groupsOf(scanned)).toEqual(expected);

        // Looking up single entries gives the same as grouping all rows.
        const store = new SqliteStore(db, scope);
        const ids = await allIds(database.readerHandle);
        const rows = await (await store.entries()).getLocations(ids, { copies: false });
        const groups = collapseCopies(rows).map(({ row, copies }) => [row, ...copies]);
        for (const group of groups) {
          for (const { position } of group) {
            const found = await readLocationsWithCopies(store, [position]);
            expect(found.get(position)?.map(place)).toEqual(group.map(place));
          }
        }

        const touches = (await listFileTouches(store, "tax.ts", { limit: 1000, touches: 1000 })).sessions
          .flatMap(({ session, touches }) => touches.map((touch) => ({ ...touch, path: session.path })))
          .map((touch) => [touch, ...touch.alsoIn].map(place));
        const saidByAssistant = (at: string) => {
          const [path, line] = [at.slice(0, at.lastIndexOf(":")), Number(at.slice(at.lastIndexOf(":") + 1))];
          return files[paths.indexOf(path)]?.[line - 2]?.role === "assistant";
        };
        expect(inOrder(touches)).toEqual(expected.filter(([at = ""]) => saidByAssistant(at)));
      } finally {
        await database.close();
      }
    }),
    { numRuns: 30 },
  );
});

function allIds(handle: Awaited<ReturnType<typeof openThrowaway>>["readerHandle"]): number[] {
  return handle.prepare<unknown[], number>("SELECT id FROM entry").pluck().all();
}
