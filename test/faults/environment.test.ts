/** Faults in the environment of a process: tested in this process if possible, otherwise in a separate one. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { HOME, pidex, type Written } from "../bin/cli.ts";
import { isRoot } from "../indexer/synced.ts";
import { setEnvironment } from "../library/session-list/listed.ts";
import { canMount, MOUNT_COMMAND, runPidex, UNKNOWN_UID } from "./machine.ts";
import {
  broken,
  createClient,
  createWorkspace,
  dumpDatabase,
  type Json,
  queryNeighbors,
  runJson,
  type Workspace,
} from "./run-faults.ts";

const NOT_UP_TO_DATE = /^note: cannot update the index: /;

const flags = ({ root, db }: Workspace) => ["--root", root, "--db", db];
/** Commands that must succeed in a broken environment. */
const calls = (workspace: Workspace): string[][] => [
  ["index", "--json", ...flags(workspace)],
  ["list", "--json", ...flags(workspace)],
  ["search", "neighbor", "--json", ...flags(workspace)],
  ["show", "older", "--json", ...flags(workspace)],
  ["usage", "daily", "--json", ...flags(workspace)],
];

/** Asserts that all commands succeeded without problems. */
function expectAnswered(written: Written[]): void {
  expect(written.map(({ exit, err }) => [exit, err])).toEqual(written.map(() => [0, ""]));
  const [, list, search, shown, usage] = written.map(({ out }) => JSON.parse(out)) as Json[];
  expect(list.sessions.map(({ id }: Json) => id)).toEqual(["newer", "older"]);
  expect(search.sessions).toHaveLength(2);
  expect(shown.entries).toHaveLength(5);
  expect(usage.usage.total.costUsd).toBeCloseTo(2 * (3_000 * 3e-6 + 300 * 15e-6), 9);
}

/** Asserts an expected failure: an error with a hint, without a stack trace, and not an internal error. */
function expectRefused({ exit, out, err }: Written, message: RegExp): void {
  expect([exit, out]).toEqual([1, ""]);
  expect(err).toMatch(/^pidex: .+\n {2}.+\n$/);
  expect(err).toMatch(message);
  expect(err).not.toMatch(/should not happen|\n\s+at /);
}

/** Runs pidex in this process with other variables and another umask. */
async function pidexHere(
  { env = {}, umask }: { env?: Record<string, string | undefined>; umask?: number },
  ...argvs: string[][]
): Promise<Written[]> {
  setEnvironment({ PIDEX_ROOTS: undefined, PIDEX_DB: undefined, XDG_CACHE_HOME: undefined, ...env });
  const before = umask === undefined ? undefined : process.umask(umask);
  try {
    const written: Written[] = [];
    for (const argv of argvs) written.push(await pidex(argv));
    return written;
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

describe("the home folder", () => {
  test("comes from the system if HOME is not set, and is not needed if all paths are set", async () => {
    const workspace = createWorkspace();
    expectAnswered(await pidexHere({ env: { HOME: undefined } }, ...calls(workspace)));
  });

  const unknownUser = isRoot
    ? { uid: UNKNOWN_UID }
    : { by: ["unshare", "--user", `--map-user=${UNKNOWN_UID}`] };
  const hasUnheard =
    isRoot ||
    spawnSync("unshare", ["--user", `--map-user=${UNKNOWN_UID}`, "true"], { stdio: "ignore" }).status === 0;
  test.skipIf(!hasUnheard)(
    "is named in an error if the user has no entry (skipped where no process can run as an unknown user)",
    () => {
      const workspace = createWorkspace();
      for (const folder of [workspace.folder, workspace.root]) chmodSync(folder, 0o777);
      const around = { ...unknownUser, env: { HOME: undefined } };
      const written = runPidex(around, ...calls(workspace), ["list"]);
      expectAnswered(written.slice(0, -1));
      expectRefused(written.at(-1) as Written, /home/);
    },
  );

  test.each<[string, (home: string) => string]>([
    ["does not exist", (home) => join(home, "nowhere")],
    ["is a file", () => join(HOME, "package.json")],
    ["is /dev/null", () => "/dev/null"],
  ])("that %s is not needed if all paths are set, otherwise an error mentions it", async (_, home) => {
    const workspace = createWorkspace();
    const env = { HOME: home(workspace.folder) };
    expectAnswered(await pidexHere({ env }, ...calls(workspace)));
    if (!env.HOME.endsWith("nowhere")) {
      const [unnamed] = await pidexHere({ env }, ["list"]);
      expectRefused(unnamed as Written, /cannot be used/);
    }
  });
});

describe("a process", () => {
  test("works without a folder for temporary files", async () => {
    const workspace = createWorkspace();
    const nowhere = join(workspace.folder, "nowhere");
    const env = { TMPDIR: nowhere, TEMP: nowhere, TMP: nowhere, HOME: workspace.folder };
    expectAnswered(await pidexHere({ env }, ...calls(workspace)));
    const [list] = await pidexHere({ env }, ["list", "--json", "--db", workspace.db]);
    expect([list?.exit, JSON.parse(list?.out ?? "")]).toEqual([0, expect.objectContaining({ sessions: [] })]);
  });

  test("works in a deleted working directory, also with the default roots", () => {
    const workspace = createWorkspace();
    const gone = join(workspace.folder, "gone");
    mkdirSync(gone);
    const around = {
      before: `cd '${gone}' && rmdir '${gone}'`,
      env: { HOME: workspace.folder, PI_CODING_AGENT_SESSION_DIR: workspace.root },
    };
    const [usual, here, ...rest] = runPidex(
      around,
      ["list", "--json", "--db", workspace.db],
      ["list", "--here", "--json", ...flags(workspace)],
      ...calls(workspace),
    );
    expectAnswered(rest);
    expect([usual?.exit, usual?.err]).toEqual([0, ""]);
    expect(JSON.parse(usual?.out ?? "").sessions).toHaveLength(2);
    expectRefused(here as Written, /the working directory was deleted/);
  });

  test.each(["000", "077", "777"])(
    "with the umask %s creates an index that only its owner can read",
    async (umask) => {
      const workspace = createWorkspace();
      const inFolder = { ...workspace, db: join(workspace.folder, "cache", "pidex", "index.db") };
      onTestFinished(() => {
        for (const path of ["cache", "cache/pidex"].map((each) => join(workspace.folder, each))) {
          if (existsSync(path)) chmodSync(path, 0o700); // to be removed
        }
      });
      expectAnswered(await pidexHere({ umask: Number.parseInt(umask, 8) }, ...calls(inFolder)));
      const mode = (path: string) => statSync(path).mode & 0o777;
      expect([mode(inFolder.db), mode(join(workspace.folder, "cache", "pidex"))]).toEqual([0o600, 0o700]);
    },
  );

  test("with a low limit of open files reads many sessions", async () => {
    const workspace = createWorkspace();
    for (let n = 0; n < 200; n++)
      broken({ id: `few-${n}`, cwd: "/few" })
        .user("said")
        .write(join(workspace.root, `--few-${n % 50}--`, `${n}.jsonl`));
    const [index, list, scan] = runPidex(
      { before: "ulimit -n 64" },
      ["index", "--json", ...flags(workspace)],
      ["list", "--json", "--all", ...flags(workspace)],
      ["search", "--substring", "said", "--limit", "1000", "--json", ...flags(workspace)],
    );
    expect(JSON.parse(index?.out ?? "").report).toMatchObject({
      files: 202,
      added: 202,
      faulty: 0,
      unlisted: [],
    });
    expect(JSON.parse(list?.out ?? "").sessions).toHaveLength(202);
    expect(JSON.parse(scan?.out ?? "").hits).toHaveLength(200);
  });

  const BIN = join(HOME, "bin", "pidex.ts");
  const shell = (command: string, workspace: Workspace) =>
    spawnSync("sh", ["-c", command, "sh", process.execPath, BIN, "list", ...flags(workspace)], {
      encoding: "utf8",
    });

  test("completes with stdin, stdout and stderr closed", () => {
    const workspace = createWorkspace();
    expect(shell('"$@" <&- >&- 2>&-', workspace).status).toBe(0);
    expect(dumpDatabase(workspace.db).session).toHaveLength(2);
  });

  test.skipIf(process.platform !== "linux")("reports that stdout can't be written", () => {
    const { status, stderr } = shell('"$@" >/dev/full', createWorkspace());
    expect(status).toBe(1);
    expect(stderr).toMatch(/^pidex: .*ENOSPC.*\n {2}.+\n$/);
    expect(stderr).not.toMatch(/should not happen|\n\s+at /);
  });
});

describe("a clock that goes back", () => {
  const DAY = 86_400;
  const at = (path: string, seconds: number) => utimesSync(path, seconds, seconds);
  const now = () => Date.now() / 1000;

  test.each<[string, number, number]>([
    ["between two writes", 0, -DAY],
    ["after files of the future were indexed", 30 * DAY, 0],
    ["before the earliest time", DAY, -60 * 365 * DAY],
  ])("%s hides no change", async (_, first, second) => {
    const workspace = createWorkspace();
    const run = createClient(workspace);
    const path = broken({ id: "clock" })
      .user("said before")
      .assistant("It was so.")
      .writeUnder(workspace.root);
    at(path, now() + first);
    const before = await queryNeighbors(run);
    const grown = broken({ id: "clock" }).user("said before").assistant("It was so.").user("said after");
    grown.write(path);
    at(path, now() + second);
    expect(await queryNeighbors(run)).toEqual(before);
    expect((await runJson(run, "search", "said after")).sessions).toHaveLength(1);
    // The same size, and an older mtime.
    broken({ id: "clock" }).user("said before").assistant("It is other").user("said after").write(path);
    at(path, now() + second - DAY);
    expect(JSON.stringify(await runJson(run, "show", "clock"))).toContain("It is other");
    expect(await queryNeighbors(run)).toEqual(before);
  });

  test("in a session causes no negative waits, and keeps the order of the file", async () => {
    const workspace = createWorkspace();
    const run = createClient(workspace);
    const path = broken({ id: "clock" })
      .user("said before", { timestamp: "2026-01-06T10:00:00.000Z" })
      .assistant("said meanwhile", { timestamp: "2026-01-06T09:00:00.000Z" })
      .user("said after", { timestamp: "2019-01-06T09:00:00.000Z" })
      .writeUnder(workspace.root);
    const { entries } = await runJson(run, "show", path);
    expect(entries.map(({ entry }: Json) => entry.message.content[0].text)).toEqual([
      "said before",
      "said meanwhile",
      "said after",
    ]);
    const { usage } = await runJson(run, "usage", "session");
    for (const { modelMs, userMs, toolMs } of usage.rows)
      for (const ms of [modelMs, userMs, toolMs]) expect(ms).toBeGreaterThanOrEqual(0);
  });
});

describe.skipIf(!canMount)("a read-only disk (skipped without permission to mount)", () => {
  let folder: string;
  const inFolder = (name: string): Workspace => {
    mkdirSync(join(folder, name, "cache"), { recursive: true });
    return { ...createWorkspace(join(folder, name)), db: join(folder, name, "cache", "index.db") };
  };
  const cache = ({ db }: Workspace) => dirname(db);
  let ofSessions: Written[];
  let ofIndex: Written[];
  let ofNothing: Written[];
  let before: Json;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
    // With the sessions on it, with the index on it, and with the index missing on it.
    const [one, two, three] = [inFolder("sessions"), inFolder("index"), inFolder("nothing")];
    before = await queryNeighbors(createClient(two));
    broken({ id: "new" }).user("A neighbor, too new.").writeUnder(two.root);
    const mounts = [one.root, cache(two), cache(three)].map(
      (path) => `mount --bind '${path}' '${path}' && mount -o remount,bind,ro '${path}' || exit 9`,
    );
    const written = runPidex(
      { by: MOUNT_COMMAND, before: mounts.join("\n") },
      ...calls(one),
      ["list", "--json", ...flags(two)],
      ["search", "neighbor", "--json", ...flags(two)],
      ["show", "newer", "--all", "--json", ...flags(two)],
      ["list", "--no-sync", "--json", ...flags(two)],
      ["list", ...flags(three)],
    );
    ofSessions = written.slice(0, 5);
    ofIndex = written.slice(5, 9);
    ofNothing = written.slice(9);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("with the sessions works like any other", () => expectAnswered(ofSessions));

  test("with the index answers as of the last sync, and says what is missing", () => {
    expect(ofIndex.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
    const [list, search, shown, unsynced] = ofIndex as [Written, Written, Written, Written];
    expect(JSON.parse(list.out).sessions).toEqual(before.listed);
    expect(JSON.parse(search.out).sessions).toHaveLength(2);
    expect(JSON.parse(shown.out)).toEqual(before.shown);
    for (const { err } of [list, search, shown]) expect(err).toMatch(NOT_UP_TO_DATE);
    expect(unsynced.err).toBe("");
  });

  test("without an index is an error with a hint", () => {
    expectRefused(ofNothing[0] as Written, /cannot be used/);
    expect(readdirSync(join(folder, "nothing", "cache"))).toEqual([]);
  });
});
