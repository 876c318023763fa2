/** A folder that is replaced by a link after a path was checked, and before it is written to. */
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { applyMetadataChange } from "../../bin/actions/change-metadata.ts";
import { assertInsideRoots } from "../../bin/actions/inside-roots.ts";
import { type Session, session } from "../../fixtures/builder.ts";
import { type Index, openIndex, SessionManager } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

let root = "";
let elsewhere = "";
let path = "";
let index: Index;

async function begin(talk: Session): Promise<void> {
  const folder = realpathSync(temporaryFolder());
  root = join(folder, "sessions");
  path = talk.writeUnder(root);
  elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  cpSync(path, join(elsewhere, basename(path))); // the replacement looks like the checked folder
  index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
  onTestFinished(() => index.close());
  await index.sync();
}

/** Simulates another account that can write to the parent folder. */
function swap(): void {
  renameSync(dirname(path), `${dirname(path)}-old`);
  symlinkSync(elsewhere, dirname(path));
}

const outside = () =>
  readdirSync(elsewhere).map((name) => [name, readFileSync(join(elsewhere, name), "utf8")]);

describe.skipIf(process.platform === "win32")("a folder that becomes a link", () => {
  beforeEach(() => begin(session({ id: "one" }).user("Why?").assistant("So.")));

  test("after the session was opened: no name is written through it", () => {
    const before = outside();
    const inside = assertInsideRoots(index, path);
    const change = (manager: SessionManager) => {
      swap();
      return manager.setName("Taken");
    };
    expect(() => applyMetadataChange({ path }, { change, ...inside })).toThrow(
      "leads outside the session folders",
    );
    expect(outside()).toEqual(before);
  });

  test("after the check: nothing is written through it, and no fork is left there", () => {
    const before = outside();
    const inside = assertInsideRoots(index, path);
    swap();
    const change = (manager: SessionManager) => manager.setName("Taken");
    for (const write of [
      () => applyMetadataChange({ path }, { change, ...inside }),
      () => SessionManager.forkFrom(path, "/home/ada", dirname(path), inside),
    ])
      expect(write).toThrow("leads outside the session folders");
    expect(outside()).toEqual(before);
  });

  test("that stays a folder is written to", () => {
    const inside = assertInsideRoots(index, path);
    const change = (manager: SessionManager) => manager.setName("Mine");
    expect(applyMetadataChange({ path }, { change, ...inside }).name).toBe("Mine");
    expect(readFileSync(path, "utf8")).toContain("Mine");
    const fork = SessionManager.forkFrom(path, "/home/ada", dirname(path), inside);
    expect(dirname(fork.getSessionFile() as string)).toBe(dirname(path));
  });

  test("no branched session is created through it", () => {
    const before = outside();
    const manager = SessionManager.open(path, assertInsideRoots(index, path));
    swap();
    const leaf = manager.getLeafId() as string;
    expect(() => manager.createBranchedSession(leaf)).toThrow("leads outside the session folders");
    expect(outside()).toEqual(before);
  });
});

test.skipIf(process.platform === "win32")("an old session is not upgraded behind it", async () => {
  await begin(session({ id: "old", version: 1 }).user("Why?").assistant("So."));
  const before = outside();
  const inside = assertInsideRoots(index, path);
  swap();
  expect(() => SessionManager.open(path, inside)).toThrow("leads outside the session folders");
  expect(outside()).toEqual(before);
});
