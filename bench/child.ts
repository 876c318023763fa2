import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Runs a script of this folder in a fresh Node process, and returns the JSON that it prints. */
export function runChild<Answer>(script: string, ...args: string[]): Answer {
  const output = execFileSync(process.execPath, [join(import.meta.dirname, script), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(output) as Answer;
}
