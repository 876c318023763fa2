import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { catalog } from "../../fixtures/catalog.ts";
import { sync } from "../../indexer/sync.ts";
import { migrations } from "../../migrations/index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { isWriterLocked } from "../../src/store/sqlite/lock.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";
import { type Dump, dumpTables } from "./dump.ts";
import { onFaultPoints } from "./fault-points.ts";
import { openThrowaway, rebuilt, syncFolders } from "./index-at.ts";

const CHILD = join(import.meta.dirname, "sync-killed-child.ts");

/**
 * Bytes per transaction, so few that the small sessions here take many transactions, a file several, and the load is a large
 * one.
 */
const BATCH_BYTES = 1_500;

/**
 * Number of states to check, and of points at which a process is really killed; `PIDEX_KILLS=all` checks all and takes half an
 * hour.
 */
const [STATES, KILLS] =
  process.env.PIDEX_KILLS === "all" ? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] : [14, 3];

/** An evenly spread sample, from a random start. */
function spread<T>(all: readonly T[], count: number): T[] {
  const every = Math.max(1, Math.ceil(all.length / count));
  const first = Math.floor(Math.random() * every);
  return all.filter((_, n) => n % every === first);
}

/** A root after changes, and a database from before them. */
async function changedRoot() {
  const folder = temporaryFolder();
  const [root, db] = [join(folder, "sessions"), join(folder, "index.db")];
  const talk = (id: string, turns = 2) => {
    const draft = session({ id });
    for (let n = 0; n < turns; n++) draft.user(`Turn ${n} of ${id}`).assistant(`It cost that, ${id} ${n}`);
    return draft;
  };
  const paths = Object.fromEntries(
    ["grown", "rewritten", "renamed", "gone", "same"].map((id) => [id, talk(id).writeUnder(root)]),
  ) as Record<"grown" | "rewritten" | "renamed" | "gone" | "same", string>;
  const before = await openThrowaway(db);
  await syncFolders(before, root);
  before.writer.pragma("synchronous = NORMAL");
  await before.close();

  const added = talk("new", 8);
  added.writeUnder(root);
  // With tools, touched files, labels, subagents and faults.
  for (const { path, session } of catalog.slice(0, 6)) session.write(join(root, path));
  cpSync(paths.same, join(root, "a-copy.jsonl"));
  appendFileSync(paths.grown, `${talk("more", 3).text().split("\n").slice(1).join("\n")}no JSON\n{"torn`);
  writeFileSync(paths.rewritten, talk("rewritten", 5).text().replaceAll("Turn", "Other turn"));
  renameSync(paths.renamed, `${paths.renamed}-as.jsonl`);
  rmSync(paths.gone);
  return { folder, root, db };
}

test("a sync killed before any statement or read is completed by the next one to the rows of a fresh index", async () => {
  const { folder, root, db } = await changedRoot();
  const clean = await rebuilt(join(folder, "clean.db"), root);

  // A killed process leaves its files as they were at that moment: the test copies them at each point and continues.
  const states: { point: number; file: Buffer; log: Buffer }[] = [];
  const working = await openDatabase({ path: db, migrations });
  working.writer.pragma("cache_size = 10"); // pages are written before their transaction ends, as in a large one
  const read = (path: string) => {
    const last = states.at(-1);
    const [file, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
    return last?.file.equals(file) && last.log.equals(log) ? undefined : { file, log };
  };
  let points = 0;
  const stop = onFaultPoints((point) => {
    points = point;
    const state = read(db);
    if (state) states.push({ point, ...state });
  });
  try {
    await sync(working, { roots: [toRoot(root)], batchBytes: BATCH_BYTES });
  } finally {
    stop();
  }
  expect(dumpTables(working.writer)).toEqual(clean);
  await working.close();
  expect(points).toBeGreaterThan(1_000);
  if (STATES > 100) console.log(`${points} points, ${states.length} states`);
  expect(states.length).toBeGreaterThan(30);

  const here = join(folder, "killed");
  const path = join(here, "index.db");
  for (const { point, file, log } of spread(states, STATES)) {
    mkdirSync(here);
    writeFileSync(path, file);
    writeFileSync(`${path}-wal`, log);
    expect([point, await synced(path, root)]).toEqual([point, clean]);
    rmSync(here, { recursive: true });
  }
}, 3_600_000);

test("a real kill -9 leaves the same, and no lock", async () => {
  const { folder, root, db } = await changedRoot();
  const clean = await rebuilt(join(folder, "clean.db"), root);
  const path = join(folder, "killed.db");
  const run = (point: number) => {
    copyFileSync(db, path);
    return spawnSync(process.execPath, [CHILD, path, root, String(BATCH_BYTES), String(point)], {
      encoding: "utf8",
    });
  };
  const { status, stdout } = run(Number.POSITIVE_INFINITY);
  const points = Number(stdout);
  expect([status, points > 1_000]).toEqual([0, true]);
  if (KILLS > 100) console.log(`${points} kills`);
  for (const point of spread(
    Array.from({ length: points }, (_, n) => n + 1),
    KILLS,
  )) {
    for (const side of ["", "-wal", "-shm"]) rmSync(path + side, { force: true });
    expect([point, run(point).signal]).toEqual([point, "SIGKILL"]);
    expect(await isWriterLocked(path)).toBe(false);
    expect([point, await synced(path, root)]).toEqual([point, clean]);
  }
}, 3_600_000);

let syncs = 0;

/** The database after the next sync: every other one is a large load again, and continues where the killed one stopped. */
async function synced(path: string, root: string): Promise<Dump> {
  const db = await openDatabase({ path, migrations, onNotice: expect.unreachable });
  const batchBytes = syncs++ % 2 === 0 ? BATCH_BYTES : undefined;
  try {
    db.writer.pragma("synchronous = OFF");
    expect((await sync(db, { roots: [toRoot(root)], batchBytes })).busy).toBe(false);
    return dumpTables(db.writer);
  } finally {
    await db.close();
  }
}
