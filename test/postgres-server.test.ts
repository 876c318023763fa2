import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPrograms, startServer } from "../fixtures/postgres-server.ts";
import { waitUntil } from "./until.ts";

const programs = findPrograms();

const getFolder = (url: string): string => decodeURIComponent(url.trim().split("?host=")[1] as string);

/** The processes that name the folder of a server: the server and its parent. */
function findProcesses(folder: string): string[] {
  const { stdout } = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return stdout.split("\n").filter((args) => args.includes(folder));
}

const untilGone = (folder: string) =>
  waitUntil("the server and its folder are gone", () => {
    return !existsSync(folder) && findProcesses(folder).length === 0;
  });

test.skipIf(!programs)(
  "a server ends with the process that started it, although that was killed",
  async () => {
    const script = `
    import { findPrograms, startServer } from ${JSON.stringify(join(import.meta.dirname, "../fixtures/postgres-server.ts"))};
    const { urlOf } = await startServer(findPrograms());
    console.log(urlOf("postgres"));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [url] = await once(child.stdout, "data");
    const folder = getFolder(String(url));
    expect(existsSync(folder)).toBe(true);
    expect(findProcesses(folder).length).toBeGreaterThanOrEqual(2);
    child.kill("SIGKILL");
    await untilGone(folder);
  },
);

test.skipIf(!programs)("a server that is killed leaves neither its parent nor its folder", async () => {
  const server = await startServer(programs as string);
  onTestFinished(server.kill);
  const folder = getFolder(server.urlOf("postgres"));
  expect(findProcesses(folder).length).toBeGreaterThanOrEqual(2);
  server.kill();
  await untilGone(folder);
});

test.skipIf(!programs)("a server that cannot start says why", async () => {
  await expect(startServer("/nowhere")).rejects.toThrow(/initdb/);
});
