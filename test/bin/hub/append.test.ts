import { connect } from "node:net";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { ByteChain } from "../../../src/byte-chain.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { startHub, toAppend } from "./hubs.ts";

const PATH = "/home/ada/.pi/agent/sessions/a.jsonl";
const EMPTY = { cursor: 0, digest: new ByteChain().digest };
const first = `${session({ id: "a", cwd: "/home/ada/shop" }).user("the tax").lines.join("\n")}\n`;
const second = `${JSON.stringify({ type: "message", id: "x1", parentId: null, timestamp: "2026-01-01T00:00:00Z", message: { role: "user", content: "more" } })}\n`;

/** A body of an append as it is sent. */
function toBody(header: object, bytes: Buffer, cut = 0): Buffer {
  const body = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), zstdCompressSync(bytes)]);
  return body.subarray(0, body.length - cut);
}

test.skipIf(!hasPostgres)("lines are appended, can be read back, and are indexed", async () => {
  await using hub = await startHub();
  const { client } = hub.owner;
  expect(await client.files([PATH])).toEqual([{ ...EMPTY, shelf: null }]);
  const one = toAppend(PATH, first);
  const state = await client.append(one.header, one.bytes);
  expect(state).toEqual({ cursor: first.length, digest: one.header.next, isConflict: false });
  const two = toAppend(PATH, second, first);
  expect(await client.append(two.header, two.bytes)).toMatchObject({ cursor: (first + second).length });
  expect(await client.files([PATH, "/other"])).toEqual([
    { cursor: (first + second).length, digest: two.header.next, shelf: "mine" },
    { ...EMPTY, shelf: null },
  ]);
  const [file, ...others] = await Array.fromAsync(client.own());
  expect(others).toEqual([]);
  expect(file).toMatchObject({ machine: "ada-laptop", path: PATH, cwd: "/home/ada/shop", sessionId: "a" });
  expect(file?.modified).toBe(1_700_000_000_000);
  for (const from of [0, 5, first.length, (first + second).length]) {
    const parts = await Array.fromAsync(client.ownBytes(file?.id as number, from));
    expect(Buffer.concat(parts).toString()).toBe((first + second).slice(from));
  }
  expect((await hub.pool.query("SELECT line FROM entry ORDER BY line")).rows).toEqual([
    { line: 2 },
    { line: 3 },
  ]);
});

test.skipIf(!hasPostgres)(
  "another state of the file is a conflict that adds nothing; lines that are there are none",
  async () => {
    await using hub = await startHub();
    const { client } = hub.owner;
    const late = toAppend(PATH, second, first);
    expect(await client.append(late.header, late.bytes)).toEqual({ ...EMPTY, isConflict: true });
    expect((await hub.pool.query("SELECT 1 FROM file")).rows).toEqual([]);
    const one = toAppend(PATH, first);
    await client.append(one.header, one.bytes);
    const again = await client.append(one.header, one.bytes);
    expect(again).toEqual({ cursor: first.length, digest: one.header.next, isConflict: false });
    const other = toAppend(PATH, second, first.replace("tax", "sum"));
    const state = { cursor: first.length, digest: one.header.next };
    expect(await client.append(other.header, other.bytes)).toEqual({ ...state, isConflict: true });
    expect((await hub.pool.query("SELECT cursor, lines FROM file")).rows).toEqual([
      { cursor: first.length, lines: 2 },
    ]);
  },
);

test.skipIf(!hasPostgres).each([
  [
    "a digest that is not that of the bytes",
    ({ header, bytes }: ReturnType<typeof toAppend>) => toBody({ ...header, next: "0".repeat(64) }, bytes),
  ],
  [
    "fewer bytes than the header says",
    ({ header, bytes }: ReturnType<typeof toAppend>) => toBody({ ...header, bytes: header.bytes + 1 }, bytes),
  ],
  [
    "more bytes than the header says",
    ({ header, bytes }: ReturnType<typeof toAppend>) => toBody({ ...header, bytes: header.bytes - 1 }, bytes),
  ],
  ["a bomb", ({ header }: ReturnType<typeof toAppend>) => toBody(header, Buffer.alloc(200 << 20))],
  [
    "no newline at the end",
    () => {
      const { header, bytes } = toAppend(PATH, first.slice(0, -1));
      return toBody(header, bytes);
    },
  ],
  ["cut bytes", ({ header, bytes }: ReturnType<typeof toAppend>) => toBody(header, bytes, 4)],
  [
    "bytes that are not compressed",
    ({ header, bytes }: ReturnType<typeof toAppend>) =>
      Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), bytes]),
  ],
  ["no bytes", ({ header }: ReturnType<typeof toAppend>) => Buffer.from(`${JSON.stringify(header)}\n`)],
  ["no header", () => Buffer.from("")],
  ["a header that is not JSON", () => Buffer.from("{\n")],
  ["a header without an end", () => Buffer.alloc(1 << 20, "x")],
  [
    "an unknown field",
    ({ header, bytes }: ReturnType<typeof toAppend>) => toBody({ ...header, machine: "other" }, bytes),
  ],
  [
    "two long lines",
    () => {
      const line = `${"x".repeat(5 << 20)}\n`;
      const { header, bytes } = toAppend(PATH, line + line);
      return toBody(header, bytes);
    },
  ],
])("an append with %s is refused and leaves nothing", async (_, bodyOf) => {
  await using hub = await startHub();
  const body = bodyOf(toAppend(PATH, first));
  await expect(hub.owner.client.request("PUT", "v1/append", { body })).rejects.toMatchObject({
    code: "BAD_OPTION",
  });
  expect((await hub.pool.query("SELECT 1 FROM file")).rows).toEqual([]);
  expect((await hub.pool.query("SELECT 1 FROM segment")).rows).toEqual([]);
});

test.skipIf(!hasPostgres)("a line longer than an append usually is can be sent alone", async () => {
  await using hub = await startHub();
  const { client } = hub.owner;
  const long = `${first}`;
  const one = toAppend(PATH, long);
  await client.append(one.header, one.bytes);
  const line = second.replace("more", "m".repeat(9 << 20));
  const two = toAppend(PATH, line, long);
  expect(await client.append(two.header, two.bytes)).toMatchObject({ isConflict: false });
});

test.skipIf(!hasPostgres)(
  "a connection that is cut in the body leaves nothing, and the hub goes on",
  async () => {
    await using hub = await startHub();
    const { header, bytes } = toAppend(PATH, first);
    const body = toBody(header, bytes);
    const socket = connect(Number(new URL(hub.url).port), "127.0.0.1");
    const head = [
      "PUT /v1/append HTTP/1.1",
      "host: hub",
      `authorization: Bearer ${hub.owner.token}`,
      "pidex-protocol: 1",
      `content-length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    await new Promise((resolve) => socket.write(body.subarray(0, -10), resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.destroy();
    await closed;
    expect(await hub.owner.client.append(header, bytes)).toMatchObject({ isConflict: false });
    await expect.poll(() => hub.log.filter((line) => line.includes("/v1/append")).length).toBe(2);
    expect((await hub.pool.query("SELECT lines FROM file")).rows).toEqual([{ lines: 2 }]);
  },
);

test.skipIf(!hasPostgres)("several machines append at once, also with the same words", async () => {
  await using hub = await startHub();
  const names = ["ben", "eve", "kim", "lou"];
  const machines = await Promise.all(names.map((name) => hub.add(name, "member")));
  const shelf = { project: "shop" };
  await Promise.all(
    machines.flatMap(({ client, person }) =>
      [1, 2, 3].map(async (n) => {
        const text = session({ id: `${person}-${n}` });
        const path = `/x/${n}.jsonl`;
        let sent = "";
        for (let line = 0; line < 6; line++) {
          const words = ["red", "blue", "green", "tax", "sum"].sort(() => (line + n) % 2 || -1).join(" ");
          text.user(`${words} ${line}`);
          const all = `${text.lines.join("\n")}\n`;
          const { header, bytes } = toAppend(path, all.slice(sent.length), sent);
          const state = await client.append({ ...header, shelf }, bytes);
          expect(state.isConflict).toBe(false);
          sent = all;
        }
      }),
    ),
  );
  const { rows } = await hub.pool.query("SELECT count(*) AS files, sum(lines)::integer AS lines FROM file");
  expect(rows).toEqual([{ files: 12, lines: 12 * 7 }]);
  expect(
    (await hub.pool.query("SELECT count(*) AS shelves FROM shelf WHERE project = 'shop'")).rows[0].shelves,
  ).toBe(1);
});

test.skipIf(!hasPostgres)("the same lines sent at once by several connections are added once", async () => {
  await using hub = await startHub();
  const FILES = 25; // connections rarely add a file at the same moment
  for (let n = 0; n < FILES; n++) {
    const { header, bytes } = toAppend(`${PATH}${n}`, first);
    const states = await Promise.all(Array.from({ length: 8 }, () => hub.owner.client.append(header, bytes)));
    for (const state of states)
      expect(state).toEqual({ cursor: first.length, digest: header.next, isConflict: false });
  }
  expect((await hub.pool.query("SELECT DISTINCT lines FROM file")).rows).toEqual([{ lines: 2 }]);
  expect((await hub.pool.query("SELECT count(*) AS segments FROM segment")).rows).toEqual([
    { segments: FILES },
  ]);
});

test.skipIf(!hasPostgres)("a file keeps its shelf until it is forgotten", async () => {
  await using hub = await startHub();
  const { client } = hub.owner;
  const one = toAppend(PATH, first);
  await client.append(one.header, one.bytes);
  const shelf = { project: "shop" };
  const two = toAppend(PATH, second, first);
  const elsewhere = client.append({ ...two.header, shelf }, two.bytes);
  await expect(elsewhere).rejects.toMatchObject({
    code: "BAD_OPTION",
    hint: expect.stringMatching(/push again/),
  });
  expect((await hub.pool.query("SELECT 1 FROM shelf WHERE project = 'shop'")).rows).toEqual([]);
  expect(await client.forget([PATH, "/never"])).toBe(1);
  await client.append({ ...one.header, shelf }, one.bytes);
  expect((await client.files([PATH]))[0]?.shelf).toEqual(shelf);
});

test.skipIf(!hasPostgres)(
  "a title before the header is found, although they were sent separately",
  async () => {
    await using hub = await startHub();
    const title = `${JSON.stringify({ type: "title", title: "The shop" })}\n`;
    const one = toAppend(PATH, title);
    await hub.owner.client.append(one.header, one.bytes);
    const two = toAppend(PATH, first, title);
    await hub.owner.client.append(two.header, two.bytes);
    expect((await hub.pool.query("SELECT name FROM session")).rows).toEqual([{ name: "The shop" }]);
  },
);

test.skipIf(!hasPostgres)(
  "a database connection that is lost in an append leaves nothing, and the append can be repeated",
  async () => {
    await using hub = await startHub();
    const { header, bytes } = toAppend(PATH, first);
    // Ends the connection when the last table is written.
    await hub.pool.query(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`);
    await hub.pool.query("CREATE TRIGGER cut BEFORE INSERT ON segment FOR EACH ROW EXECUTE FUNCTION cut()");
    const cut = hub.owner.client.request("PUT", "v1/append", { body: toBody(header, bytes) });
    await expect(cut).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect((await hub.pool.query("SELECT 1 FROM file")).rows).toEqual([]);
    await hub.pool.query("DROP TRIGGER cut ON segment");
    expect(await hub.owner.client.append(header, bytes)).toMatchObject({ isConflict: false });
  },
);
