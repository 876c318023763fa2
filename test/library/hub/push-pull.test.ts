/** Two machines of one person, and a hub. */
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { serveHub } from "../../../bin/hub/serve.ts";
import { HubClient } from "../../../library/hub/client.ts";
import { SessionManager } from "../../../library/index.ts";
import { dumpTables } from "../../bin/hub/hubs.ts";
import { SAMPLES } from "../../query/secrets/samples.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { append, type HubRequests, message, readFromHub, SHOP } from "./machine.ts";
import { startTwoMachines } from "./two-machines.ts";

/** Requests to a hub, and their names. */
function recorded(client: HubClient): { hub: HubRequests; names: string[] } {
  const names: string[] = [];
  const note = <F extends (...args: never[]) => unknown>(name: string, send: F): F =>
    ((...args: Parameters<F>) => {
      names.push(name);
      return send(...args);
    }) as F;
  return {
    names,
    hub: {
      exclusions: note("exclusions", client.exclusions.bind(client)),
      files: note("files", client.files.bind(client)),
      append: note("append", client.append.bind(client)),
      forget: note("forget", client.forget.bind(client)),
      own: note("own", client.own.bind(client)),
      ownBytes: note("ownBytes", client.ownBytes.bind(client)),
    },
  };
}

test.skipIf(!hasPostgres)(
  "what one machine pushed, another pulls byte for byte into a private file",
  async () => {
    const { hub, laptop, desktop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello"), message("x".repeat(200_000)), "not JSON"]);
    expect(await laptop.push()).toMatchObject({ sessions: 1, sent: 1, failed: [] });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
    expect(await desktop.pull()).toMatchObject({ sessions: 1, added: 1 });
    const pulled = desktop.pulled(laptop.name, "one");
    expect(readFileSync(pulled)).toEqual(readFileSync(path));
    if (process.platform !== "win32") expect(statSync(pulled).mode & 0o777).toBe(0o600);
    expect(await desktop.push()).toMatchObject({ sessions: 0, bytes: 0 }); // it did not go on there
    expect(await laptop.pull()).toMatchObject({ sessions: 0 });
  },
);

test.skipIf(!hasPostgres)(
  "a session that is compressed and continued has the same bytes on the hub, and only new lines are sent",
  async () => {
    const { hub, laptop, desktop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello"), message("x".repeat(200_000))]);
    const bytes = readFileSync(path);
    const sessions = laptop.sessions();
    laptop.sessions = () => sessions; // as an index lists it
    SessionManager.compress(path);
    expect(await laptop.push()).toMatchObject({ sessions: 1, sent: 1, bytes: bytes.length, failed: [] });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(bytes);
    appendFileSync(path, `${message("later")}\n`);
    const tail = readFileSync(path);
    expect(await laptop.push()).toMatchObject({ sent: 1, bytes: tail.length, resent: 0 });
    SessionManager.decompress(path);
    expect(await laptop.push()).toMatchObject({ bytes: 0, resent: 0, failed: [] });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(Buffer.concat([bytes, tail]));
    await desktop.pull();
    expect(readFileSync(desktop.pulled(laptop.name, "one"))).toEqual(readFileSync(path));
  },
);

test.skipIf(!hasPostgres)(
  "without the state, files are compared by two requests, and nothing is sent twice",
  async () => {
    const { laptop } = await startTwoMachines();
    for (let n = 0; n < 30; n++) laptop.create(`s${n}`, [message("hello")]);
    await laptop.push();
    rmSync(laptop.statePath);
    const { hub, names } = recorded(new HubClient(laptop.signIn));
    expect(await laptop.push({ hub })).toMatchObject({ sessions: 30, sent: 0, bytes: 0, resent: 0 });
    expect(names).toEqual(["exclusions", "files"]);
  },
);

test.skipIf(!hasPostgres)("only whole lines are sent, and each once", async () => {
  const { hub, laptop } = await startTwoMachines();
  const path = laptop.create("one", [message("hello")]);
  appendFileSync(path, '{"type":');
  const size = readFileSync(path).lastIndexOf("\n") + 1;
  expect(await laptop.push()).toMatchObject({ bytes: size });
  expect(await laptop.push()).toMatchObject({ bytes: 0 });
  appendFileSync(path, '"x"}\n');
  expect(await laptop.push()).toMatchObject({ bytes: Buffer.byteLength('{"type":"x"}\n'), resent: 0 });
  expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
});

test.skipIf(!hasPostgres)(
  "a rewritten file is sent again, and pulled without a copy of the old lines",
  async () => {
    const { hub, laptop, desktop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello"), message("there")]);
    await laptop.push();
    await desktop.pull();
    writeFileSync(path, readFileSync(path, "utf8").replace("hello", "world"));
    expect(await laptop.push()).toMatchObject({ sent: 1, resent: 1 });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
    expect(await desktop.pull()).toMatchObject({ updated: 1, forked: [] });
    expect(readFileSync(desktop.pulled(laptop.name, "one"))).toEqual(readFileSync(path));
  },
);

test.skipIf(!hasPostgres)(
  "a file that grows during its push is sent up to there, the rest by the next push",
  async () => {
    const { hub, laptop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello")]);
    const client = new HubClient(laptop.signIn);
    const requests = recorded(client).hub;
    const growing: HubRequests = {
      ...requests,
      append: (...args) => {
        append(path, message("meanwhile"));
        return requests.append(...args);
      },
    };
    expect(await laptop.push({ hub: growing })).toMatchObject({ sent: 1, failed: [] });
    expect(await laptop.push()).toMatchObject({ sent: 1, resent: 0 });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
  },
);

test.skipIf(!hasPostgres)("pushes of several processes at once send each line once", async () => {
  const { hub, laptop } = await startTwoMachines();
  const paths = ["a", "b", "c"].map((name) => laptop.create(name, [message("hello"), message("there")]));
  for (let round = 0; round < 3; round++) {
    for (const path of paths) append(path, message(`round ${round}`));
    const reports = await Promise.all([laptop.push(), laptop.push(), laptop.push()]);
    expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
    for (const path of paths) expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
  }
});

test.skipIf(!hasPostgres)(
  "a hub that stops makes the push fail, and the next one catches up",
  async () => {
    const { hub, laptop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello")]);
    await laptop.push();
    append(path, message("offline"));
    await hub.running.close();
    const offline = recorded(new HubClient({ ...laptop.signIn, url: "http://127.0.0.1:1" })).hub;
    await expect(laptop.push({ hub: offline })).rejects.toMatchObject({ code: "HUB_UNAVAILABLE" });
    const again = await serveHub({
      pool: hub.pool,
      database: "postgresql",
      host: "127.0.0.1",
      port: 0,
      log() {},
    });
    onTestFinished(() => again.close());
    const restarted = new HubClient({ ...laptop.signIn, url: again.url });
    expect(await laptop.push({ hub: restarted })).toMatchObject({ sent: 1, resent: 0 });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
  },
  60_000,
);

test.skipIf(!hasPostgres)("a session that goes on in two places is kept twice", async () => {
  const { laptop, desktop } = await startTwoMachines();
  const path = laptop.create("one", [message("hello")]);
  await laptop.push();
  await desktop.pull();
  const pulled = desktop.pulled(laptop.name, "one");
  append(pulled, message("on the desktop"));
  const before = readFileSync(pulled, "utf8").split("\n");
  expect(await desktop.push()).toMatchObject({ sessions: 1, sent: 1 });
  append(path, message("on the laptop"));
  await laptop.push();
  const { forked } = await desktop.pull();
  expect(readFileSync(pulled)).toEqual(readFileSync(path));
  expect(forked).toMatchObject([{ path: pulled }]);
  const [header = "", ...lines] = readFileSync(forked[0]?.fork ?? "", "utf8").split("\n");
  expect(lines).toEqual(before.slice(1));
  expect(JSON.parse(header)).toMatchObject({ type: "session", cwd: SHOP, parentSession: pulled });
  expect(JSON.parse(header).id).not.toBe("one");
  expect(await desktop.push()).toMatchObject({ sessions: 1, sent: 1, moved: 1 });
  expect(await desktop.pull()).toMatchObject({ added: 0, updated: 0, forked: [] });
});

test.skipIf(!hasPostgres)("a pulled session that was deleted here is not fetched again", async () => {
  const { laptop, desktop } = await startTwoMachines();
  const path = laptop.create("one", [message("hello")]);
  await laptop.push();
  await desktop.pull();
  rmSync(desktop.pulled(laptop.name, "one"));
  expect(await desktop.pull()).toMatchObject({ deleted: 1, added: 0 });
  append(path, message("more"));
  await laptop.push();
  expect(await desktop.pull()).toMatchObject({ deleted: 1, added: 0, updated: 0 });
  expect(existsSync(desktop.pulled(laptop.name, "one"))).toBe(false);
});

test.skipIf(!hasPostgres)("a dry run fetches nothing, and nothing is pushed that is not shared", async () => {
  const { hub, laptop, desktop } = await startTwoMachines();
  laptop.create("one", [message("hello")]);
  laptop.create("other", [message("private")], "/home/ada/diary");
  expect(await laptop.push()).toMatchObject({ sessions: 1 });
  expect((await hub.pool.query("SELECT cwd FROM session")).rows).toEqual([{ cwd: SHOP }]);
  expect(await desktop.pull({ dryRun: true })).toMatchObject({ added: 1 });
  expect(desktop.sessions()).toEqual([]);
});

/** A model response with usage, and a secret in the arguments of its tool call. */
const RESPONSE = JSON.stringify({
  type: "message",
  id: "r1",
  parentId: null,
  timestamp: "2026-11-02T09:02:00.000Z",
  message: {
    role: "assistant",
    provider: "anthropic",
    model: "claude",
    usage: { input: 10, output: 5, cost: { total: 0.1 } },
    content: [{ type: "toolCall", id: "call_1", name: "bash", arguments: { password: "hunter2hunter2" } }],
  },
});

/** What makes the tree, the labels and the cost of a session. */
function structureOf(text: string): unknown[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const { type, id, parentId, timestamp, message: said } = JSON.parse(line);
      const calls = Array.isArray(said?.content) ? said.content.map((block: { id: string }) => block.id) : [];
      return { type, id, parentId, timestamp, usage: said?.usage, model: said?.model, calls };
    });
}

test.skipIf(!hasPostgres)(
  "a project that goes to the team is deleted from the private shelf and masked",
  async () => {
    const { hub, laptop, desktop } = await startTwoMachines();
    const samples = Object.values(SAMPLES).flatMap((kinds) =>
      kinds.flatMap((each, n) => fc.sample(each, { numRuns: 1, seed: n + 1 })),
    );
    const lines = samples.map(({ text }) => message(`the key is ${text}`));
    const path = laptop.create("one", [...lines, message("no secret"), RESPONSE]);
    await laptop.push();
    laptop.projects = [{ folder: SHOP, share: "team", project: "shop" }];
    expect(await laptop.push()).toMatchObject({ resent: 1, failed: [] });
    const sent = (await readFromHub(hub, laptop.name, path))?.toString() ?? "";
    const tables = await dumpTables(hub.pool);
    for (const { secret } of samples) {
      const escaped = JSON.stringify(secret).slice(1, -1);
      for (const text of [sent, tables])
        for (const form of [secret, escaped]) expect(text.includes(form), form).toBe(false);
    }
    expect(sent).toContain("no secret");
    expect(structureOf(sent)).toEqual(structureOf(readFileSync(path, "utf8")));
    expect(await desktop.pull()).toMatchObject({ sessions: 0 });
    append(path, message("more"));
    expect(await laptop.push()).toMatchObject({ sent: 1, resent: 0 });
    rmSync(laptop.statePath);
    expect(await laptop.push()).toMatchObject({ sent: 0, resent: 0 });
  },
);
