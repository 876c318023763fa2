import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { discoverFile, nothingFound } from "../../../indexer/discover.ts";
import { Reference } from "../../../indexer/verify/reference.ts";
import { atFaultPoints } from "../fault-points.ts";
import { indexedSessions } from "./verified.ts";

const CHILD = join(import.meta.dirname, "killed-child.ts");
/** How many points are hit by each signal; `PIDEX_KILLS=all` for every tenth. */
const KILLS = process.env.PIDEX_KILLS === "all" ? Number.POSITIVE_INFINITY : 2;

/** An index, closed, and a file that holds what is compared with it: as it is where that is large. */
async function comparedBeside() {
  const { db, folder, paths } = await indexedSessions();
  await db.close();
  const found = nothingFound();
  for (const path of paths) discoverFile({ path, subagent: 0 }, found);
  const index = new SQLite(db.path, { readonly: true });
  onTestFinished(() => void index.close());
  const left = () => readdirSync(folder).filter((name) => name.includes(".verify-"));
  const compare = async () => {
    const reference = await Reference.open(index, Number.POSITIVE_INFINITY, false);
    await reference.read(found.files, { signal: undefined, onRead: () => {} });
    reference.close();
  };
  return { db: db.path, path: paths[0] as string, compare, left };
}

/** On Windows a file that is open has a name. */
describe.skipIf(process.platform === "win32")("what is compared with an index", () => {
  test("has a name only while its file is made, and never a journal", async () => {
    const { compare, left } = await comparedBeside();
    const named: string[] = [];
    let points = 0;
    const stop = atFaultPoints((point, what) => {
      points = point;
      for (const name of left()) named.push(`${what}: ${name.replace(/-\d+-\d+/, "")}`);
    });
    await compare().finally(stop);
    expect(points).toBeGreaterThan(300);
    expect(named).toEqual(["closeSync : index.db.verify"]);
    expect(left()).toEqual([]);
  });

  test("is gone with a process that is killed; what one left in between the next takes away", async () => {
    const { db, path, compare, left } = await comparedBeside();
    let [points, making] = [0, 0];
    const stop = atFaultPoints((point, what) => {
      points = point;
      if (what === "closeSync " && left().length > 0) making ||= point;
    });
    await compare().finally(stop);
    const every = Math.max(10, Math.floor((points - making) / 3 / KILLS)); // the child reads one of three files
    for (const signal of ["SIGKILL", "SIGTERM"]) {
      for (let n = 0, point = making + 1; n < KILLS && point < points; n++, point += every) {
        const child = spawnSync(process.execPath, [CHILD, db, path, signal, String(point)]);
        if (child.status === 0) break;
        expect([child.signal, String(child.stderr), left()]).toEqual([signal, "", []]);
      }
    }
    expect(making).toBeGreaterThan(0);
    expect(spawnSync(process.execPath, [CHILD, db, path, "SIGKILL", String(making)]).signal).toBe("SIGKILL");
    expect(left()).toHaveLength(1);
    const running = `${db}.verify-${process.ppid}-1`;
    writeFileSync(running, ""); // another's that is being made
    writeFileSync(`${db}.verify-note`, "");
    await compare();
    expect(left()).toHaveLength(2);
    expect(existsSync(running)).toBe(true);
  });
});
