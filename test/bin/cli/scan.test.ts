import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { linesOf, pidexAt } from "../cli.ts";

function createWorkspace(sessions: number) {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  for (let n = 0; n < sessions; n++)
    session({ id: `s${n}` })
      .user("needle ".repeat(20_000))
      .writeUnder(root);
  return pidexAt(root, folder);
}

test("no matches are reported, except with JSON output", async () => {
  const run = createWorkspace(1);
  const scan = (...flags: string[]) => run(["search", "--substring", "hay", ...flags]);
  expect(await scan()).toEqual({ exit: 3, out: "", err: "No sessions match.\n" });
  expect(await scan("--ndjson")).toEqual({ exit: 3, out: "", err: "" });
  expect(await scan("--json")).toMatchObject({ exit: 3, err: "" });
});

test("Ctrl+C during a scan exits with 130, and its message doesn't mention indexing", async () => {
  const run = createWorkspace(30);
  await run(["index"]);
  const before = process.listenerCount("SIGINT");
  const stopped = run(["search", "--no-sync", "--regex", "[a-z]"]);
  while (process.listenerCount("SIGINT") === before) await new Promise(setImmediate);
  process.emit("SIGINT");
  const { exit, err } = await stopped;
  expect(exit).toBe(130);
  expect(linesOf(err)).toEqual(["pidex: interrupted before all files were searched"]);
  expect(process.listenerCount("SIGINT")).toBe(before);
});

test("a scan stops after 10 hits and says so, or after those of -n, which may be more than 1,000", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  const draft = session({ id: "s" });
  for (let n = 0; n < 12; n++) draft.user(`needle.${n}`);
  draft.writeUnder(root);
  const run = pidexAt(root, folder);
  const scan = async (...flags: string[]) => {
    const { out, err } = await run(["search", "--substring", "needle.", ...flags]);
    return [linesOf(out).length, err];
  };
  expect(await scan()).toEqual([10, "note: stopped after 10 hits; -n shows more\n"]);
  expect(await scan("-n", "3")).toEqual([3, ""]);
  expect(await scan("-n", "5000")).toEqual([12, ""]);
  expect(await run(["search", "needle", "-n", "5000"])).toMatchObject({ exit: 2 });
});
