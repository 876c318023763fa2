/** Calls pidex some times in a process of its own, and prints what it wrote: what only a process can have is broken around it. */
import { enableCompileCache } from "node:module";

// As pidex itself does: reading all of its source is most of what a short answer costs.
enableCompileCache();
const { pidex } = await import("../bin/cli.ts");

const [calls = "[]"] = process.argv.slice(2);
const written: unknown[] = [];
for (const argv of JSON.parse(calls)) written.push(await pidex(argv));
process.stdout.write(JSON.stringify(written));
