import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { discover } from "../../indexer/discover.ts";
import { emptyReport } from "../../indexer/report.ts";
import { type ChangeKind, watchFolders } from "../../indexer/watch-folders.ts";
import { type Index, openIndex, PidexError, SessionManager, type SyncReport } from "../../library/index.ts";
import {
  type IndexWatch,
  type WatchOptions,
  type WatchTarget,
  watchIndex,
} from "../../library/watch-index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { acquireLock } from "../../src/store/sqlite/lock.ts";
import { temporaryFolder } from "../temporary.ts";
import { waitUntil } from "../until.ts";

/** A session file with one message, and its path below the root. */
function write(path: string, text = "hello"): string {
  mkdirSync(dirname(path), { recursive: true });
  const timestamp = new Date(Date.UTC(2026, 0, 1) + counter++ * 60_000).toISOString();
  session({ timestamp }).user(text).write(path);
  return path;
}
let counter = 0;

function say(path: string, text: string): void {
  const message = { role: "user", content: text };
  appendFileSync(
    path,
    `${JSON.stringify({ type: "message", id: `e${counter++}`, parentId: null, message })}\n`,
  );
}

interface Seen {
  report: SyncReport;
  paths: readonly string[] | undefined;
}

/** The target of a watch: an index, or a wrapper. */
type Around = (index: Index, target: WatchTarget) => Partial<WatchTarget>;

/** An index over a folder, watched until the test ends, with its recorded syncs. */
async function watched(
  at: TestContext,
  root: string,
  options: WatchOptions = {},
  around: Around = () => ({}),
) {
  const index = await openIndex({ db: join(temporaryFolder(at), "index.db"), roots: [root] });
  const target: WatchTarget = {
    roots: () => [toRoot(root)],
    sync: (control) => index.sync(control),
    syncFiles: (paths, control) => index.syncFiles(paths, control),
  };
  const syncs: Seen[] = [];
  const notices: string[] = [];
  const problems: unknown[] = [];
  const watch: IndexWatch = await watchIndex(
    { ...target, ...around(index, target) },
    {
      onNotice: (text) => notices.push(text),
      onProblem: (error) => problems.push(error),
      ...options,
      onSynced(report, synced) {
        syncs.push({ report, paths: synced.paths });
        options.onSynced?.(report, synced);
      },
    },
  );
  at.onTestFinished(async () => {
    await watch.close().catch(() => {});
    await index.close();
  });
  const paths = async () =>
    (await index.listAll({ subagents: "yes" })).sessions.map(({ path }) => path).sort();
  // `sync: false`: a search would sync if it finds that a file has changed.
  const holds = async (word: string) => (await index.searchEntries(word, { sync: false })).hits.length > 0;
  return {
    index,
    watch,
    syncs,
    notices,
    problems,
    paths,
    /** Waits until a word is found. */
    finds: (word: string) => waitUntil(`${word} is found`, () => holds(word)),
    loses: (word: string) => waitUntil(`${word} is gone`, async () => !(await holds(word))),
    hasOnly: (...expected: string[]) =>
      waitUntil(`there is only ${expected}`, async () => `${await paths()}` === `${expected.sort()}`),
    /** Waits until no sync is due, in particular the one that follows the start. */
    settles: () => waitUntil("it has looked once more", () => syncs.length >= 2),
    sum: (what: "added" | "appended" | "reindexed" | "moved" | "forgotten" | "linesRead") =>
      syncs.reduce((sum, { report }) => sum + report[what], 0),
  };
}

const rootIn = (folder: string) => join(folder, "sessions");

test.concurrent("when it is ready everything is indexed, and another full sync finds changes from before watching started", async (at) => {
  const root = rootIn(temporaryFolder(at));
  write(join(root, "--p--", "a.jsonl"), "alpha");
  const watch = await watched(at, root);
  expect(watch.syncs.map(({ report }) => report.added)).toEqual([1]);
  await watch.settles();
  expect(watch.syncs.map(({ paths }) => paths)).toEqual([undefined, undefined]);
});

test.concurrent("an appended line is indexed, and nothing else is read", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  write(join(root, "--p--", "b.jsonl"));
  const watch = await watched(at, root);
  await watch.settles();
  const before = watch.sum("linesRead");
  say(path, "zebra");
  await waitUntil("it is reported", () => watch.sum("appended") === 1);
  await watch.finds("zebra");
  expect(watch.sum("linesRead") - before).toBe(1);
  expect(watch.syncs.at(-1)?.paths).toEqual([path]);
});

test.concurrent("a session that is compressed, continued by an agent and restored stays indexed, and is read no second time", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"), "alpha");
  const watch = await watched(at, root);
  await watch.settles();
  const read = () => [
    watch.sum("added"),
    watch.sum("forgotten"),
    watch.sum("reindexed"),
    watch.sum("linesRead"),
  ];
  const before = read();
  const isUpToDate = () => waitUntil("the files are indexed as they are", () => watch.index.isUpToDate());
  SessionManager.compress(path);
  await isUpToDate();
  expect([read(), await watch.paths()]).toEqual([before, [path]]);
  await watch.finds("alpha");
  say(path, "zebra");
  await watch.finds("zebra");
  SessionManager.decompress(path);
  await isUpToDate();
  say(path, "giraffe");
  await watch.finds("giraffe");
  expect(readdirSync(dirname(path))).toEqual(["a.jsonl"]);
  await waitUntil("both lines are reported", () => watch.sum("appended") === 2);
  expect(read().slice(0, 3)).toEqual(before.slice(0, 3));
  expect([watch.problems, watch.notices]).toEqual([[], []]);
});

test.concurrent("a session in a new project folder is indexed, and later entries in it too", async (at) => {
  const root = rootIn(temporaryFolder(at));
  mkdirSync(root);
  const watch = await watched(at, root);
  const path = write(join(root, "--new--", "a.jsonl"), "alpha");
  await watch.finds("alpha");
  say(path, "zebra");
  await watch.finds("zebra");
  const deep = write(join(root, "--new--", "a", "run-1", "session.jsonl"), "beneath");
  await watch.hasOnly(path, deep);
});

test.concurrent("a root that appears, disappears, returns or is replaced is followed", async (at) => {
  const folder = temporaryFolder(at);
  const home = join(folder, "home");
  const root = join(home, "agent", "sessions");
  const path = join(root, "--p--", "a.jsonl");
  const watch = await watched(at, root);
  write(path, "alpha");
  await watch.finds("alpha");
  renameSync(home, join(folder, "away"));
  await watch.loses("alpha");
  renameSync(join(folder, "away"), home);
  await watch.finds("alpha");
  rmSync(root, { recursive: true });
  await watch.loses("alpha");
  write(path, "beta");
  await watch.finds("beta");
  renameSync(home, join(folder, "away"));
  write(path, "gamma");
  await watch.finds("gamma");
  await watch.loses("beta");
  say(path, "zebra");
  await watch.finds("zebra");
});

test.concurrent("deleted files and folders are removed from the index", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const other = write(join(root, "--q--", "b.jsonl"));
  const watch = await watched(at, root);
  rmSync(path);
  await watch.hasOnly(other);
  rmSync(dirname(other), { recursive: true });
  await watch.hasOnly();
});

test.concurrent("a file rewritten with the same size and time is read again", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"), "alpha");
  const watch = await watched(at, root);
  await watch.settles();
  const { size, atime, mtime } = statSync(path);
  writeFileSync(path, readFileSync(path, "utf8").replace("alpha", "zebra"));
  utimesSync(path, atime, mtime);
  await waitUntil("it is reported", () => watch.sum("reindexed") === 1);
  await watch.finds("zebra");
  expect(statSync(path).size).toBe(size);
});

test.concurrent("a project folder that is a link is followed", async (at) => {
  const folder = temporaryFolder(at);
  const root = rootIn(folder);
  mkdirSync(root);
  const path = write(join(folder, "elsewhere", "a.jsonl"), "alpha");
  const watch = await watched(at, root);
  symlinkSync(dirname(path), join(root, "--p--"));
  await watch.finds("alpha");
  say(path, "zebra");
  await watch.finds("zebra");
  expect(await watch.paths()).toEqual([join(root, "--p--", "a.jsonl")]);
});

test.concurrent("changes during a sync are synced after it, and two syncs never run at once", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  let atWork = 0;
  let most = 0;
  let rounds = 0;
  let changes = 0;
  let reports = false;
  const alone = async (sync: () => Promise<SyncReport>) => {
    most = Math.max(most, ++atWork);
    const report = await sync();
    if (rounds++ < 5) {
      const before = changes;
      say(path, `zebra${rounds}`);
      // The sync ends only after the change was reported.
      if (reports) await waitUntil("the change is reported", () => changes > before);
    }
    atWork--;
    return report;
  };
  const watch = await watched(at, root, {}, (_, { sync, syncFiles }) => ({
    sync: (control) => alone(() => sync(control)),
    syncFiles: (paths, control) => alone(() => syncFiles(paths, control)),
  }));
  // Reports a change after the watch under test, which was started before it.
  const onChange = (kind: ChangeKind) => {
    if (kind === "file") changes++;
  };
  at.onTestFinished(await watchFolders([toRoot(root)], { onChange, onError() {} }));
  reports = true;
  for (const n of [1, 2, 3, 4, 5]) await watch.finds(`zebra${n}`);
  expect(most).toBe(1);
});

test.concurrent("closing it during a sync stops between two transactions, and the next sync continues from there", async (at) => {
  const folder = temporaryFolder(at);
  const root = rootIn(folder);
  mkdirSync(root);
  const staged = join(folder, "staged");
  mkdirSync(staged);
  const [header = ""] = session().lines;
  for (let n = 0; n < 1_200; n++) writeFileSync(join(staged, `${n}.jsonl`), `${header}\n`);
  const closing = Promise.withResolvers<void>();
  const watch = await watched(at, root, {
    onProgress() {
      closing.resolve(watch.watch.close());
    },
  });
  renameSync(staged, join(root, "--p--"));
  await closing.promise;
  expect((await watch.index.stats()).files).toBe(1_000);
  expect((await watch.index.sync()).added).toBe(200);
  expect(watch.problems).toEqual([]);
});

test.concurrent("a sync that finds the database busy is retried and not reported", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const impatient = { patienceMs: 0 };
  let busy = 0;
  const counted = async (sync: Promise<SyncReport>) => {
    const report = await sync;
    if (report.busy) busy++;
    return report;
  };
  const watch = await watched(at, root, {}, (index) => ({
    sync: (control) => counted(index.sync({ ...control, ...impatient })),
    syncFiles: (paths, control) => counted(index.syncFiles(paths, { ...control, ...impatient })),
  }));
  await watch.settles();
  const lock = await acquireLock(watch.index.path, "sync", { timeoutMs: 0 });
  say(path, "zebra");
  await waitUntil("it came twice in vain", () => busy >= 2);
  expect(watch.syncs.filter(({ report }) => report.busy)).toEqual([]);
  lock?.release();
  await watch.finds("zebra");
  expect(watch.problems).toEqual([]);
});

test.concurrent("a busy sync that indexed some files is reported", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const watch = await watched(at, root, {}, (_, { syncFiles }) => ({
    syncFiles: async (paths, control) => ({ ...(await syncFiles(paths, control)), busy: true, behind: 1 }),
  }));
  await watch.settles();
  say(path, "zebra");
  await waitUntil("it is reported", () => watch.sum("appended") === 1);
});

test.concurrent("a failed sync is reported, and retried as a full sync", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const full = new PidexError("DATABASE_UNAVAILABLE", "the disk is full", "Make room.");
  let failures = 0;
  const watch = await watched(at, root, {}, () => ({
    syncFiles() {
      failures++;
      throw full;
    },
  }));
  await watch.settles();
  say(path, "zebra");
  await waitUntil("it is reported", () => watch.sum("appended") === 1);
  await watch.finds("zebra");
  expect([failures, watch.problems]).toEqual([1, [full]]);
  expect(watch.syncs.at(-1)?.paths).toBeUndefined();
});

test.concurrent("a full sync runs after the interval, regardless of reports", async (at) => {
  const root = rootIn(temporaryFolder(at));
  write(join(root, "--p--", "a.jsonl"));
  const watch = await watched(at, root, { intervalMs: 50 });
  await waitUntil("it has looked often", () => watch.syncs.length > 5);
  expect(watch.sum("linesRead")).toBe(2);
});

test.concurrent("with poll it uses no file system events and still finds changes", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const watch = await watched(at, root, { poll: true, intervalMs: 50 });
  say(path, "zebra");
  await watch.finds("zebra");
  rmSync(path);
  await watch.hasOnly();
  expect(watch.syncs.every(({ paths }) => paths === undefined)).toBe(true);
});

test.concurrent("a change without an event restarts watching", async (at) => {
  const folder = temporaryFolder(at);
  const root = rootIn(folder);
  const path = write(join(folder, "disk", "--p--", "a.jsonl"));
  mkdirSync(root);
  symlinkSync(dirname(path), join(root, "--p--"));
  const watch = await watched(at, root, { intervalMs: 200 });
  // The link's target is replaced through a folder above it, which is not watched.
  renameSync(join(folder, "disk"), join(folder, "unmounted"));
  write(path, "remounted");
  await watch.finds("remounted");
  const isReported = () => watch.syncs.some(({ paths }) => paths?.includes(join(root, "--p--", "a.jsonl")));
  for (let n = 0; !isReported(); n++) {
    say(path, `zebra${n}`);
    await watch.finds(`zebra${n}`);
  }
});

test.concurrent("the signal ends it, or rejects with its reason before it is ready", async (at) => {
  const root = rootIn(temporaryFolder(at));
  write(join(root, "--p--", "a.jsonl"));
  const stop = new AbortController();
  const watch = await watched(at, root, { signal: stop.signal });
  stop.abort();
  await watch.watch.closed;
  const reason = new Error("cancelled by the test");
  await expect(watched(at, root, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const late = new AbortController();
  const onSynced = () => late.abort(reason);
  await expect(watched(at, root, { signal: late.signal, onSynced })).rejects.toBe(reason);
});

test.concurrent("aborting it while it waits for the writer lock or for a retry ends it without a report or another try", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const stop = new AbortController();
  const other = new AbortController();
  let tries = 0;
  const waiting = await watched(at, root, { signal: stop.signal }, (index) => ({
    syncFiles(paths, control) {
      tries++;
      return index.syncFiles(paths, { ...control, patienceMs: Number.POSITIVE_INFINITY });
    },
  }));
  const resting = await watched(at, root, { signal: other.signal }, () => ({
    syncFiles() {
      tries++;
      throw new PidexError("DATABASE_UNAVAILABLE", "the disk is full", "Make room.");
    },
  }));
  await Promise.all([waiting.settles(), resting.settles()]);
  const lock = await acquireLock(waiting.index.path, "sync", { timeoutMs: 0 });
  say(path, "zebra");
  await waitUntil("both have tried", () => tries === 2 && resting.problems.length === 1);
  stop.abort();
  other.abort();
  await Promise.all([waiting.watch.closed, resting.watch.closed]);
  await Promise.all([waiting.index.close(), resting.index.close()]);
  lock?.release();
  expect([tries, waiting.problems, resting.problems.length]).toEqual([2, [], 1]);
});

test.concurrent("closing an index ends its watches without a report, also those that are starting", async (at) => {
  const root = rootIn(temporaryFolder(at));
  write(join(root, "--p--", "a.jsonl"));
  const db = join(temporaryFolder(at), "index.db");
  const problems: unknown[] = [];
  const onProblem = (error: unknown) => void problems.push(error);
  let index = await openIndex({ db, roots: [root] });
  const beginning = index.watch({ onProblem, onProgress: () => void index.close() });
  await expect(beginning).rejects.toMatchObject({ name: "AbortError" });
  index = await openIndex({ db, roots: [root] });
  const watch = await index.watch({ onProblem });
  await index.close();
  await watch.closed;
  expect(problems).toEqual([]);
});

test.concurrent("it can be closed twice, and syncs nothing afterwards", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const watch = await watched(at, root);
  await Promise.all([watch.watch.close(), watch.watch.close(), watch.watch[Symbol.asyncDispose]()]);
  const before = watch.syncs.length;
  say(path, "zebra");
  const again = await watched(at, root); // it gets the event in the same event loop turn
  await again.finds("zebra");
  expect(watch.syncs.length).toBe(before);
  expect(basename(watch.index.path)).toBe("index.db");
});

test.concurrent("an error in a callback ends the watch and rejects `closed`", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"));
  const bug = new Error("a bug");
  let thrown = false;
  const watch = await watched(at, root, {
    onSynced(_, { paths }) {
      if (!paths) return;
      thrown = true;
      throw bug;
    },
  });
  await watch.settles();
  say(path, "zebra");
  await waitUntil("it has thrown", () => thrown);
  await expect(watch.watch.closed).rejects.toBe(bug);
});

test.concurrent("an invalid interval is rejected", async (at) => {
  const root = rootIn(temporaryFolder(at));
  for (const intervalMs of [0, -1, Number.NaN]) {
    await expect(watched(at, root, { intervalMs })).rejects.toMatchObject({ code: "BAD_OPTION" });
  }
});

// Not concurrent: events must arrive together even on a busy machine.
test("renamed files and folders keep their rows without being read again", async (at) => {
  const root = rootIn(temporaryFolder(at));
  const path = write(join(root, "--p--", "a.jsonl"), "alpha");
  const other = write(join(root, "--p--", "b.jsonl"), "beta");
  const watch = await watched(at, root);
  await watch.settles();
  const before = watch.sum("linesRead");
  const renamed = join(root, "--p--", "c.jsonl");
  renameSync(path, renamed);
  await watch.hasOnly(renamed, other);
  renameSync(join(root, "--p--"), join(root, "--q--"));
  await watch.hasOnly(join(root, "--q--", "c.jsonl"), join(root, "--q--", "b.jsonl"));
  await waitUntil("it is reported", () => watch.sum("moved") === 3);
  expect(watch.sum("linesRead")).toBe(before);
  say(join(root, "--q--", "c.jsonl"), "zebra");
  await watch.finds("zebra");
});

test("a storm of 1,000 files is one sync or two", async (at) => {
  const folder = temporaryFolder(at);
  const root = rootIn(folder);
  mkdirSync(root);
  const staged = join(folder, "staged");
  for (let n = 0; n < 1_000; n++) {
    mkdirSync(join(staged, `--p${n % 30}--`), { recursive: true });
    writeFileSync(join(staged, `--p${n % 30}--`, `${n}.jsonl`), "");
  }
  // Only scanned, because indexing takes long.
  const watch = await watched(at, root, {}, () => ({
    sync: async () => emptyReport((await discover([toRoot(root)])).files.length),
    syncFiles: async (paths) => emptyReport(paths.length),
  }));
  await watch.settles();
  const before = watch.syncs.length;
  for (const name of readdirSync(staged)) renameSync(join(staged, name), join(root, name));
  await waitUntil("all are seen", () => watch.syncs.at(-1)?.report.files === 1_000);
  expect(watch.syncs.length - before).toBeLessThanOrEqual(2);
});
