/** What another account of the machine can read while a browser is started. */
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** `nobody`, on every system that has other accounts. */
const NOBODY_UID = 65_534;

/** Only root can run a process as another account. */
export const canUseOtherAccount = process.platform === "linux" && process.getuid?.() === 0;

/** What the other account found when it inspected one process. */
export interface Sighting {
  pid: number;
  argv: string[];
  /** Everything that grants access: from command lines, environments and files. */
  loot: string[];
}

/**
 * Repeatedly searches command lines, environments and files for links, and reports on each new process with a marker in its
 * command line. Reads every path that a command line names, and the files beside it.
 */
const SPY = `
const { closeSync, openSync, readdirSync, readSync, statSync, writeSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { fileURLToPath } = require("node:url");
const [marker, ...places] = process.argv.slice(1);
const bytes = Buffer.alloc(1 << 16);
const text = (path) => {
  try {
    if (!statSync(path).isFile()) return ""; // reading a pipe would block
    const fd = openSync(path);
    try { return bytes.latin1Slice(0, readSync(fd, bytes)); } finally { closeSync(fd); }
  } catch { return ""; }
};
const names = (path) => { try { return readdirSync(path); } catch { return []; } };
const LOOT = /(?:token=|Bearer )([\\w-]{20,})/g;
const seen = new Set();
for (;;) {
  for (const pid of names("/proc").filter((name) => /^\\d+$/.test(name))) {
    const argv = text("/proc/" + pid + "/cmdline").split("\\0");
    if (seen.has(pid) || !argv.some((one) => one.includes(marker)) || pid === String(process.pid)) continue;
    seen.add(pid);
    const paths = argv.map((one) => (one.startsWith("file:") ? fileURLToPath(one) : one)).filter((one) => one.startsWith("/"));
    const folders = [...new Set(paths.map(dirname)), ...places];
    const inside = folders.flatMap((folder) => names(folder).filter((name) => name.startsWith("pidex-open-")).flatMap((name) =>
      [join(folder, name), ...names(join(folder, name)).map((below) => join(folder, name, below))]));
    const beside = paths.map(dirname).flatMap((folder) => names(folder).map((name) => join(folder, name)));
    const all = names("/proc").filter((name) => /^\\d+$/.test(name) && name !== String(process.pid))
      .flatMap((each) => [text("/proc/" + each + "/cmdline"), text("/proc/" + each + "/environ")]);
    const read = [...all, ...[...paths, ...beside, ...inside].map(text)].join("\\n");
    const loot = [...read.matchAll(LOOT)].map(([, found]) => found);
    writeSync(1, JSON.stringify({ pid: Number(pid), argv: argv.filter(Boolean), loot }) + "\\n");
  }
}`;

/** Inspects processes as another account until the test ends. @returns one sighting after the other */
export function watchAsOtherAccount(marker: string): AsyncIterator<string> {
  const places = [tmpdir(), "/tmp", process.env.XDG_RUNTIME_DIR ?? "/run/user/0", process.env.HOME ?? "/"];
  const spy = spawn(process.execPath, ["-e", SPY, marker, ...places], {
    cwd: "/",
    env: {},
    uid: NOBODY_UID,
    gid: NOBODY_UID,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void spy.kill("SIGKILL"));
  return createInterface({ input: spy.stdout })[Symbol.asyncIterator]();
}

/** The next process that the other account inspected. */
export async function nextSighting(seen: AsyncIterator<string>): Promise<Sighting> {
  const { value, done } = await seen.next();
  if (done) throw new Error("the other account no longer looks");
  return JSON.parse(value) as Sighting;
}

/**
 * A browser that only waits until the file it was started with is deleted, so that the other account has enough time. @returns
 * its command, for `$BROWSER`
 */
export function createWaitingBrowser(folder: string): string {
  const command = join(folder, "staying-browser");
  writeFileSync(command, `#!/bin/sh\nwhile [ -e "\${1#file://}" ] && [ -e "$0" ]; do sleep 0.01; done\n`);
  chmodSync(command, 0o755);
  return command;
}

/** The link in the file that the browser was started with. */
export function readLink(target: string): string {
  if (target.startsWith("http")) return target;
  const page = readFileSync(target.startsWith("file:") ? new URL(target) : target, "utf8");
  return (/url=([^"]+)"/.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");
}
