import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const DRIVER = new URL("../../src/store/sqlite/driver.ts", import.meta.url).href;
const EXIT_GUARD = new URL("../../library/host/exit-guard.ts", import.meta.url).href;

/** Starts threads that load the driver, and exits some milliseconds after the first half has begun to. */
const program = (delayMs: number) => `
  import { Worker } from "node:worker_threads";
  import { waitForAddonsAtExit } from ${JSON.stringify(EXIT_GUARD)};
  waitForAddonsAtExit();
  const thread = ${JSON.stringify(`
    import { parentPort } from "node:worker_threads";
    import { guardAddons } from ${JSON.stringify(EXIT_GUARD)};
    import { loadDriver } from ${JSON.stringify(DRIVER)};
    guardAddons();
    parentPort.postMessage("loading");
    const Handle = await loadDriver();
    new Handle(":memory:");
    setInterval(() => {}, 1000);`)};
  let loading = 0;
  for (let n = 0; n < 8; n++) {
    new Worker(thread, { eval: true }).on("message", () => {
      if (++loading === 4) setTimeout(() => process.exit(7), ${delayMs});
    });
  }`;

// Without the wait, about one of eight of these processes is aborted.
test("a process can exit while its threads load the driver", () => {
  for (let delayMs = 0; delayMs < 16; delayMs++) {
    const { status, signal, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", program(delayMs)],
      { encoding: "utf8" },
    );
    expect({ status, signal, stderr }).toEqual({ status: 7, signal: null, stderr: "" });
  }
}, 120_000);
