import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { inviteFirstOwner } from "../../../library/hub/server/people.ts";
import { createDatabase, hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { HOME } from "../cli.ts";
import { joinHub, toAppend } from "../hub/hubs.ts";

const BIN = join(HOME, "bin", "pidex.ts");

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}

/** Starts `pidex hub` on a database. */
async function startProgram(database: string, port: string) {
  const argv = ["hub", "--database", database, "--port", port];
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [BIN, ...argv], {
    env: { PATH, HOME: temporaryFolder() },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, url };
}

test.skipIf(!hasPostgres)(
  "a hub that is killed in an append has nothing of it, and the same append reaches the next one",
  async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const { connectionString = "" } = pool.options;
    const invitation = (await inviteFirstOwner(pool, "ada")) as string;
    const hub = await startProgram(connectionString, await findFreePort());
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
    const appended = client.append(two.header, two.bytes);
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
    const next = await startProgram(connectionString, new URL(hub.url).port);
    expect(next.url).toBe(hub.url);
    // The client repeats it while the hub is away; if that took too long, it is sent again as by the next push.
    const result = await appended.catch(() => client.append(two.header, two.bytes));
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
