/** `pidex watch` in a separate process. */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Io } from "../../../bin/cli/io.ts";
import { watch as watchWith } from "../../../bin/cli/watch.ts";
import { WatchedSyncJson } from "../../../bin/cli/watch-answers.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../library/internal.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { linesOf, pidexAt, strict } from "../cli.ts";
import { track } from "./track-child.ts";

/** Creates a root with one session, and the path for its index. */
function createWorkspace() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const path = session().user("hello").writeUnder(root);
  return { folder, root, path, db: join(folder, "index.db"), run: pidexAt(root, folder) };
}

function appendMessage(path: string, text: string): void {
  const message = { role: "user", content: text };
  appendFileSync(path, `${JSON.stringify({ type: "message", id: text, parentId: null, message })}\n`);
}

function watch({ root, db }: { root: string; db: string }, ...flags: string[]) {
  return track(spawn(process.execPath, [BUILT_PIDEX, "watch", "--root", root, "--db", db, ...flags]));
}

test("reports each sync with changes, and SIGTERM ends it with the database closed", async () => {
  const workspace = createWorkspace();
  const watching = watch(workspace);
  await watching.untilWatching();
  appendMessage(workspace.path, "zebra");
  await waitUntil("the sync is reported", () => watching.written.out.includes("appended"));
  const [first = "", second = "", ...more] = linesOf(watching.written.out);
  expect(first).toMatch(/^\d\d:\d\d:\d\d 1 added: 2 lines \(\d+ ms\)$/);
  expect(second).toMatch(/^\d\d:\d\d:\d\d 1 appended: 1 line \(\d+ ms\)$/);
  expect(more).toEqual([]);
  expect(await watching.stop("SIGTERM")).toBe(0);
  expect(linesOf(watching.written.err)).toEqual([
    `pidex: watching ${workspace.root}; Ctrl+C stops`,
    "pidex: stopped watching",
  ]);
  expect(readdirSync(workspace.folder).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  expect((await workspace.run(["search", "zebra", "--no-sync"])).exit).toBe(0);
});

test("two watchers do the same work once, and print one JSON object per sync", async () => {
  const workspace = createWorkspace();
  const both = [watch(workspace, "--ndjson"), watch(workspace, "--json")];
  await Promise.all(both.map((watcher) => watcher.untilWatching()));
  const reports = () => both.flatMap(({ written }) => linesOf(written.out).map((line) => JSON.parse(line)));
  const linesRead = () => reports().reduce((sum, report) => sum + report.linesRead, 0);
  for (const [n, word] of ["ant", "bee", "cat"].entries()) {
    appendMessage(workspace.path, word);
    await waitUntil(`${word} is reported`, () => linesRead() >= 3 + n);
  }
  for (const watcher of both) expect(await watcher.stop("SIGINT")).toBe(0);
  expect(linesRead()).toBe(2 + 3);
  for (const { schema, ...report } of reports()) {
    expect(schema).toBe(JSON_SCHEMA_VERSION);
    strict(WatchedSyncJson).parse(report);
  }
});

test("changes made while the process is stopped are indexed after it continues", async () => {
  const workspace = createWorkspace();
  const watching = watch(workspace);
  await watching.untilWatching();
  watching.child.kill("SIGSTOP");
  appendMessage(workspace.path, "zebra");
  session({ cwd: "/home/ada/new", timestamp: "2026-02-01T00:00:00.000Z" })
    .user("new")
    .writeUnder(workspace.root);
  watching.child.kill("SIGCONT");
  const finds = async (query: string) => (await workspace.run(["search", query, "--no-sync"])).exit === 0;
  await waitUntil("both changes are found", async () => (await finds("zebra")) && (await finds("new")));
  expect(await watching.stop("SIGTERM")).toBe(0);
});

test("with --quiet it only reports that it stopped", async () => {
  const workspace = createWorkspace();
  const watching = watch(workspace, "--quiet");
  await waitUntil(
    "it has indexed",
    async () => (await workspace.run(["search", "hello", "--no-sync"])).exit === 0,
  );
  const ended = await watching.stop("SIGINT");
  expect([ended, watching.written]).toEqual([0, { out: "", err: "pidex: stopped watching\n" }]);
});

test("it ends when its output pipe is closed", async () => {
  const workspace = createWorkspace();
  const watching = watch(workspace);
  await watching.untilWatching();
  watching.child.stdout.destroy();
  appendMessage(workspace.path, "zebra");
  expect((await watching.exit)[0]).toBe(0);
});

/** Watches in this process until the test ends. */
async function watchHere(workspace: ReturnType<typeof createWorkspace>, overrides: Partial<Io>) {
  const io: Io = {
    out: () => undefined,
    err() {},
    isTerminal: false,
    showsProgress: false,
    columns: 80,
    style: (_, text) => text,
    ...overrides,
  };
  const index = await openIndex({ db: workspace.db, roots: [workspace.root] });
  const stop = new AbortController();
  const ended = watchWith(io, index, { interval: 60 }, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
    await index.close();
  });
  return index;
}

test("a short sync shows no progress bar, however long the command has been watching", async () => {
  const workspace = createWorkspace();
  const drawn: string[] = [];
  let reported = 0;
  const io = {
    showsProgress: true,
    err: (text: string) => void drawn.push(text),
    out: () => void reported++,
  };
  const began = performance.now();
  await watchHere(workspace, io);
  await waitUntil("it has indexed", () => reported === 1);
  // Longer than the delay before a progress bar appears: each new folder causes a full sync.
  for (let n = 1; performance.now() - began < 800; n++) {
    const timestamp = new Date(Date.UTC(2026, 1, n)).toISOString();
    session({ cwd: `/home/ada/p${n}`, timestamp })
      .user("new")
      .writeUnder(workspace.root);
    await waitUntil("the sync is reported", () => reported > n);
  }
  expect(drawn.filter((text) => text.includes("\r"))).toEqual([]);
});

test("while its output is blocked it continues, drops reports, and notes their number afterwards", async () => {
  const workspace = createWorkspace();
  let reported = 0;
  const notes: string[] = [];
  const unblocked = Promise.withResolvers<void>();
  const out = () => {
    reported++;
    return unblocked.promise;
  };
  const index = await watchHere(workspace, { out, err: (text) => void notes.push(text) });
  await waitUntil("the sync is reported", () => reported === 1);
  await waitUntil("it watches", () => notes.length === 1);
  for (const word of ["ant", "bee"]) {
    appendMessage(workspace.path, word);
    const isIndexed = async () => (await index.searchEntries(word, { sync: false })).hits.length > 0;
    await waitUntil(`${word} is found`, isIndexed);
  }
  expect(reported).toBe(1);
  unblocked.resolve();
  await waitUntil("the note is printed", () => notes.length === 2);
  expect(notes[1]).toMatch(/^note: [12] syncs? not reported because the output was blocked\n$/);
  appendMessage(workspace.path, "cat");
  await waitUntil("the sync is reported", () => reported === 2);
});

/** Arguments of `unshare` for a shell with a limit of two file watches. */
const withFewWatches = (command: string) => [
  "-rm",
  "sh",
  "-c",
  `echo 2 > /proc/sys/user/max_inotify_watches && ${command}`,
];
const canLimit = process.platform === "linux" && spawnSync("unshare", withFewWatches("true")).status === 0;

test.runIf(canLimit)("without free file watches it names the limit to raise, and polls", async () => {
  const workspace = createWorkspace();
  for (const name of ["a", "b", "c", "d"]) mkdirSync(join(workspace.root, name));
  const argv = [BUILT_PIDEX, "watch", "--root", workspace.root, "--db", workspace.db, "--interval", "0.2"];
  const watching = track(
    spawn("unshare", withFewWatches(`exec "$@"`).concat("sh", process.execPath, ...argv)),
  );
  await watching.untilWatching();
  appendMessage(workspace.path, "zebra");
  await waitUntil("the sync is reported", () => watching.written.out.includes("appended"));
  expect(await watching.stop("SIGTERM")).toBe(0);
  const notes = linesOf(watching.written.err).filter((line) => line.startsWith("note:"));
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain("sudo sysctl fs.inotify.max_user_watches=");
  expect(existsSync(`${workspace.db}-wal`)).toBe(false);
});
