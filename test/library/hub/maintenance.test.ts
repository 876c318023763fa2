import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { forgetExpired, reindexOutdated } from "../../../library/hub/server/maintenance.ts";
import { EXTRACTION } from "../../../src/store/extraction.ts";
import { startHub, toAppend } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";

const DAY_MS = 86_400_000;

test.skipIf(!hasPostgres)(
  "sessions without a message for longer than their shelf keeps them are forgotten",
  async () => {
    await using hub = await startHub();
    const { client } = hub.owner;
    const times = { old: "2026-01-01T00:00:00.000Z", new: "2026-01-20T00:00:00.000Z" };
    for (const [id, timestamp] of Object.entries(times)) {
      for (const shelf of ["mine", { project: "shop" }] as const) {
        const text = `${session({ id, timestamp }).user("the tax").lines.join("\n")}\n`;
        const { header, bytes } = toAppend(`/${typeof shelf}/${id}.jsonl`, text);
        await client.append({ ...header, shelf }, bytes);
      }
    }
    const paths = async () =>
      (await hub.pool.query("SELECT local_path FROM file ORDER BY 1")).rows.map(
        ({ local_path }) => local_path,
      );
    const now = Date.parse("2026-02-01T00:00:00Z");
    expect(await forgetExpired(hub.pool, now)).toBe(0);
    await hub.pool.query("UPDATE shelf SET retention_days = 20 WHERE project = 'shop'");
    expect(await forgetExpired(hub.pool, now)).toBe(1);
    expect(await paths()).toEqual(["/object/new.jsonl", "/string/new.jsonl", "/string/old.jsonl"]);
    expect(await forgetExpired(hub.pool, now + 10 * DAY_MS)).toBe(1);
    expect(await paths()).toEqual(["/string/new.jsonl", "/string/old.jsonl"]);
  },
);

test.skipIf(!hasPostgres)(
  "files of an older extraction get the rows that they would have now, from the hub's bytes",
  async () => {
    await using hub = await startHub();
    const { client } = hub.owner;
    const text = `${session({ id: "a" })
      .user("the tax")
      .tool("read", { path: "/x/a.ts" }, "fine")
      .assistant("the total")
      .lines.join("\n")}\n`;
    const { header, bytes } = toAppend("/x/a.jsonl", text);
    await client.append(header, bytes);
    const readRows = () =>
      Promise.all(
        ["file", "segment", "session", "entry", "posting", "vocabulary", "tool_call", "touch"].map(
          async (table) => (await hub.pool.query(`SELECT * FROM ${table} ORDER BY ${table}::text`)).rows,
        ),
      );
    const before = await readRows();
    await hub.pool.query("UPDATE file SET extraction = 1");
    await hub.pool.query("UPDATE entry SET role = 'wrong'");
    await hub.pool.query("DELETE FROM posting");
    expect(await reindexOutdated(hub.pool)).toBe(1);
    expect((await hub.pool.query("SELECT extraction FROM file")).rows).toEqual([{ extraction: EXTRACTION }]);
    expect(await readRows()).toEqual(before);
    const more = `${JSON.stringify({ type: "message", id: "x", parentId: null, message: { role: "user", content: "more" } })}\n`;
    const next = toAppend("/x/a.jsonl", more, text);
    expect(await client.append(next.header, next.bytes)).toMatchObject({ isConflict: false });
  },
);

test.skipIf(!hasPostgres)(
  "a file whose bytes are damaged keeps its rows, and the others are indexed again",
  async () => {
    await using hub = await startHub();
    const { client } = hub.owner;
    for (const id of ["a", "b"]) {
      const { header, bytes } = toAppend(
        `/x/${id}.jsonl`,
        `${session({ id }).user("the tax").lines.join("\n")}\n`,
      );
      await client.append(header, bytes);
    }
    await hub.pool.query("UPDATE file SET extraction = 1");
    await hub.pool.query("UPDATE segment SET body = '\\x00' WHERE file_id = (SELECT min(id) FROM file)");
    const errors: unknown[] = [];
    expect(await reindexOutdated(hub.pool, (error) => errors.push(error))).toBe(1);
    expect(errors.length).toBe(1);
    expect((await hub.pool.query("SELECT 1 FROM entry")).rows.length).toBe(2);
    expect((await hub.pool.query("SELECT extraction FROM file ORDER BY id")).rows).toEqual([
      { extraction: 1 },
      { extraction: EXTRACTION },
    ]);
  },
);
