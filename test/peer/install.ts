/**
 * Installs the published versions of pi beside this file, for the tests in test/library/session-manager and test/bin/pi: `npm
 * run peer`. Does nothing if they are installed. No install scripts run, and optional packages are omitted.
 */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const lock = join(folder, "package-lock.json");
const installed = join(folder, "node_modules", ".package-lock.json"); // npm writes this file last

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  const flags = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"];
  const args = ["ci", "--prefix", folder, ...flags];
  // The npm that runs this script is a JavaScript file. Started by node, it needs no shell, on Windows too.
  const npm = process.env.npm_execpath;
  const { status, error } = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: folder, stdio: "inherit" })
    : spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
