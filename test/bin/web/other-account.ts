/** What another account of the machine can read while a browser is started. */
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** `nobody`, on every system that has other accounts. */
const NOBODY = 65_534;

/** Only root may run something as another account. */
export const canBeAnother = process.platform === "linux" && process.getuid?.() === 0;

/** What the other account found when it looked at one process. */
export interface Sighting {
  pid: number;
  argv: string[];
  /** Everything that lets a browser in: from command lines, environments and files. */
  loot: string[];
}

/**
 * Looks through command lines, environments and files for links, again and again, and reports on each new process whose
 * command line holds a marker. It reads whatever path a command line names, and whatever lies beside it.
 */
const SPY = `
const { closeSync, openSync, readdirSync, readSync, statSync, writeSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { fileURLToPath } = require("node:url");
const [marker, ...places] = process.argv.slice(1);
const bytes = Buffer.alloc(1 << 16);
const text = (path) => {
  try {
    if (!statSync(path).isFile()) return ""; // a pipe would be waited for
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

/** Looks as another account until the test is over. @returns one sighting after the other */
export function otherAccount(marker: string): AsyncIterator<string> {
  const places = [tmpdir(), "/tmp", process.env.XDG_RUNTIME_DIR ?? "/run/user/0", process.env.HOME ?? "/"];
  const spy = spawn(process.execPath, ["-e", SPY, marker, ...places], {
    cwd: "/",
    env: {},
    uid: NOBODY,
    gid: NOBODY,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void spy.kill("SIGKILL"));
  return createInterface({ input: spy.stdout })[Symbol.asyncIterator]();
}

/** The next process that the other account looked at. */
export async function sighting(seen: AsyncIterator<string>): Promise<Sighting> {
  const { value, done } = await seen.next();
  if (done) throw new Error("the other account no longer looks");
  return JSON.parse(value) as Sighting;
}

/**
 * A browser that does nothing but stay as long as the file is there that it was started on, so that the other account has all the time
 * it wants. @returns its command, for `$BROWSER`
 */
export function stayingBrowser(folder: string): string {
  const command = join(folder, "staying-browser");
  writeFileSync(command, `#!/bin/sh\nwhile [ -e "\${1#file://}" ] && [ -e "$0" ]; do sleep 0.01; done\n`);
  chmodSync(command, 0o755);
  return command;
}

/** The link that a browser would follow from where it was told to begin. */
export function linkBehind(target: string): string {
  if (target.startsWith("http")) return target;
  const page = readFileSync(target.startsWith("file:") ? new URL(target) : target, "utf8");
  return (/url=([^"]+)"/.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");
}
