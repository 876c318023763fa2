#!/usr/bin/env node
import { keepCompiledCode } from "../src/code-cache.ts";
import { nodeComplaint } from "../src/node-version.ts";

// Before the rest is loaded: on a Node that is too old, loading the database driver is a crash.
const complaint = nodeComplaint();
if (complaint) {
  console.error(
    `pidex: ${complaint}\n  Install a newer Node, or run pidex with one: npx -p node@24 -p pidex pidex`,
  );
  process.exitCode = 2;
} else {
  void start();
}

/** What fails is told by `main`; what could fail before is a fault of ours, and ends the process as such. */
async function start(): Promise<void> {
  keepCompiledCode(); // of what is loaded from here on
  const { main } = await import("./cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
}
