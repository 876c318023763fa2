/**
 * Runs scenarios on a full disk and prints the results as JSON. It is started in a mount namespace: the small disks it mounts
 * below the args folder disappear when it exits.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { openIndex, PidexError, SessionManager } from "../../library/index.ts";
import { migrations } from "../../migrations/index.ts";
import { systemCode } from "../../src/errors.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";

const [above = "", scenarioJson = "{}"] = process.argv.slice(2);
let folder = "";

/** A future migration, which needs about half a megabyte. */
const later: Migration = {
  up: async (db) => {
    await sql`CREATE TABLE later AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      SELECT i, randomblob(1000) AS filler FROM n`.execute(db);
  },
};

/** Mounts a small disk; `folder` is its mount point from then on. */
function mount(megabytes: number): void {
  folder = mkdtempSync(join(above, "disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "none", folder]);
}

/** Fills the disk up to this number of free bytes. */
function fill(bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, "ballast"), Buffer.alloc(Math.max(0, bavail * bsize - bytes), 1));
}

const makeRoom = () => rmSync(join(folder, "ballast"));

/** The result of a function, or its error. */
async function ending<T>(work: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof PidexError)) return { error: String(error) };
    const { code, message, hint, cause } = error;
    return { error: { code, message, hint, cause: systemCode(cause) } };
  }
}

/** A database without its header, where SQLite counts changes and stores the journal mode. */
const content = (path: string) => readFileSync(path).subarray(100);

const scenarios: Record<string, (...args: string[]) => Promise<unknown>> = {
  /** A sync of new sessions into a copy of an index, with increasing free space. */
  async ingest(root = "", kept = "", ...rooms) {
    mount(32);
    const db = join(folder, "index.db");
    const options = { db, roots: [root] };
    const results: unknown[] = [];
    for (const room of rooms.map(Number)) {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      if (kept !== "-") copyFileSync(kept, db);
      fill(room);
      const began = await ending(async () => {
        await using index = await openIndex(options);
        const synced = await ending(() => index.sync());
        return { synced, sessions: (await index.listAll({ limit: 1000 })).sessions.map(({ id }) => id) };
      });
      makeRoom();
      const notices: string[] = [];
      await using again = await openIndex({ ...options, onNotice: (notice) => notices.push(notice) });
      await again.sync();
      await again.close();
      const out = join(root, "..", `after-${kept === "-" ? "-" : "kept"}-${room}.db`);
      copyFileSync(db, out);
      results.push({ room, began, notices, out });
    }
    return results;
  },

  /** Opens a database of an older pidex, with increasing free space. */
  async migration(old = "", ...rooms) {
    mount(32);
    const db = join(folder, "index.db");
    const results: unknown[] = [];
    for (const room of rooms.map(Number)) {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      copyFileSync(old, db);
      fill(room);
      const opened = await ending(async () =>
        (await openDatabase({ path: db, migrations: { ...migrations, later } })).close(),
      );
      makeRoom();
      const isSame = content(db).equals(content(old));
      const again = await ending(async () =>
        (await openDatabase({ path: db, migrations: { ...migrations, later } })).close(),
      );
      const sides = readdirSync(folder).filter((name) => /-wal|-shm|-journal|broken/.test(name));
      results.push({ room, opened, isSame, again, sides });
    }
    return results;
  },

  /** Appends to a session until the disk is full, and again once space is free. */
  async append() {
    mount(1);
    process.env.PI_CODING_AGENT_DIR = join(folder, "agent");
    const session = SessionManager.create("/home/ada/shop");
    session.appendMessage({ role: "user", content: "the first", timestamp: 1 });
    const path = session.getSessionFile() as string;
    fill(8 << 10);
    const acknowledged: string[] = [];
    let failed: unknown;
    for (let n = 0; n < 1_000 && failed === undefined; n++) {
      const ended = await ending(() => session.appendCustomEntry("filler", { n, text: "x".repeat(3_000) }));
      if ("error" in ended) failed = ended.error;
      else acknowledged.push(ended.value);
    }
    const entriesThen = session.getEntries().length;
    const bytesThen = readFileSync(path);
    makeRoom();
    acknowledged.push(session.appendCustomEntry("after", {}));
    const read = SessionManager.open(path, undefined, undefined, { readOnly: true });
    return {
      failed,
      acknowledged,
      entriesThen,
      isAppendedTo: readFileSync(path).subarray(0, bytesThen.length).equals(bytesThen),
      ids: read.getEntries().map(({ id }) => id),
      leaf: read.getLeafId(),
    };
  },

  /** Creates a session whose file cannot be created. */
  async create() {
    mount(1);
    process.env.PI_CODING_AGENT_DIR = join(folder, "agent");
    const session = SessionManager.create("/home/ada/shop");
    mkdirSync(session.getSessionDir(), { recursive: true });
    fill(0);
    const failed = await ending(() =>
      session.appendMessage({ role: "user", content: "x".repeat(9_000), timestamp: 1 }),
    );
    const left = readdirSync(session.getSessionDir());
    makeRoom();
    const again = await ending(() =>
      session.appendMessage({ role: "user", content: "x".repeat(9_000), timestamp: 1 }),
    );
    return {
      failed,
      left,
      again,
      names: readdirSync(session.getSessionDir()),
      entries: session.getEntries().length,
    };
  },

  /** Upgrades a session of an old version, with increasing free space. */
  async upgrade(old = "", ...rooms) {
    mount(8);
    const path = join(folder, "old.jsonl");
    const results: unknown[] = [];
    for (const room of rooms.map(Number)) {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      copyFileSync(old, path);
      fill(room);
      const opened = await ending(() => SessionManager.open(path).getEntries().length);
      const names = readdirSync(folder).sort();
      const isSame = readFileSync(path).equals(readFileSync(old));
      const readOnly = await ending(
        () => SessionManager.open(path, undefined, undefined, { readOnly: true }).getEntries().length,
      );
      makeRoom();
      const again = await ending(() => SessionManager.open(path).getEntries().length);
      results.push({ room, opened, names, isSame, readOnly, again, after: readdirSync(folder).sort() });
    }
    return results;
  },
};

const results: Record<string, unknown> = {};
for (const [name, [scenario, ...args]] of Object.entries<[string, ...string[]]>(JSON.parse(scenarioJson))) {
  results[name] = await scenarios[scenario]?.(...args);
}
process.stdout.write(JSON.stringify(results));
