import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, parse, relative } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { watchFolders } from "../../indexer/watch-folders.ts";
import { parentFolders } from "../../indexer/watch-parent-folders.ts";
import { type Root, toRoot } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";
import { waitUntil } from "../until.ts";

/** Watches roots below a folder, and records reported paths relative to it. */
async function record(base: string, roots: readonly Root[]) {
  const reported = {
    files: [] as string[],
    folders: [] as string[],
    roots: [] as string[],
    errors: [] as unknown[],
  };
  const close = await watchFolders(roots, {
    onChange: (kind, path) => reported[`${kind}s`].push(relative(base, path)),
    onError: (error) => reported.errors.push(error),
  });
  onTestFinished(close);
  return {
    ...reported,
    /** Runs an action and waits until it causes a report of a file. */
    async reportsFile(file: string, doing: () => void): Promise<void> {
      reported.files.length = 0;
      doing();
      await waitUntil(`${file} is reported`, () => reported.files.includes(file));
    },
    async tellsOfFolder(folder: string, doing: () => void): Promise<void> {
      reported.folders.length = 0;
      doing();
      await waitUntil(`${folder} is reported`, () => reported.folders.includes(folder));
    },
    async tellsOfRoot(folder: string, doing: () => void): Promise<void> {
      reported.roots.length = 0;
      doing();
      await waitUntil(`${folder} is reported`, () => reported.roots.includes(folder));
    },
  };
}

function write(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "{}\n");
}

/** Number of inotify watches of this process. */
function inotifyWatches(): number {
  return readdirSync("/proc/self/fdinfo").reduce((sum, fd) => {
    try {
      return sum + (readFileSync(`/proc/self/fdinfo/${fd}`, "utf8").match(/^inotify /gm)?.length ?? 0);
    } catch {
      return sum; // opened by the listing itself, and closed by now
    }
  }, 0);
}

/** Number of folders above a path, without `/`. */
const howManyAbove = (path: string) => path.split("/").length - 2;

describe("a root that is a folder", () => {
  test("changes of session files are reported, and those of other files are not", async () => {
    const base = temporaryFolder();
    const file = join(base, "root", "--p--", "a.jsonl");
    write(file);
    const watch = await record(base, [toRoot(join(base, "root"))]);
    await watch.reportsFile("root/--p--/a.jsonl", () => appendFileSync(file, "{}\n"));
    await watch.reportsFile("root/--p--/b.jsonl", () => write(join(dirname(file), "b.jsonl")));
    await watch.reportsFile("root/--p--/a.jsonl", () => rmSync(file));
    await watch.reportsFile("root/--new--/x/c.jsonl", () =>
      write(join(base, "root", "--new--", "x", "c.jsonl")),
    );
    for (const name of ["a.txt", "b.JSONL", "c.jsonl.bak"]) write(join(base, "root", "--p--", name));
    await watch.reportsFile("root/last.jsonl", () => write(join(base, "root", "last.jsonl")));
    expect(watch.files.filter((path) => !path.endsWith(".jsonl"))).toEqual([]);
    expect(watch.errors).toEqual([]);
  });

  test("created, deleted and renamed folders are reported, and watched from then on", async () => {
    const base = temporaryFolder();
    const root = join(base, "root");
    write(join(root, "old", "a.jsonl"));
    const watch = await record(base, [toRoot(root)]);
    await watch.tellsOfFolder("root/new", () => renameSync(join(root, "old"), join(root, "new")));
    await watch.reportsFile("root/new/a.jsonl", () => appendFileSync(join(root, "new", "a.jsonl"), "{}\n"));
    await watch.tellsOfFolder("root/new", () => rmSync(join(root, "new"), { recursive: true }));
    await watch.reportsFile("root/new/a.jsonl", () => write(join(root, "new", "a.jsonl")));
  });

  test("creating, deleting or renaming it or a parent folder is reported", async () => {
    const base = temporaryFolder();
    const home = join(base, "home");
    const root = join(home, ".pi", "sessions");
    mkdirSync(home);
    const waiting = await record(base, [toRoot(root)]);
    writeFileSync(join(home, "notes.jsonl"), "");
    await waiting.tellsOfRoot("home/.pi", () => write(join(root, "a.jsonl")));
    const watch = await record(base, [toRoot(root)]);
    await watch.tellsOfRoot("home", () => renameSync(home, join(base, "away")));
    await watch.tellsOfRoot("home", () => renameSync(join(base, "away"), home));
    await watch.tellsOfRoot("home/.pi/sessions", () => renameSync(root, join(base, "away")));
    await watch.tellsOfRoot("home/.pi/sessions", () => renameSync(join(base, "away"), root));
    await watch.tellsOfRoot("home", () => rmSync(home, { recursive: true }));
    expect([waiting.files, waiting.errors, watch.errors]).toEqual([[], [], []]);
  });

  test("links to folders are followed, but not in cycles, and not below another link", async () => {
    const base = temporaryFolder();
    const [root, there, further] = ["root", "there", "further"].map((name) => join(base, name)) as [
      string,
      string,
      string,
    ];
    write(join(there, "a.jsonl"));
    write(join(further, "b.jsonl"));
    mkdirSync(root);
    symlinkSync(further, join(there, "on"));
    symlinkSync(root, join(there, "circle"));
    symlinkSync(there, join(root, "link"));
    const watch = await record(base, [toRoot(root)]);
    await watch.reportsFile("root/link/a.jsonl", () => appendFileSync(join(there, "a.jsonl"), "{}\n"));
    await watch.tellsOfFolder("root/later", () => symlinkSync(further, join(root, "later")));
    await watch.reportsFile("root/later/b.jsonl", () => appendFileSync(join(further, "b.jsonl"), "{}\n"));
    expect(watch.files).not.toContain("root/link/on/b.jsonl");
    await watch.reportsFile("root/link/c.jsonl", () =>
      symlinkSync(join(further, "b.jsonl"), join(there, "c.jsonl")),
    );
    expect(watch.errors).toEqual([]);
  });

  test("a root may contain another root", async () => {
    const base = temporaryFolder();
    const inner = join(base, "root", "inner");
    mkdirSync(inner, { recursive: true });
    const watch = await record(base, [toRoot(join(base, "root")), toRoot(inner)]);
    await watch.reportsFile("root/inner/a.jsonl", () => write(join(inner, "a.jsonl")));
    await watch.reportsFile("root/inner/a.jsonl", () => appendFileSync(join(inner, "a.jsonl"), "{}\n"));
  });
});

describe("a root that is a prefix of names", () => {
  const runs = (base: string): Root => ({
    folder: join(base, "tmp"),
    prefix: join(base, "tmp", "pi-subagent-session-"),
  });

  test("only files with the prefix are reported", async () => {
    const base = temporaryFolder();
    mkdirSync(join(base, "tmp"));
    const watch = await record(base, [runs(base)]);
    write(join(base, "tmp", "x.jsonl"));
    write(join(base, "tmp", "other", "x.jsonl"));
    const name = join("tmp", "pi-subagent-session-1", "run", "a.jsonl");
    await watch.reportsFile(name, () => write(join(base, name)));
    await watch.reportsFile(name, () => appendFileSync(join(base, name), "{}\n"));
    expect(new Set(watch.files)).toEqual(new Set([name]));
    expect(watch.folders.filter((path) => !path.startsWith("tmp/pi-subagent-session-1"))).toEqual([]);
  });

  test.runIf(process.platform === "linux")("the other folders beside them are not watched", async () => {
    const base = temporaryFolder();
    for (let n = 0; n < 30; n++) write(join(base, "tmp", `other-${n}`, "deep", "x.jsonl"));
    write(join(base, "tmp", "pi-subagent-session-1", "a.jsonl"));
    const before = inotifyWatches();
    await record(base, [runs(base)]);
    expect(inotifyWatches() - before).toBe(2 + howManyAbove(join(base, "tmp")));
  });
});

test.runIf(process.platform === "linux")(
  "one system watch is used per folder, also above a root, and none per file",
  async () => {
    const base = temporaryFolder();
    for (let n = 0; n < 400; n++) write(join(base, "root", `--p${n % 20}--`, `${n}.jsonl`));
    const before = inotifyWatches();
    const close = await watchFolders([toRoot(join(base, "root"))], { onChange() {}, onError() {} });
    expect(inotifyWatches() - before).toBe(21 + howManyAbove(join(base, "root")));
    await close();
    await waitUntil("the watches are closed", () => inotifyWatches() === before);
  },
);

test("all parent folders are watched, the root of the disk only if it is the direct parent", () => {
  const base = temporaryFolder();
  const whole = parse(base).root;
  expect(parentFolders(join(base, "a", "b"), false).slice(-2)).toEqual([base, join(base, "a")]);
  expect(parentFolders(join(base, "a"), false)).not.toContain(whole);
  expect(parentFolders(join(whole, "pidex-none", "b"), false)).toEqual([whole, join(whole, "pidex-none")]);
  expect(parentFolders(whole, false)).toEqual([]);
});

test("with recursive watches only the nearest folder is watched, and none that contains the home folder", () => {
  const base = temporaryFolder();
  const home = join(base, "home");
  const agent = join(home, ".pi", "agent");
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  mkdirSync(agent, { recursive: true });
  expect(parentFolders(join(agent, "sessions"), true)).toEqual([agent]);
  expect(parentFolders(join(agent, "not", "there", "sessions"), true)).toEqual([agent]);
  expect(parentFolders(join(home, ".atomic", "agent", "sessions"), true)).toEqual([]);
  expect(parentFolders(home, true)).toEqual([]);
  expect(parentFolders(join(parse(base).root, "pidex-none", "b"), true)).toEqual([]);
});

describe("links in a cycle", () => {
  test("are skipped, and other changes are reported", async () => {
    const base = temporaryFolder();
    const root = join(base, "sessions");
    write(join(root, "p/one.jsonl"));
    symlinkSync("self", join(root, "self"));
    symlinkSync("self.jsonl", join(root, "p/self.jsonl"));
    symlinkSync("there", join(root, "p/back"));
    symlinkSync("back", join(root, "p/there"));
    symlinkSync("..", join(root, "p/up"));
    const watch = await record(base, [toRoot(root)]);
    await watch.reportsFile("sessions/p/one.jsonl", () => appendFileSync(join(root, "p/one.jsonl"), "{}\n"));
    // Also if one appears while the folder is watched.
    symlinkSync("late", join(root, "p/late"));
    await watch.reportsFile("sessions/p/two.jsonl", () => write(join(root, "p/two.jsonl")));
    expect(watch.errors).toEqual([]);
  });
});
