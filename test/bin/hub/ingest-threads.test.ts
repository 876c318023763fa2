import { closeSync, openSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { threadHost } from "../../../bin/actions/index-host.ts";
import { IngestThreads } from "../../../bin/hub/ingest-threads.ts";
import type { IngestService } from "../../../library/hub/server/ingest-service.ts";
import { PidexError } from "../../../src/errors.ts";
import { openAs } from "../../library/hub/hub-files.ts";
import { createMachine, message, readFromHub } from "../../library/hub/machine.ts";
import { createDatabase, hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
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
