import { request } from "node:http";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { openHub, PidexError } from "../../../library/index.ts";
import { startHub } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { addFile, openAs } from "./hub-files.ts";

test("a hub is asked only when a method is called", async () => {
  await using hub = await openHub({ url: "http://127.0.0.1:1", token: "pidex_none" });
  expect(hub.url).toBe("http://127.0.0.1:1");
  await expect(openHub({ url: "ftp://hub", token: "x" })).rejects.toMatchObject({ code: "BAD_OPTION" });
  await expect(openHub({ url: "http://hub" })).rejects.toMatchObject({ code: "BAD_OPTION" });
});

test.skipIf(!hasPostgres)(
  "reading stops early, is aborted or loses its reader: the connection is free again",
  async () => {
    await using hub = await startHub();
    const path = join(temporaryFolder(), "a.jsonl");
    const talk = session({ id: "long" });
    for (let n = 0; n < 2_000; n++) talk.user(`message ${n} ${"text ".repeat(400)}`);
    talk.write(path);
    await addFile(hub, hub.owner, path);
    await using index = await openAs(hub, hub.owner);
    const isFree = () =>
      expect([hub.pool.totalCount - hub.pool.idleCount, hub.pool.waitingCount]).toEqual([0, 0]);

    for await (const { line } of index.entries("long")) if (line > 3) break;
    await vi.waitFor(isFree, 10_000);

    const stop = new AbortController();
    const reading = Array.fromAsync(index.entries("long", { signal: stop.signal }), ({ line }) => {
      if (line > 3) stop.abort(new Error("enough"));
    });
    await expect(reading).rejects.toThrow("enough");
    await vi.waitFor(isFree, 10_000);

    const used = await new Promise<number>((resolve, reject) => {
      const sent = request(`${hub.url}/v1/query`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${hub.owner.token}`,
          "pidex-protocol": "1",
          "content-type": "application/json",
        },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        response.once("data", () => {
          resolve(hub.pool.totalCount - hub.pool.idleCount);
          response.destroy();
        });
      });
      sent.end(JSON.stringify({ method: "entries", args: ["long"] }));
    });
    // The hub's maintenance may have another one.
    expect(used).toBeGreaterThanOrEqual(1);
    await vi.waitFor(isFree, 10_000);
    expect((await index.find("long")).entryCount).toBe(2_000);
  },
);

test.skipIf(!hasPostgres)("a closed hub aborts its calls", async () => {
  await using hub = await startHub();
  const index = await openAs(hub, hub.owner);
  await index.close();
  await expect(index.listAll()).rejects.toThrow("the hub was closed");
});

test.skipIf(!hasPostgres)("unknown methods, arguments and pages that are too long are refused", async () => {
  await using hub = await startHub();
  const ask = async (body: object) => {
    const response = await hub.owner.client.request("POST", "v1/query", { body, accept: [400, 404] });
    return ((await response.json()) as { error: { code: string; message: string } }).error;
  };
  const code = "BAD_OPTION";
  expect(await ask({ method: "sql", args: ["SELECT 1"] })).toMatchObject({ code });
  expect(await ask({ method: "constructor", args: [] })).toMatchObject({ code });
  expect(await ask({ method: "listAll", args: [{}] })).toMatchObject({ code });
  expect(await ask({ method: "listAll", args: [{ limit: 1_001 }] })).toMatchObject({ code });
  expect(await ask({ method: "find", args: [{}] })).toMatchObject({ code });
  expect(await ask({ method: "find", args: ["a", {}, {}] })).toMatchObject({ code });
  expect(await ask({ nonsense: true })).toMatchObject({ code });
});

test.skipIf(!hasPostgres)("answers are compressed for clients that accept it", async () => {
  await using hub = await startHub();
  const path = join(temporaryFolder(), "a.jsonl");
  session({ id: "a" }).user("text ".repeat(2_000)).write(path);
  await addFile(hub, hub.owner, path);
  const body = { method: "entries", args: ["a"] };
  const encodings = await Promise.all(
    ["gzip", "identity"].map(async (encoding) => {
      const headers = { "accept-encoding": encoding };
      const response = await hub.owner.client.request("POST", "v1/query", { body, headers });
      expect(await response.text()).toContain("text text");
      return response.headers.get("content-encoding");
    }),
  );
  expect(encodings).toEqual(["gzip", null]);
});

test.skipIf(!hasPostgres)(
  "the text of a session on another machine is an error that says what to do",
  async () => {
    await using hub = await startHub();
    const path = join(temporaryFolder(), "a.jsonl");
    session({ id: "a" }).user("text").write(path);
    await addFile(hub, hub.owner, path);
    await using index = await openAs(hub, hub.owner);
    const found = await index.find("a");
    expect(() => found.allMessagesText).toThrow(PidexError);
    expect(() => found.allMessagesText).toThrow(`is on ${hub.owner.machine}`);
  },
);
