#!/usr/bin/env node
import { enableCodeCache } from "../src/code-cache.ts";
import { nodeVersionError } from "../src/node-version.ts";

// Checked before the rest is loaded: on an old Node, loading the database driver crashes.
const complaint = nodeVersionError();
if (complaint) {
  console.error(
    `pidex: ${complaint}\n  Install a newer Node, or run pidex with one: npx -p node@24 -p pidex pidex`,
  );
  process.exitCode = 2;
} else {
  void start();
}

/** `main` reports errors. An error before it is a bug, and crashes the process. */
async function start(): Promise<void> {
  enableCodeCache(); // for all code loaded from here on
  const { main } = await import("./cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
}
