/** What a hub does with sessions that were deleted by `/v1/forget-sessions`. */
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type ShelfName, undoForgetAnswer } from "../../../library/hub/protocol.ts";
import { settleShelves } from "../../library/hub/hub-files.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { dumpTables, type SignedIn, startHub, type TestHub, toAppend } from "./hubs.ts";

const PATH = "/home/ada/secret-shop/a.jsonl";
const TEAM = { project: "shop" };

async function start(): Promise<TestHub> {
  const hub = await startHub();
  onTestFinished(() => hub[Symbol.asyncDispose]());
  return hub;
}

const write = (id: string) => `${session({ id }).user("the tax").lines.join("\n")}\n`;

function send({ client }: SignedIn, path: string, text: string, shelf: ShelfName = "mine", before = "") {
  const { header, bytes } = toAppend(path, text, before);
  return client.append({ ...header, shelf }, bytes);
}

async function forget({ client }: SignedIn, ...sessions: string[]): Promise<number> {
  const body = { sessions, dryRun: false };
  return (await client.request("POST", "v1/forget-sessions", { body, accept: [404] })).status;
}

async function undo({ client }: SignedIn, id: string, path: string | null = null): Promise<string[]> {
  const body = { sessions: [{ id, path }] };
  const { sessions } = await client.json("POST", "v1/undo-forget", undoForgetAnswer, { body });
  return sessions.map((each) => each.id);
}

const FORGOTTEN = { code: "SESSION_FORGOTTEN" };
const count = async ({ pool }: TestHub, table = "file") =>
  (await pool.query(`SELECT 1 FROM ${table}`)).rows.length;

test.skipIf(!hasPostgres)(
  "a deleted session is refused from every path and machine of its person, and leaves nothing",
  async () => {
    const hub = await start();
    const desktop = await hub.addMachine(hub.owner, "desktop");
    const ben = await hub.add("ben", "member");
    await send(hub.owner, PATH, write("a"));
    await send(ben, PATH, write("a"));
    expect(await forget(hub.owner, "a")).toBe(200);
    await desktop.client.me(); // saves the time of its first request
    await settleShelves(hub); // in the background, it would change tables between the two dumps
    const before = await dumpTables(hub.pool);
    await expect(send(hub.owner, PATH, write("a"))).rejects.toMatchObject(FORGOTTEN);
    await expect(send(hub.owner, "/other/b.jsonl", write("a"), TEAM)).rejects.toMatchObject(FORGOTTEN);
    await expect(send(desktop, PATH, write("a"))).rejects.toMatchObject(FORGOTTEN);
    expect(await dumpTables(hub.pool)).toBe(before);
    expect(await send(desktop, PATH, write("a2"))).toMatchObject({ isConflict: false });
    const more = `${session({ id: "x" }).user("more").lines[1]}\n`;
    expect(await send(ben, PATH, more, "mine", write("a"))).toMatchObject({ isConflict: false });
  },
);

test.skipIf(!hasPostgres)("a record has no id, path or text of the session", async () => {
  const hub = await start();
  await send(hub.owner, PATH, write("unguessable-id"));
  await forget(hub.owner, "unguessable");
  const { rows } = await hub.pool.query("SELECT * FROM forgotten");
  expect(rows).toMatchObject([{ private: 1, key: expect.any(Buffer) }]);
  expect(rows[0].key.length).toBe(32);
  expect(await dumpTables(hub.pool)).not.toMatch(/unguessable|secret-shop|the tax/);
});

test.skipIf(!hasPostgres)(
  "deleting a session by the path of one file deletes its other files of the same person",
  async () => {
    const hub = await start();
    const desktop = await hub.addMachine(hub.owner, "desktop");
    const ben = await hub.add("ben", "member");
    await send(hub.owner, PATH, write("a"));
    await send(desktop, "/copy.jsonl", write("a"), TEAM);
    await send(ben, "/copy.jsonl", write("a"), TEAM);
    expect(await forget(hub.owner, PATH)).toBe(200);
    expect((await hub.pool.query("SELECT path FROM file")).rows).toEqual([
      { path: "ben-laptop:/copy.jsonl" },
    ]);
  },
);

test.skipIf(!hasPostgres)(
  "files that a push deletes are accepted again, deleted sessions are not",
  async () => {
    const hub = await start();
    const { client } = hub.owner;
    await send(hub.owner, PATH, write("a"));
    expect(await client.forget([PATH])).toBe(1);
    await send(hub.owner, PATH, write("a"));
    await forget(hub.owner, "a");
    expect(await client.forget([PATH])).toBe(0);
    await expect(send(hub.owner, PATH, write("a"))).rejects.toMatchObject(FORGOTTEN);
  },
);

test.skipIf(!hasPostgres)(
  "a deleted file without a header is refused from its machine and path",
  async () => {
    const hub = await start();
    const desktop = await hub.addMachine(hub.owner, "desktop");
    const title = `${JSON.stringify({ type: "title", title: "The shop" })}\n`;
    await send(hub.owner, PATH, title);
    expect(await forget(hub.owner, PATH)).toBe(200);
    expect(await count(hub)).toBe(0);
    await expect(send(hub.owner, PATH, title)).rejects.toMatchObject(FORGOTTEN);
    await expect(send(hub.owner, PATH, title + write("a"))).rejects.toMatchObject(FORGOTTEN);
    expect(await send(desktop, PATH, title)).toMatchObject({ isConflict: false });
    expect(await undo(hub.owner, "a", PATH)).toEqual(["a"]);
    expect(await send(hub.owner, PATH, title + write("a"))).toMatchObject({ isConflict: false });
  },
);

test.skipIf(!hasPostgres)(
  "the person undoes a deletion, an owner only one of a project of the team",
  async () => {
    const hub = await start();
    const [ben, eve] = [await hub.add("ben", "member"), await hub.add("eve", "member")];
    await send(ben, "/private.jsonl", write("private"));
    await send(ben, "/team.jsonl", write("team"), TEAM);
    expect(await forget(ben, "private")).toBe(200);
    expect(await forget(hub.owner, "team")).toBe(200);
    const refused = async () => (await ben.client.exclusions()).forgotten.length;
    for (const id of ["private", "team"]) expect(await undo(eve, id)).toEqual([]);
    expect(await undo(hub.owner, "private")).toEqual([]);
    expect(await refused()).toBe(2);
    expect(await undo(hub.owner, "team")).toEqual(["team"]);
    expect(await refused()).toBe(1);
    expect(await undo(ben, "private")).toEqual(["private"]);
    expect(await undo(ben, "private")).toEqual([]);
    expect(await refused()).toBe(0);
    for (const id of ["private", "team"])
      expect(await send(ben, `/${id}.jsonl`, write(id))).toMatchObject({ isConflict: false });
    expect(await forget(hub.owner, "team")).toBe(404);
    const { rows } = await hub.pool.query(
      "SELECT person, target FROM audit WHERE action = 'undo forget' ORDER BY id",
    );
    expect(rows).toEqual([
      { person: "ada", target: "ben" },
      { person: "ben", target: "mine" },
    ]);
  },
);

test.skipIf(!hasPostgres)("exclusions list deleted sessions of the person only", async () => {
  const hub = await start();
  const ben = await hub.add("ben", "member");
  await send(ben, PATH, write("a"));
  await forget(ben, "a");
  expect(await ben.client.exclusions()).toMatchObject({
    machine: "ben-laptop",
    forgotten: [expect.stringMatching(/^[0-9a-f]{64}$/)],
  });
  expect(await hub.owner.client.exclusions()).toMatchObject({ machine: "ada-laptop", forgotten: [] });
});

test.skipIf(!hasPostgres)("the records of a member who is removed are deleted", async () => {
  const hub = await start();
  const ben = await hub.add("ben", "member");
  await send(ben, PATH, write("a"));
  await forget(ben, "a");
  await hub.owner.client.request("DELETE", "v1/members/ben");
  expect(await count(hub, "forgotten")).toBe(0);
  expect(await send(await hub.add("ben", "member"), PATH, write("a"))).toMatchObject({ isConflict: false });
});

test.skipIf(!hasPostgres)(
  "a session that is deleted while machines send it is gone, wherever they send it",
  async () => {
    const hub = await start();
    const desktop = await hub.addMachine(hub.owner, "desktop");
    const appends = [
      (id: string) => send(hub.owner, `/mine/${id}.jsonl`, write(id)),
      (id: string) => send(hub.owner, `/team/${id}.jsonl`, write(id), TEAM),
      (id: string) => send(desktop, `/mine/${id}.jsonl`, write(id)),
      (id: string) => send(desktop, `/other/${id}.jsonl`, write(id), { project: "other" }),
    ];
    let refused = 0;
    for (let round = 0; round < 30; round++) {
      const id = `round-${round}-`;
      await send(desktop, `/first/${id}.jsonl`, write(id));
      const sent = appends.map((append) => append(id));
      if (round % 3 === 1) await sent[0];
      if (round % 3 === 2) await Promise.race(sent.map((each) => each.catch(() => {})));
      const [status, ...results] = await Promise.all([
        forget(hub.owner, id),
        ...sent.map((each) =>
          each.then(
            () => "added",
            (error: { code: string }) => error.code,
          ),
        ),
      ]);
      expect(status).toBe(200);
      for (const result of results) expect(["added", "SESSION_FORGOTTEN"]).toContain(result);
      refused += results.filter((result) => result !== "added").length;
      expect([id, await count(hub)]).toEqual([id, 0]);
    }
    expect(refused).toBeGreaterThan(0);
  },
  60_000,
);
