#!/usr/bin/env node
import { nodeComplaint } from "../src/node-version.ts";

// Before anything else is loaded: on a Node that is too old, loading the database driver is a crash.
const complaint = nodeComplaint();
if (complaint) {
  console.error(
    `pidex: ${complaint}\n  Install a newer Node, or run pidex with one: npx -p node@24 -p pidex pidex`,
  );
  process.exitCode = 2;
} else {
  // Compiled code is kept between runs: starting is most of what a short answer costs.
  (await import("node:module")).enableCompileCache();
  const { main } = await import("./cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
}
