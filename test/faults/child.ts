/** Runs pidex commands in a separate process and prints their results, for faults in the environment of a process. */
import { enableCompileCache } from "node:module";

// Like pidex itself: loading the source takes most of the time of a short command.
enableCompileCache();
const { pidex } = await import("../bin/cli.ts");

const [calls = "[]"] = process.argv.slice(2);
const written: unknown[] = [];
for (const argv of JSON.parse(calls)) written.push(await pidex(argv));
process.stdout.write(JSON.stringify(written));
