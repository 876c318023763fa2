/** `pidex pull --watch` as a process. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serveHub } from "../../../bin/hub/serve.ts";
import { writeSignIn } from "../../../library/hub/sign-in.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { append, createMachine, type Machine, message } from "../../library/hub/machine.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { startHub } from "../hub/hubs.ts";
import { track } from "./track-child.ts";

function watchPulls(machine: Machine, ...argv: string[]) {
  mkdirSync(machine.root, { recursive: true });
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: machine.home, TMPDIR: machine.home };
  return track(
    spawn(process.execPath, [BUILT_PIDEX, "pull", "--watch", "--interval", "0.1", ...argv], { env }),
  );
}

test.skipIf(!hasPostgres)(
  "fetches what other machines push, until Ctrl+C, also after the hub was away",
  async () => {
    await using hub = await startHub();
    const folder = temporaryFolder();
    const laptop = createMachine(hub, hub.owner, folder);
    const desktop = createMachine(hub, await hub.addMachine(hub.owner, "desktop"), folder);
    writeSignIn(desktop.signIn, desktop.environment);
    const path = laptop.create("red", [message("first")]);
    await laptop.push();
    const watching = watchPulls(desktop);
    const target = desktop.pulled(laptop.name, "red");
    const isPulled = () => existsSync(target) && readFileSync(target).equals(readFileSync(path));
    await waitUntil("the session is here", isPulled);
    append(path, message("second"));
    await laptop.push();
    await waitUntil("the new entry is here", isPulled);

    await hub.running.close();
    await waitUntil(`a notice: ${watching.written.err}`, () => watching.written.err.includes("pull failed"));
    const { pool } = hub;
    const port = Number(new URL(hub.url).port);
    const running = await serveHub({ pool, database: "postgresql", host: "127.0.0.1", port, log: () => {} });
    append(path, message("third"));
    await laptop.push();
    await waitUntil("the third entry is here", isPulled);
    await waitUntil("recovered", () => watching.written.err.includes("works again"));

    rmSync(target);
    append(path, message("fourth"));
    await laptop.push();
    await waitUntil("the last lists were read", () =>
      readFileSync(join(folder, "desktop/.local/share/pidex/pulled.json"), "utf8").includes(
        '"isDeleted":true',
      ),
    );
    expect(existsSync(target)).toBe(false);
    expect(await watching.stop("SIGINT")).toBe(0);
    await running.close();
    expect(watching.written.out.replace(/^\S+ /gm, "").split("\n")).toEqual([
      expect.stringMatching(/^fetched \d+ B, 1 added, 0 updated$/),
      expect.stringMatching(/^fetched \d+ B, 0 added, 1 updated$/),
      expect.stringMatching(/^fetched \d+ B, 0 added, 1 updated$/),
      "",
    ]);
    expect(watching.written.err.split("\n")).toEqual([
      "pidex: fetching from your other machines; Ctrl+C stops",
      expect.stringMatching(/^note: pull failed: cannot reach the hub at .*; retrying in 2s$/),
      "note: pulling works again",
      "pidex: stopped fetching",
      "",
    ]);
  },
);

test.skipIf(!hasPostgres)("reads the list of sessions only when it changed", async () => {
  await using hub = await startHub();
  const folder = temporaryFolder();
  const laptop = createMachine(hub, hub.owner, folder);
  const desktop = createMachine(hub, await hub.addMachine(hub.owner, "desktop"), folder);
  writeSignIn(desktop.signIn, desktop.environment);
  laptop.create("red", [message("first")]);
  await laptop.push();
  const watching = watchPulls(desktop, "--ndjson");
  const countRequests = (text: string) => hub.log.filter((line) => line.includes(text)).length;
  await waitUntil("some intervals are over", () => countRequests("GET /v1/own-digest ") > 5);
  expect(countRequests("GET /v1/own ")).toBe(1);
  expect(await watching.stop("SIGINT")).toBe(0);
  expect(JSON.parse(watching.written.out)).toMatchObject({ sessions: 1, added: 1 });
});
