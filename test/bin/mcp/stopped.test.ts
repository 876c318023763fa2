/** Servers that are stopped while they start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";

/** A preloaded module that emits SIGTERM as soon as the server installs a handler. */
const SIGTERM_AT_START = `data:text/javascript,${encodeURIComponent(
  'process.on("newListener", (name) => name === "SIGTERM" && queueMicrotask(() => process.emit("SIGTERM")))',
)}`;

test.each([
  ["over stdio", []],
  ["over HTTP", ["--http"]],
])("a server %s that gets SIGTERM while starting exits with 0", async (_, flags) => {
  const folder = temporaryFolder();
  const places = ["--root", folder, "--db", join(folder, "index.db")];
  const child = spawn(
    process.execPath,
    ["--import", SIGTERM_AT_START, BUILT_PIDEX, "mcp", ...flags, ...places],
    {
      stdio: ["pipe", "ignore", "ignore"], // the connection is kept open
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});
