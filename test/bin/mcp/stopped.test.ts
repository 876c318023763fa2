/** Servers that are stopped while they start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";

/** A signal that aborts as soon as it gets a listener. */
const AT_ONCE = `data:text/javascript,${encodeURIComponent(
  'process.on("newListener", (name) => name === "SIGTERM" && queueMicrotask(() => process.emit("SIGTERM")))',
)}`;

test.each([
  ["over stdio", []],
  ["over HTTP", ["--http"]],
])("a server %s ends", async (_, flags) => {
  const folder = temporaryFolder();
  const places = ["--root", folder, "--db", join(folder, "index.db")];
  const child = spawn(process.execPath, ["--import", AT_ONCE, BUILT_PIDEX, "mcp", ...flags, ...places], {
    stdio: ["pipe", "ignore", "ignore"], // the connection is kept open
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});
