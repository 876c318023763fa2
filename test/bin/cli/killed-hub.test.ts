/** `pidex hub` as a process that is killed, and started again. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { HubClient } from "../../../library/hub/client.ts";
import { inviteFirstOwner } from "../../../library/hub/server/people.ts";
import { openHub, openIndex } from "../../../library/index.ts";
import { createMachine, SHOP } from "../../library/hub/machine.ts";
import { createDatabase, hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { joinHub, toAppend } from "../hub/hubs.ts";
import { findFreePort, startHubProgram } from "./hub-program.ts";

/** Starts `pidex hub` on a database. */
async function startOn(database: string, port: string) {
  const { child, nextLine } = startHubProgram(["--database", database, "--port", port]);
  return { child, url: await nextLine() };
}

test.skipIf(!hasPostgres)(
  "a hub that is killed in an append has nothing of it, and the same append reaches the next one",
  async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const { connectionString = "" } = pool.options;
    const invitation = (await inviteFirstOwner(pool, "ada")) as string;
    const hub = await startOn(connectionString, await findFreePort());
    const { client } = await joinHub(hub.url, invitation, "laptop");
    const before = `${session({ id: "a" }).user("the tax").lines.join("\n")}\n`;
    const one = toAppend("/x/a.jsonl", before);
    await client.append(one.header, one.bytes);
    const state = await client.files(["/x/a.jsonl"]);

    // The append waits for the table that is written last.
    const holder = await pool.connect();
    await holder.query("BEGIN; LOCK TABLE segment IN SHARE ROW EXCLUSIVE MODE");
    const more = `${JSON.stringify({ type: "message", id: "m", parentId: null, timestamp: "2026-01-06T00:00:00Z", message: { role: "user", content: "more" } })}\n`;
    const two = toAppend("/x/a.jsonl", more, before);
    const appended = client.append(two.header, two.bytes).catch(() => undefined);
    await waitUntil("the append waits for the table", async () => {
      const { rows } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%segment%' AND datname = current_database()",
      );
      return rows.length > 0;
    });
    hub.child.kill("SIGKILL");
    await once(hub.child, "exit");
    await holder.query("ROLLBACK");
    holder.release();
    const next = await startOn(connectionString, new URL(hub.url).port);
    expect(next.url).toBe(hub.url);
    // The client repeats it while the hub is away; if that took too long, it is sent again as by the next push.
    const result = (await appended) ?? (await client.append(two.header, two.bytes));
    expect(result).toEqual({ cursor: (before + more).length, digest: two.header.next, isConflict: false });
    expect(state[0]?.cursor).toBe(before.length);
    const [file] = await Array.fromAsync(client.own());
    const parts = await Array.fromAsync(client.ownBytes(file?.id as number, 0));
    expect(Buffer.concat(parts).toString()).toBe(before + more);
    expect((await pool.query("SELECT line FROM entry ORDER BY line")).rows).toEqual([
      { line: 2 },
      { line: 3 },
    ]);
  },
  60_000,
);

// PGlite takes some seconds to create a database, and many more on a busy machine.
test("an embedded hub that is killed in a push keeps what it acknowledged, and the next push sends the rest", async () => {
  const folder = temporaryFolder();
  const argv = ["--data", join(folder, "hub"), "--port", await findFreePort(), "--owner", "ada"];
  const first = startHubProgram(argv);
  const url = await first.nextLine();
  const invitation = (await first.nextLine()).split(" ").at(-1) as string;
  const signedIn = await joinHub(url, invitation, "laptop");
  const machine = createMachine({ url }, signedIn, folder);
  const paths = Array.from({ length: 60 }, (_, n) =>
    session({ id: `s${n}`, cwd: SHOP })
      .user(`the tax of ${n}`)
      .assistant("paid")
      .write(machine.path(`s${n}`)),
  );

  const acknowledged: string[] = [];
  const hub = new HubClient(machine.signIn);
  const killing = new HubClient(machine.signIn);
  killing.append = async (header, bytes, signal) => {
    const result = await hub.append(header, bytes, signal);
    // The appends of other files that are running now end at any point.
    if (acknowledged.push(header.path) === 20) first.child.kill("SIGKILL");
    return result;
  };
  await expect(machine.push({ hub: killing })).rejects.toMatchObject({ code: "HUB_UNAVAILABLE" });

  const second = startHubProgram(argv);
  expect(await second.nextLine()).toBe(url);
  const cursors = await hub.files(acknowledged);
  expect(cursors.map(({ cursor }) => cursor)).toEqual(acknowledged.map((path) => readFileSync(path).length));
  const rest = paths.length - acknowledged.length;
  expect(await machine.push()).toMatchObject({ sent: rest, resent: 0, failed: [] });
  expect(await machine.push()).toMatchObject({ sent: 0, resent: 0, failed: [] });

  const files = await Array.fromAsync(hub.own());
  expect(files.map(({ path }) => path).sort()).toEqual([...paths].sort());
  for (const { id, path } of files) {
    const parts = await Array.fromAsync(hub.ownBytes(id, 0));
    expect(Buffer.concat(parts)).toEqual(readFileSync(path));
  }
  await using ofHub = await openHub({ url, token: signedIn.token });
  await using local = await openIndex({ db: join(folder, "index.db"), roots: [machine.root] });
  await local.sync();
  const { databasePath: _, databaseBytes: __, ...totals } = await local.stats();
  expect(await ofHub.stats()).toEqual(totals);
}, 240_000);
