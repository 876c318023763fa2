/** Files that a user may not read or write. Run as root, which has every permission, the tests change the effective user. */
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SessionManager } from "../../library/index.ts";
import type { Written } from "../bin/cli.ts";
import { isRoot } from "../indexer/synced.ts";
import { asOrdinaryUser, hasOrdinaryUser, NOBODY_UID, runPidex, UNKNOWN_UID } from "./machine.ts";
import {
  broken,
  type Client,
  createClient,
  createWorkspace,
  type Json,
  queryNeighbors,
  runFaults,
  runJson,
  type Workspace,
} from "./run-faults.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = join(folder, name);
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) chmodSync(path, 0o700);
    }
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Creates a folder owned by the effective user. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
  folders.push(folder);
  return folder;
}

const whole = ({ id }: { id: string }) => broken({ id }).user("said before").assistant("said after");

describe.skipIf(!hasOrdinaryUser)("for an ordinary user (skipped if only root can read the project),", () => {
  test("an unreadable session is reported, and read once it is readable", () =>
    asOrdinaryUser(async () => {
      const results = await runFaults(
        {
          it: {
            setUp: whole,
            make: ({ path }) => {
              chmodSync(path, 0);
              return undefined;
            },
            problems: [["unreadable", 0]],
          },
        },
        ownFolder(),
      );
      const { problems, entries, at } = results.it as NonNullable<typeof results.it>;
      expect([problems, entries]).toEqual([
        [[["unreadable", 0]], [["unreadable", 0]]],
        [undefined, undefined],
      ]);
      chmodSync(at.path, 0o600);
      const { sessions } = await runJson(createClient(at), "list", "--all");
      expect(sessions.map(({ path }: Json) => path)).toContain(at.path);
      expect((await runJson(createClient(at), "stats", "--problems")).problems).toEqual([]);
    }));

  test.each([
    ["be listed", 0],
    ["be looked into", 0o400],
  ])("a folder that cannot %s is reported, and its rows are kept", async (_, mode) => {
    await asOrdinaryUser(async () => {
      const workspace = createWorkspace(ownFolder());
      const run = createClient(workspace);
      const before = await queryNeighbors(run);
      const folder = join(workspace.root, "--home-ada-shop--");
      chmodSync(folder, mode);
      const { out, err } = await run("list", "--all", "--json");
      expect(JSON.parse(out).sessions).toEqual(before.listed);
      expect(err).toMatch(/^note: cannot read .*: Error: EACCES/m);
      const { report } = await runJson(run, "index");
      expect(report.unlisted.length).toBeGreaterThan(0);
      expect(report).toMatchObject({ forgotten: 0, faulty: 0 });
      chmodSync(folder, 0o700);
      expect(await queryNeighbors(run)).toEqual(before);
    });
  });

  test("a session that is read-only can be opened and read, but not written", () =>
    asOrdinaryUser(async () => {
      const path = whole({ id: "read-only" }).write(join(ownFolder(), "s.jsonl"));
      const before = readFileSync(path, "utf8");
      chmodSync(path, 0o400);
      const session = SessionManager.open(path);
      expect(() => session.appendCustomEntry("x", {})).toThrow(
        expect.objectContaining({ code: "FILE_UNWRITABLE" }),
      );
      expect(session.getEntries()).toHaveLength(2);
      expect(readFileSync(path, "utf8")).toBe(before);
    }));

  /** Permissions that the user loses, on a database and its folder. */
  const TAKEN: Record<string, (db: string) => void> = {
    "to read the database": (db) => chmodSync(db, 0),
    "to search its folder": (db) => chmodSync(dirname(db), 0),
    "to write the database": (db) => chmodSync(db, 0o400),
    "to write the database and its folder": (db) => {
      chmodSync(db, 0o400);
      chmodSync(dirname(db), 0o500);
    },
    ...(isRoot && {
      "to own the database": (db) => chownSync(db, 0, 0),
      "to own the database and its folder, which are readable": (db) => {
        for (const each of [db, dirname(db)]) chownSync(each, 0, 0);
        chmodSync(db, 0o644);
        chmodSync(dirname(db), 0o755);
      },
    }),
  };
  const outcomes: Record<string, { list: Written; index: Written; isSame: boolean; run: Client }> = {};

  beforeAll(async () => {
    const bytes: Buffer[] = [];
    const workspaces = await asOrdinaryUser(async () => {
      const all: Workspace[] = [];
      for (const _ of Object.keys(TAKEN)) {
        const folder = ownFolder();
        const inFolder = { ...createWorkspace(folder), db: join(folder, "cache", "index.db") };
        await queryNeighbors(createClient(inFolder));
        broken({ id: "new" }).user("too new").writeUnder(inFolder.root);
        bytes.push(readFileSync(inFolder.db));
        all.push(inFolder);
      }
      return all;
    });
    for (const [n, take] of Object.values(TAKEN).entries()) take((workspaces[n] as Workspace).db);
    const calls = workspaces.flatMap(({ root, db }) => [
      ["list", "--json", "--root", root, "--db", db],
      ["index", "--root", root, "--db", db],
    ]);
    const written = runPidex({ uid: NOBODY_UID }, ...calls);
    for (const [n, what] of Object.keys(TAKEN).entries()) {
      const at = workspaces[n] as Workspace;
      chmodSync(dirname(at.db), 0o700);
      chmodSync(at.db, 0o600);
      const isSame = readFileSync(at.db).equals(bytes[n] as Buffer);
      outcomes[what] = {
        list: written[2 * n] as Written,
        index: written[2 * n + 1] as Written,
        isSame,
        run: createClient(at),
      };
    }
  }, 60_000);

  test.each(["to read the database", "to search its folder", ...(isRoot ? ["to own the database"] : [])])(
    "without permission %s: an error with a hint, and no change",
    async (what) => {
      const { list, index, isSame, run } = outcomes[what] as (typeof outcomes)[string];
      const refused = /cannot be used: .*\n {2}Choose a file in a writable folder/;
      for (const { exit, err } of [list, index])
        expect([exit, err]).toEqual([1, expect.stringMatching(refused)]);
      expect(isSame).toBe(true);
      const { sessions } = await runJson(run, "list");
      expect(sessions).toHaveLength(3);
    },
  );

  test.each(Object.keys(TAKEN).filter((what) => /^to write|which may be read$/.test(what)))(
    "without permission %s: results of the last sync, with a notice",
    (what) => {
      const { list, index, isSame } = outcomes[what] as (typeof outcomes)[string];
      expect([list.exit, list.err]).toEqual([0, expect.stringMatching(/^note: cannot update the index: /)]);
      expect(JSON.parse(list.out).sessions.map(({ id }: Json) => id)).toEqual(["newer", "older"]);
      expect(index.exit).toBe(1);
      expect(isSame).toBe(true);
    },
  );
});

describe.skipIf(!isRoot || !hasOrdinaryUser)("an index of another user (skipped without root)", () => {
  /** Creates a workspace of an ordinary user, with a database that root created and gave to an owner. */
  async function createGivenAway(owner: number): Promise<Workspace> {
    const workspace = await asOrdinaryUser(async () => createWorkspace(ownFolder()));
    await runJson(createClient(workspace), "index");
    for (const side of ["", ".open", ".turn"]) {
      chmodSync(workspace.db + side, 0o666);
      chownSync(workspace.db + side, owner, owner);
    }
    return workspace;
  }

  test.each([UNKNOWN_UID, 0])("is not written to, although all users can write to it: %i", async (owner) => {
    const workspace = await createGivenAway(owner);
    const before = readFileSync(workspace.db);
    const [written] = runPidex({ uid: NOBODY_UID }, [
      "index",
      "--root",
      workspace.root,
      "--db",
      workspace.db,
    ]);
    expect([written?.exit, written?.out]).toEqual([1, ""]);
    expect(written?.err).toContain(`index.db belongs to another user (${owner})`);
    expect(written?.err).toContain("--db");
    expect(readFileSync(workspace.db).equals(before)).toBe(true);
  });

  test("is written to by root, with a notice about its owner", async () => {
    const workspace = await createGivenAway(UNKNOWN_UID);
    const { exit, err } = await createClient(workspace)("list");
    expect([exit, err]).toEqual([0, expect.stringContaining("belongs to another user (54321)")]);
  });
});
