/** Long requests run in index hosts: the server keeps answering, and stops work for clients that disconnect. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { expect, onTestFinished, test } from "vitest";
import { createPageHost } from "../../../bin/web/hosts/hosts.ts";
import type { PageService } from "../../../bin/web/hosts/page-service.ts";
import { Streams } from "../../../bin/web/hosts/streams.ts";
import { session } from "../../../fixtures/builder.ts";
import type { Host } from "../../../library/host/host.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { serveSynced } from "./serve-synced.ts";

const EXPORT = (host: Host<PageService>) =>
  host.stream("export", { session: "talk", format: "md", redact: false });

/** A root with a session of a few megabytes. */
async function indexed() {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  const talk = session({ id: "talk" });
  for (let n = 0; n < 300; n++) talk.user(`needle ${n}`).assistant(`answer ${n} ${"hay ".repeat(5_000)}`);
  talk.writeUnder(root);
  const place = { db: join(folder, "index.db"), roots: [root] };
  await using index = await openIndex(place);
  await index.sync();
  return { ...place, root };
}

async function openStreams(options: { maxIdleMs?: number } = {}): Promise<Streams> {
  const place = await indexed();
  return new Streams(() => createPageHost(place), options);
}

test("other requests are answered during a fast export", async () => {
  const { root, db } = await indexed();
  const server = await serveSynced(root, { db });
  await server.fetch("/api/list?limit=1"); // the code is loaded on first use
  let isOver = false;
  const exporting = (async () => {
    const response = await server.fetch("/api/export?session=talk&format=html");
    let bytes = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
    isOver = true;
    return bytes;
  })();
  let answered = 0;
  while (!isOver) {
    expect((await server.fetch("/api/list?limit=1")).status).toBe(200);
    if (!isOver) answered++;
  }
  expect(await exporting).toBeGreaterThan(5_000_000);
  expect(answered).toBeGreaterThan(10);
});

test("a search yields to other requests, and returns the result of the index", async () => {
  const place = await indexed();
  await using index = await openIndex(place);
  const host = createPageHost(place);
  onTestFinished(() => host.close());
  const known = await index.search("needle", { facets: true });
  let turns = 0;
  let isOver = false;
  const answer = host.call("search", "needle", { facets: true }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await setImmediate();
    turns++;
  }
  const { sessions, ...rest } = await answer;
  const { sessions: knownSessions, ...knownRest } = known;
  expect(rest).toEqual(knownRest);
  expect(sessions.map(({ session }) => session)).toEqual(knownSessions.map(({ session }) => session));
  expect(turns).toBeGreaterThan(1);
});

test("an aborted request isn't answered; those before and after it are", async () => {
  const host = createPageHost(await indexed());
  onTestFinished(() => host.close());
  const stop = new AbortController();
  const first = host.call("search", "needle", {});
  const second = host.call("search", "hay", { signal: stop.signal });
  const third = host.call("search", "answer", { hits: 2 });
  stop.abort();
  await expect(second).rejects.toThrow(/abort/i);
  expect((await first).sessions).toHaveLength(1);
  expect((await third).sessions[0]?.hits).toHaveLength(2);
  await expect(host.call("search", "hay", { signal: stop.signal })).rejects.toThrow(/abort/i);
});

test("errors of the index are thrown, and the thread keeps running", async () => {
  const host = createPageHost(await indexed());
  onTestFinished(() => host.close());
  await expect(host.call("search", "(", {})).rejects.toMatchObject({ name: "PidexError", code: "BAD_QUERY" });
  expect((await host.call("search", "needle", {})).sessions).toHaveLength(1);
});

test("the thread of an export ends when its reader cancels", async () => {
  const streams = await openStreams();
  onTestFinished(() => streams.close());
  const stream = await streams.open("export", EXPORT);
  const reader = stream.getReader();
  expect((await reader.read()).done).toBe(false);
  expect(streams.openCount).toBe(1);
  await reader.cancel();
  await waitUntil("the thread has ended", () => streams.openCount === 0);

  const stop = new AbortController();
  const opening = streams.open("export", EXPORT, stop.signal);
  stop.abort();
  await expect(opening).rejects.toThrow(/abort/i);
  await waitUntil("the thread has ended", () => streams.openCount === 0);
});

test("an export is written as it is read, and exports beyond the thread limit wait", async () => {
  const streams = await openStreams();
  onTestFinished(() => streams.close());
  const open = await Promise.all([1, 2, 3, 4].map(() => streams.open("export", EXPORT)));
  const fifth = streams.open("export", EXPORT);
  const texts = await Promise.all(open.map((stream) => new Response(stream).text()));
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toContain("needle 299");
  expect(await new Response(await fifth).text()).toBe(texts[0]);
  await waitUntil("all threads have ended", () => streams.openCount === 0);
});

test("an error before the first chunk is thrown unchanged", async () => {
  const streams = await openStreams();
  onTestFinished(() => streams.close());
  const open = (host: Host<PageService>) =>
    host.stream("export", { session: "nobody", format: "md", redact: true });
  await expect(streams.open("export", open)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await waitUntil("the thread has ended", () => streams.openCount === 0);
});

const SCAN = (host: Host<PageService>) => host.stream("scan", "needle 7", {});

test("a waiting request that is aborted leaves the queue: the next one still gets its turn", async () => {
  const streams = await openStreams();
  onTestFinished(() => streams.close());
  const open = await Promise.all([1, 2, 3, 4].map(() => streams.open("export", EXPORT)));
  const stop = new AbortController();
  const aborted = [1, 2, 3, 4].map(() => streams.open("export", EXPORT, stop.signal));
  let isOpen = false;
  const live = streams.open("export", EXPORT);
  void live.then(() => {
    isOpen = true;
  });
  stop.abort();
  for (const each of aborted) await expect(each).rejects.toThrow(/abort/i);
  for (const stream of open) await stream.cancel();
  await waitUntil("the request that was not aborted is answered", () => isOpen);
  await (await live).cancel();
  await waitUntil("all threads have ended", () => streams.openCount === 0);
});

test("exports that are not read don't hold up scans", async () => {
  const streams = await openStreams();
  onTestFinished(() => streams.close());
  await Promise.all([1, 2, 3, 4].map(() => streams.open("export", EXPORT)));
  let found: string | undefined;
  void streams.open("scan", SCAN).then(async (stream) => {
    found = await new Response(stream).text();
  });
  await waitUntil("the scan is answered", () => found !== undefined);
  expect(found).toContain("needle 7");
});

test("an idle download fails and releases its slot", async () => {
  const streams = await openStreams({ maxIdleMs: 200 });
  onTestFinished(() => streams.close());
  const paused = await Promise.all([1, 2, 3, 4].map(() => streams.open("export", EXPORT)));
  let isOpen = false;
  const next = streams.open("export", EXPORT);
  void next.then(() => {
    isOpen = true;
  });
  await waitUntil("the next one is answered", () => isOpen);
  expect(await new Response(await next).text()).toContain("needle 299");
  for (const stream of paused)
    await expect(new Response(stream).text()).rejects.toThrow("no data read for 0.2 s");
});

test("the connection of a paused download is closed, so that the partial file isn't taken for a complete one", async () => {
  const streams = await openStreams({ maxIdleMs: 200 });
  onTestFinished(() => streams.close());
  const server = createAdaptorServer({
    fetch: async () => new Response(await streams.open("export", EXPORT)),
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve) => get({ host: "127.0.0.1", port }, resolve));
  response.pause();
  await waitUntil("its thread has ended", () => streams.openCount === 0);
  await expect(text(response)).rejects.toThrow("aborted");
});
