/** pidex in a separate process, for behavior that only a real process shows. */
import { type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { linesOf, PI, pidex, pidexAt } from "../cli.ts";

function start(argv: string[], env: Record<string, string> = {}) {
  const { PIDEX_ROOTS: _, PIDEX_DB: __, FORCE_COLOR: ___, NO_COLOR: ____, ...rest } = process.env;
  return spawnSync(process.execPath, [BUILT_PIDEX, ...argv], { encoding: "utf8", env: { ...rest, ...env } });
}

test("exit codes; results go to stdout, everything else to stderr", () => {
  const env = { PIDEX_ROOTS: PI, PIDEX_DB: join(temporaryFolder(), "index.db") };
  const listed = start(["list"], env);
  expect([listed.status, listed.stderr]).toEqual([0, ""]);
  expect(linesOf(listed.stdout).length).toBeGreaterThan(10);
  const colored = start(["list"], { ...env, FORCE_COLOR: "1" });
  expect(colored.stdout).toBe(listed.stdout); // output to a pipe has no colors, whatever the environment
  const codes = [
    ["search", "nosuchword"],
    ["list", "--nosuch"],
    ["list", "--db", "/dev/null/x/index.db"],
  ];
  expect(codes.map((argv) => start(argv, env).status)).toEqual([3, 2, 1]);
  expect(start(["show", "nosuch"], env).stdout).toBe("");
});

test("output to a pipe has colors only with FORCE_COLOR, and never with NO_COLOR", () => {
  const env = { PIDEX_ROOTS: PI, PIDEX_DB: join(temporaryFolder(), "index.db") };
  const colors = (extra: Record<string, string>) =>
    start(["show", "@last"], { ...env, ...extra }).stdout.includes("\x1b[");
  expect(colors({})).toBe(false);
  expect(colors({ FORCE_COLOR: "1" })).toBe(true);
  expect(colors({ FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
  expect(colors({ FORCE_COLOR: "0" })).toBe(false);
});

test("a closed pipe is not an error", async () => {
  const folder = temporaryFolder();
  const long = session({ cwd: "/p" });
  for (let n = 0; n < 2000; n++) long.user(`message ${n} ${"words ".repeat(50)}`);
  long.writeUnder(join(folder, "root"));
  const where = ["--root", join(folder, "root"), "--db", join(folder, "index.db")];
  for (const flags of [[], ["--json"], ["--ndjson"]]) {
    const child = spawn(process.execPath, [BUILT_PIDEX, "show", "@last", ...flags, ...where]);
    const err: Buffer[] = [];
    child.stderr.on("data", (data) => err.push(data));
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "exit");
    expect([code, Buffer.concat(err).toString()]).toEqual([0, ""]);
  }
});

test.skipIf(process.platform === "win32")("a non-blocking pipe gets all of a long result", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  for (let n = 0; n < 200; n++) {
    session({ id: `s${n}`, cwd: "/p" })
      .user(`${n} ${"words ".repeat(200)}`)
      .writeUnder(root);
  }
  const command = [
    BUILT_PIDEX,
    "list",
    "--all",
    "--format",
    "{id} {firstMessage}",
    "--root",
    root,
    "--db",
    join(folder, "index.db"),
  ];
  const { stdout } = spawnSync(process.execPath, command, { encoding: "utf8" });
  expect(stdout.length).toBeGreaterThan(200_000);

  const fifo = join(folder, "fifo");
  spawnSync("mkfifo", [fifo]);
  const writes = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  const reads = new Socket({ fd: openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK) });
  const chunks: Buffer[] = [];
  reads.on("data", (data) => chunks.push(data));
  // Node's pipes to a child are blocking; those of a shell are not.
  const stdio: StdioOptions = ["ignore", "ignore", "inherit", writes];
  const child = spawn("sh", ["-c", 'exec "$@" >&3', "sh", process.execPath, ...command], { stdio });
  closeSync(writes);
  const [[code]] = await Promise.all([once(child, "exit"), once(reads, "end")]);
  expect(code).toBe(0);
  expect(Buffer.concat(chunks).toString()).toBe(stdout);
});

test("Ctrl+C during indexing exits with 130 and one line, and the next run continues from there", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  for (let n = 0; n < 20; n++) {
    const timestamp = new Date(Date.UTC(2026, 0, 1, n)).toISOString();
    session({ timestamp }).user(`hello ${n}`).writeUnder(root);
  }
  const run = pidexAt(root, folder);
  const before = process.listenerCount("SIGINT");
  const stopped = run(["index"]);
  while (process.listenerCount("SIGINT") === before) await new Promise(setImmediate);
  process.emit("SIGINT");
  const { exit, out, err } = await stopped;
  expect([exit, out]).toEqual([130, ""]);
  expect(linesOf(err)).toHaveLength(1);
  expect(process.listenerCount("SIGINT")).toBe(before);
  await run(["index"]);
  const { stats } = JSON.parse((await run(["stats", "--json"])).out);
  const rebuilt = await pidex(["stats", "--json", "--root", root, "--db", join(folder, "again.db")]);
  const { stats: newStats } = JSON.parse(rebuilt.out);
  for (const each of [stats, newStats]) for (const own of ["databasePath", "databaseBytes"]) delete each[own];
  expect(stats).toEqual(newStats);
  expect(stats.sessions).toBe(20);
});

test("a real Ctrl+C prints no stack", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  for (let n = 0; n < 60; n++) {
    const timestamp = new Date(Date.UTC(2026, 0, 1, n)).toISOString();
    const big = session({ timestamp });
    for (let m = 0; m < 40; m++)
      big.tool("bash", { command: "x" }, `${m} ${"output of a tool ".repeat(2000)}`);
    big.writeUnder(root);
  }
  const where = ["--root", root, "--db", join(folder, "index.db")];
  const child = spawn(process.execPath, [BUILT_PIDEX, "index", ...where]);
  const ended = once(child, "exit");
  const err: Buffer[] = [];
  child.stderr.on("data", (data) => err.push(data));
  await waitUntil("it indexes", () => existsSync(join(folder, "index.db")) || child.exitCode !== null);
  child.kill("SIGINT");
  const [code, signal] = await ended;
  // Before pidex handles the signal, the signal kills it, and a shell reports 130 as well; on a fast machine it may
  // have finished.
  expect([130, 0, "SIGINT"]).toContain(code ?? signal);
  expect(Buffer.concat(err).toString()).not.toMatch(/^\s+at /m);
  const again = start(["index", ...where]);
  expect(again.status, again.stderr).toBe(0);
  const { stats } = JSON.parse(start(["stats", "--json", ...where]).stdout);
  expect([stats.sessions, stats.messages]).toEqual([60, 60 * 40 * 2]);
}, 60_000);
