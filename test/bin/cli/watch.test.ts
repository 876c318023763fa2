/** `pidex watch` as a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Io } from "../../../bin/cli/io.ts";
import { watch as watchWith } from "../../../bin/cli/watch.ts";
import { WatchedSyncJson } from "../../../bin/cli/watch-answers.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../library/internal.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { HOME, linesOf, pidexAt, strict } from "../cli.ts";

const BIN = join(HOME, "bin", "pidex.ts");

/** A folder with one session, and where an index of it goes. */
function place() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const path = session().user("hello").writeUnder(root);
  return { folder, root, path, db: join(folder, "index.db"), asked: pidexAt(root, folder) };
}

function say(path: string, text: string): void {
  const message = { role: "user", content: text };
  appendFileSync(path, `${JSON.stringify({ type: "message", id: text, parentId: null, message })}\n`);
}

/** A started process, and what it has written so far. */
function started(child: ChildProcessWithoutNullStreams) {
  const written = { out: "", err: "" };
  child.stdout.on("data", (data) => {
    written.out += data;
  });
  child.stderr.on("data", (data) => {
    written.err += data;
  });
  const exit = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    exit,
    written,
    watches: () => waitUntil(`it watches: ${written.err}`, () => written.err.includes("watching")),
    stop: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return (await exit)[0];
    },
  };
}

function watch({ root, db }: { root: string; db: string }, ...flags: string[]) {
  return started(spawn(process.execPath, [BIN, "watch", "--root", root, "--db", db, ...flags]));
}

test("reports each sync with changes, and SIGTERM ends it with the database closed", async () => {
  const at = place();
  const watching = watch(at);
  await watching.watches();
  say(at.path, "zebra");
  await waitUntil("it is told", () => watching.written.out.includes("appended"));
  const [first = "", second = "", ...more] = linesOf(watching.written.out);
  expect(first).toMatch(/^\d\d:\d\d:\d\d 1 added: 2 lines \(\d+ ms\)$/);
  expect(second).toMatch(/^\d\d:\d\d:\d\d 1 appended: 1 line \(\d+ ms\)$/);
  expect(more).toEqual([]);
  expect(await watching.stop("SIGTERM")).toBe(0);
  expect(linesOf(watching.written.err)).toEqual([
    `pidex: watching ${at.root}; Ctrl+C stops`,
    "pidex: stopped watching",
  ]);
  expect(readdirSync(at.folder).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  expect((await at.asked(["search", "zebra", "--no-sync"])).exit).toBe(0);
});

test("two watchers do the same work once, and print one JSON object per sync", async () => {
  const at = place();
  const both = [watch(at, "--ndjson"), watch(at, "--json")];
  await Promise.all(both.map((each) => each.watches()));
  const told = () => both.flatMap(({ written }) => linesOf(written.out).map((line) => JSON.parse(line)));
  const linesRead = () => told().reduce((sum, one) => sum + one.linesRead, 0);
  for (const [n, word] of ["ant", "bee", "cat"].entries()) {
    say(at.path, word);
    await waitUntil(`${word} is told`, () => linesRead() >= 3 + n);
  }
  for (const each of both) expect(await each.stop("SIGINT")).toBe(0);
  expect(linesRead()).toBe(2 + 3);
  for (const { schema, ...one } of told()) {
    expect(schema).toBe(JSON_SCHEMA_VERSION);
    strict(WatchedSyncJson).parse(one);
  }
});

test("what changed while its process was stopped is found when it goes on", async () => {
  const at = place();
  const watching = watch(at);
  await watching.watches();
  watching.child.kill("SIGSTOP");
  say(at.path, "zebra");
  session({ cwd: "/home/ada/new", timestamp: "2026-02-01T00:00:00.000Z" }).user("new").writeUnder(at.root);
  watching.child.kill("SIGCONT");
  const finds = async (query: string) => (await at.asked(["search", query, "--no-sync"])).exit === 0;
  await waitUntil("all is found", async () => (await finds("zebra")) && (await finds("new")));
  expect(await watching.stop("SIGTERM")).toBe(0);
});

test("quiet, it says only that it has stopped", async () => {
  const at = place();
  const watching = watch(at, "--quiet");
  await waitUntil(
    "it has indexed",
    async () => (await at.asked(["search", "hello", "--no-sync"])).exit === 0,
  );
  const ended = await watching.stop("SIGINT");
  expect([ended, watching.written]).toEqual([0, { out: "", err: "pidex: stopped watching\n" }]);
});

test("it ends when its output pipe is closed", async () => {
  const at = place();
  const watching = watch(at);
  await watching.watches();
  watching.child.stdout.destroy();
  say(at.path, "zebra");
  expect((await watching.exit)[0]).toBe(0);
});

/** Watches in this process until the test is over. */
async function watchHere(at: ReturnType<typeof place>, given: Partial<Io>) {
  const io: Io = {
    out: () => undefined,
    err() {},
    isTerminal: false,
    showsProgress: false,
    columns: 80,
    style: (_, text) => text,
    ...given,
  };
  const index = await openIndex({ db: at.db, roots: [at.root] });
  const stop = new AbortController();
  const ended = watchWith(io, index, { interval: 60 }, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
    await index.close();
  });
  return index;
}

test("a sync that is soon done shows no bar, however long it has watched", async () => {
  const at = place();
  const drawn: string[] = [];
  let told = 0;
  const io = { showsProgress: true, err: (text: string) => void drawn.push(text), out: () => void told++ };
  const began = performance.now();
  await watchHere(at, io);
  await waitUntil("it has indexed", () => told === 1);
  // Longer than work is done without a bar: each new folder is a sync of everything.
  for (let n = 1; performance.now() - began < 800; n++) {
    const timestamp = new Date(Date.UTC(2026, 1, n)).toISOString();
    session({ cwd: `/home/ada/p${n}`, timestamp })
      .user("new")
      .writeUnder(at.root);
    await waitUntil("it is told", () => told > n);
  }
  expect(drawn.filter((text) => text.includes("\r"))).toEqual([]);
});

test("while its output is blocked it continues, drops reports, and notes their number afterwards", async () => {
  const at = place();
  let told = 0;
  const notes: string[] = [];
  const reads = Promise.withResolvers<void>();
  const out = () => {
    told++;
    return reads.promise;
  };
  const index = await watchHere(at, { out, err: (text) => void notes.push(text) });
  await waitUntil("it is told", () => told === 1);
  await waitUntil("it watches", () => notes.length === 1);
  for (const word of ["ant", "bee"]) {
    say(at.path, word);
    const holds = async () => (await index.searchEntries(word, { sync: false })).hits.length > 0;
    await waitUntil(`${word} is found`, holds);
  }
  expect(told).toBe(1);
  reads.resolve();
  await waitUntil("it says so", () => notes.length === 2);
  expect(notes[1]).toMatch(/^note: [12] syncs? not reported because the output was blocked\n$/);
  say(at.path, "cat");
  await waitUntil("it is told", () => told === 2);
});

/** A shell in a namespace of its own, which has so few file watches. */
const few = (command: string) => [
  "-rm",
  "sh",
  "-c",
  `echo 2 > /proc/sys/user/max_inotify_watches && ${command}`,
];
const canLimit = process.platform === "linux" && spawnSync("unshare", few("true")).status === 0;

test.runIf(canLimit)("with no file watches left it says what to raise, and polls", async () => {
  const at = place();
  for (const name of ["a", "b", "c", "d"]) mkdirSync(join(at.root, name));
  const argv = [BIN, "watch", "--root", at.root, "--db", at.db, "--interval", "0.2"];
  const watching = started(spawn("unshare", few(`exec "$@"`).concat("sh", process.execPath, ...argv)));
  await watching.watches();
  say(at.path, "zebra");
  await waitUntil("it is told", () => watching.written.out.includes("appended"));
  expect(await watching.stop("SIGTERM")).toBe(0);
  const notes = linesOf(watching.written.err).filter((line) => line.startsWith("note:"));
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain("sudo sysctl fs.inotify.max_user_watches=");
  expect(existsSync(`${at.db}-wal`)).toBe(false);
});
