import { closeSync, openSync, readFileSync } from "node:fs";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { threadHost } from "../../../bin/actions/index-host.ts";
import { IngestThreads } from "../../../bin/hub/ingest-threads.ts";
import { Host } from "../../../library/host/host.ts";
import { startThread } from "../../../library/host/thread.ts";
import type { IngestService } from "../../../library/hub/server/ingest-service.ts";
import { PidexError } from "../../../src/errors.ts";
import { openAs } from "../../library/hub/hub-files.ts";
import { createMachine, message, readFromHub } from "../../library/hub/machine.ts";
import { createDatabase, hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { startHub } from "./hubs.ts";

const startThreads = (url: string) => new IngestThreads(() => threadHost<IngestService>("ingest", { url }));

test.skipIf(!hasPostgres)("threads of a hub index what is pushed, and settle what it cost", async () => {
  await using hub = await startHub(createDatabase, ({ url }) => startThreads(url));
  const machine = createMachine(hub, hub.owner, temporaryFolder());
  const paths = ["a", "b", "c", "d", "e"].map((name) =>
    machine.create(name, [message(`the tax of ${name}`)]),
  );
  expect(await machine.push()).toMatchObject({ sent: 5, failed: [] });
  for (const path of paths) expect(await readFromHub(hub, machine.name, path)).toEqual(readFileSync(path));
  await using index = await openAs(hub, hub.owner);
  expect((await index.search("tax")).sessions).toHaveLength(5);
});

test.skipIf(!hasPostgres)("errors of a thread are those of an append", async () => {
  await using database = await createDatabase();
  const threads = startThreads(database.url);
  const fd = openSync("/dev/null", "r");
  try {
    const caller = { person: { id: 1, name: "eve", role: "member" }, machine: { id: "none", name: "eve" } };
    const header = { path: "/a.jsonl", shelf: "mine", subagent: false, modified: 0, cursor: 0, bytes: 1 };
    const appended = threads.append(caller as never, header as never, fd);
    // Not an error of pidex: the message of PostgreSQL may have text of sessions, and stays in the log.
    await expect(appended).rejects.not.toBeInstanceOf(PidexError);
  } finally {
    await threads.close();
    closeSync(fd);
  }
});

/** Appends of a push at the same time. */
const CONNECTIONS = 4;

test.skipIf(!hasPostgres)("a push loses nothing when all threads crash in its appends", async () => {
  const crash = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let started = 0;
  const start = () => {
    started++;
    return startThread(new URL("crashing-ingest.ts", import.meta.url));
  };
  await using hub = await startHub(createDatabase, ({ url }) => {
    const options = { url, crash: crash.buffer };
    return new IngestThreads(() => new Host<IngestService>({ start, service: "ingest", options }));
  });
  const machine = createMachine(hub, hub.owner, temporaryFolder());
  const paths = Array.from({ length: 20 }, (_, n) => machine.create(`s${n}`, [message(`the tax of ${n}`)]));

  // Appends wait for the table that is written last.
  await using lock = await lockTable(hub.pool, "segment");
  const pushed = machine.push();
  pushed.catch(() => {}); // awaited below
  await waitUntil("all appends wait for the table or for each other", async () => {
    const { rows } = await hub.pool.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rows.length === CONNECTIONS;
  });
  const crashed = started;
  Atomics.store(crash, 0, 1);
  Atomics.notify(crash, 0);
  await waitUntil("the hub has answered that each of them failed", () => {
    return hub.log.filter((line) => line.includes(" 503 ")).length >= CONNECTIONS;
  });
  await lock[Symbol.asyncDispose]();

  expect(await pushed).toMatchObject({ sent: paths.length, resent: 0, failed: [] });
  expect(started).toBeGreaterThan(crashed);
  expect(await machine.push()).toMatchObject({ sent: 0, failed: [] });
  for (const path of paths) expect(await readFromHub(hub, machine.name, path)).toEqual(readFileSync(path));
  const { rows } = await hub.pool.query("SELECT count(*)::int AS entries FROM entry");
  expect(rows).toEqual([{ entries: paths.length }]);
});

/** Keeps others from writing to a table, until it is disposed. */
async function lockTable(pool: Pool, table: string): Promise<AsyncDisposable> {
  const client = await pool.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
  let isHeld = true;
  return {
    async [Symbol.asyncDispose]() {
      if (isHeld) client.release(true);
      isHeld = false;
    },
  };
}
