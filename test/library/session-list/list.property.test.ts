import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listFolder, listProjects } from "../../../library/session-list.ts";
import { migrations } from "../../../migrations/index.ts";
import { openDatabase } from "../../../src/store/sqlite/open.ts";
import { dumpTables } from "../../indexer/dump.ts";
import { rebuilt, syncFolders } from "../../indexer/index-at.ts";
import { RootSimulation, steps } from "../../indexer/root-simulation.ts";
import { temporaryFolder } from "../../temporary.ts";
import { NOWHERE, setEnvironment } from "./listed.ts";
import { foldersIn, type Listed, piFields, readFolders } from "./read-all.ts";

/** Ways to list a simulated root, and the folders that each reads. */
const LISTS: ((root: string, db: string) => [list: Promise<unknown[]>, folders: string[]])[] = [
  (root, db) => [listProjects(root, { db }).then(fields), foldersIn(root)],
  (root, db) => [listFolder(root, { db }).then(fields), [root]],
  ...["--home-ada-shop--", "--home-ada-shop--/subagent-artifacts", "a", "a/b"].map(
    (name) =>
      (root: string, db: string): [Promise<unknown[]>, string[]] => {
        const folder = join(root, name);
        return [listFolder(folder, { db }).then(fields), existsSync(folder) ? [folder] : []];
      },
  ),
];

const fields = (sessions: Parameters<typeof piFields>[0][]): Listed[] => sessions.map(piFields);

// PIDEX_RUNS=1000 tests more cases and takes some minutes.
test("after any changes to the files, a list matches the files, and a sync finds the index consistent", async () => {
  const folder = temporaryFolder();
  setEnvironment({ PIDEX_ROOTS: undefined });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.nat(5), { minLength: 22, maxLength: 22 }), async (taken, ways) => {
      const here = join(folder, String(++run));
      const db = join(here, "index.db");
      const simulation = new RootSimulation(join(here, "sessions"));
      process.env.PIDEX_ROOTS = simulation.root;
      for (const [n, step] of taken.entries()) {
        simulation.take(step);
        if (step.sync) await syncOnce(db, simulation.root);
        const list = LISTS[ways[n] as number] as (typeof LISTS)[number];
        const [listed, folders] = list(simulation.root, db);
        expect(await listed).toEqual(readFolders(...folders));
        if (n % 5 === 0) expect(await list(simulation.root, NOWHERE)[0]).toEqual(readFolders(...folders));
      }
      await syncOnce(db, simulation.root, async (dump) => {
        mkdirSync(join(here, "rebuilt"));
        expect(dump).toEqual(await rebuilt(join(here, "rebuilt", "index.db"), simulation.root));
      });
      rmSync(here, { recursive: true, force: true });
    }),
    { numRuns: Number(process.env.PIDEX_RUNS ?? 8) },
  );
}, 600_000);

/** Syncs as the command line does, with the root as default root. */
async function syncOnce(
  path: string,
  root: string,
  check: (dump: ReturnType<typeof dumpTables>) => Promise<void> = async () => {},
): Promise<void> {
  const db = await openDatabase({ path, migrations });
  try {
    await syncFolders(db, root);
    await check(dumpTables(db.writer));
  } finally {
    await db.close();
  }
}
