import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { catalog } from "../../fixtures/catalog.ts";
import { discover } from "../../indexer/discover.ts";
import { ingest } from "../../indexer/ingest.ts";
import { prepareRowWriter } from "../../indexer/rows.ts";
import { getCurrentPath, readEntryRows } from "../../query/tree.ts";
import { toRoot } from "../../src/session/locations.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { Reader } from "../../src/store/sqlite/reader.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryFolder } from "../temporary.ts";
import { openThrowaway, syncFolders } from "./index-at.ts";

/** The current ranges of each file, from the index and computed from the parents of its rows. */
async function rangesOf(db: Database): Promise<{ kept: unknown; due: unknown }[]> {
  const store = new SqliteStore(Reader.of(db.writer), { roots: [] });
  const files = db.writer.prepare("SELECT id FROM file ORDER BY id").pluck().all() as number[];
  const kept = db.writer.prepare(
    "SELECT first_line, last_line FROM current_range WHERE file_id = ? ORDER BY first_line",
  );
  return Promise.all(
    files.map(async (fileId) => {
      const rows = await readEntryRows(store, { fileId } as Parameters<typeof readEntryRows>[1]);
      const current = new Set(getCurrentPath(rows));
      const due: [number, number][] = [];
      rows.forEach((row, n) => {
        const before = rows[n - 1];
        if (!current.has(row)) return;
        if (before && current.has(before)) (due.at(-1) as [number, number])[1] = row.line;
        else due.push([row.line, row.line]);
      });
      return { kept: kept.raw().all(fileId), due };
    }),
  );
}

/** Ids that are equal, missing, or equal only after conversion by SQLite. */
const anyId = fc.constantFrom<unknown>(
  "a",
  "b",
  "c",
  5,
  "5",
  0,
  "",
  null,
  undefined,
  "\ud83d",
  "\ude00",
  "n\0",
);
const line = fc.oneof(
  // Entries as pi writes them: a new id, with the previous entry as parent. `-1` stands for the previous entry,
  // smaller numbers for earlier ones.
  { weight: 8, arbitrary: fc.record({ id: fc.constant("new"), up: fc.constant(-1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ id: fc.constantFrom("new", "new", "a", 5), up: fc.integer({ min: -9, max: -1 }) }),
  },
  { weight: 3, arbitrary: fc.record({ id: anyId, parentId: anyId }) },
  { weight: 1, arbitrary: fc.record({ id: fc.constant("new"), parentId: fc.constant("to come 7") }) },
  { weight: 1, arbitrary: fc.record({ id: fc.constant("to come 7"), up: fc.constant(-1) }) },
  { weight: 1, arbitrary: fc.constantFrom("", "no JSON", '{"type":"session","id":"again"}', "[]") },
);
const growth = fc.array(fc.array(line, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });

// PIDEX_RUNS=5000 tests more cases.
test("the stored current branch is the path in the tree, however the file grew", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(growth, fc.constantFrom(1, 3), fc.boolean(), async (steps, version, rewritten) => {
      const here = join(folder, String(++run));
      mkdirSync(join(here, "sessions"), { recursive: true });
      const path = join(here, "sessions", "tree.jsonl");
      const header = `${JSON.stringify({ type: "session", id: "tree", version })}\n`;
      writeFileSync(path, header);
      const db = await openThrowaway(join(here, "index.db"));
      try {
        const ids: unknown[] = [];
        for (const step of steps) {
          for (const entry of step) {
            let text: unknown = entry;
            if (typeof entry !== "string") {
              const id = entry.id === "new" ? `new ${ids.length}` : entry.id;
              const parentId = "up" in entry ? ids.at(entry.up) : entry.parentId;
              ids.push(id);
              text = JSON.stringify({ type: "custom", id, parentId });
            }
            appendFileSync(path, `${text}\n`);
          }
          await syncFolders(db, join(here, "sessions"));
          for (const { kept, due } of await rangesOf(db)) expect(kept).toEqual(due);
        }
        // In one go, by a thread, in parts and transactions of a few lines.
        const loaded = await openThrowaway(join(here, "loaded.db"));
        await syncFolders(loaded, join(here, "sessions"), { batchBytes: 200 });
        const inParts = await rangesOf(loaded);
        await loaded.close();
        expect(inParts).toEqual(await rangesOf(db));
        if (rewritten) {
          writeFileSync(path, header);
          await syncFolders(db, join(here, "sessions"));
          expect(await rangesOf(db)).toEqual([{ kept: [], due: [] }]);
        }
      } finally {
        await db.close();
        rmSync(here, { recursive: true, force: true });
      }
    }),
    { numRuns: Number(process.env.PIDEX_RUNS ?? 30) },
  );
}, 600_000);

test("the current branch of every fixture is the path in its tree", async () => {
  const folder = temporaryFolder();
  for (const { path, session } of catalog) session.write(join(folder, "sessions", path));
  const db = await openThrowaway(join(folder, "index.db"));
  await syncFolders(db, join(folder, "sessions"));
  const all = await rangesOf(db);
  await db.close();
  expect(all).toHaveLength(catalog.length);
  expect(all.filter(({ kept }) => (kept as unknown[]).length > 1).length).toBeGreaterThan(1);
  for (const { kept, due } of all) expect(kept).toEqual(due);
});

test("a linear conversation extends its last range, and reads no other entry", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "straight.jsonl");
  const chain = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => {
      const at = from + n;
      return `${JSON.stringify({ type: "custom", id: `e${at}`, parentId: at ? `e${at - 1}` : null })}\n`;
    }).join("");
  writeFileSync(path, `{"type":"session","id":"straight","version":3}\n${chain(0, 50)}`);
  const db = await openThrowaway(join(folder, "index.db"));
  const rowWriter = prepareRowWriter(db.writer);
  let rebuilt = 0;
  const branches: typeof rowWriter.branches = {
    ...rowWriter.branches,
    rebuild(fileId) {
      rebuilt++;
      return rowWriter.branches.rebuild(fileId);
    },
  };
  const read = async () => {
    const [file] = (await discover([toRoot(folder)])).files;
    const count = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
    rowWriter.transaction(() =>
      ingest({ rowWriter: { ...rowWriter, branches }, file: file as never, budget: 1e9, count }),
    );
  };
  await read();
  appendFileSync(path, chain(50, 52));
  await read();
  appendFileSync(path, "no JSON\n");
  await read();
  appendFileSync(path, chain(52, 53));
  await read();
  expect(rebuilt).toBe(0);
  expect(await rangesOf(db)).toEqual([{ kept: [[2, 55]], due: [[2, 55]] }]);
  appendFileSync(path, '{"type":"custom","id":"x","parentId":"e3"}\n');
  await read();
  expect(rebuilt).toBe(1);
  expect(await rangesOf(db)).toEqual([
    {
      kept: [
        [2, 5],
        [56, 56],
      ],
      due: [
        [2, 5],
        [56, 56],
      ],
    },
  ]);
  // Read from its start, a file with prompts that were edited and a new root needs no other entry either.
  const again = (id: string, parentId: string | null) =>
    `${JSON.stringify({ type: "custom", id, parentId })}\n`;
  writeFileSync(
    path,
    `{"type":"session","id":"edited","version":3}\n${chain(0, 50)}${again("x", "e20")}${again("y", "x")}${again("z", "e9")}`,
  );
  await read();
  expect(await rangesOf(db)).toEqual([
    {
      kept: [
        [2, 11],
        [54, 54],
      ],
      due: [
        [2, 11],
        [54, 54],
      ],
    },
  ]);
  appendFileSync(path, `${again("r", null)}${again("s", "r")}`);
  rebuilt = 0;
  writeFileSync(path, `${readFileSync(path, "utf8").replace("edited", "afresh")}`);
  await read();
  expect(await rangesOf(db)).toEqual([{ kept: [[55, 56]], due: [[55, 56]] }]);
  expect(rebuilt).toBe(0);
  await db.close();
});
