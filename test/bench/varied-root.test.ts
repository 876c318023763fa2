import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { measureFloor } from "../../bench/floor.ts";
import { generateRoot, type RootOptions } from "../../bench/generate.ts";
import type { Manifest } from "../../bench/manifest.ts";
import { openIndex, SessionManager } from "../../library/index.ts";
import { readRoot } from "./read-root.ts";

const BYTES = 6_000_000;
const OPTIONS: RootOptions = {
  seed: 6,
  profile: "varied",
  bytes: BYTES,
  location: "/home/jo/.pi/agent/sessions",
};

let folder: string;
let root: string;
let manifest: Manifest;
/** The text of every session file, by path below the root. */
let files: Map<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pidex-varied-"));
  root = join(folder, "root");
  manifest = generateRoot(root, OPTIONS);
  files = readRoot(root);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("a varied root", () => {
  test("has the same bytes for the same seed, and other bytes for another seed", () => {
    expect(generateRoot(join(folder, "again"), OPTIONS)).toEqual(manifest);
    expect(readRoot(join(folder, "again"))).toEqual(files);
    generateRoot(join(folder, "other"), { ...OPTIONS, seed: 8 });
    expect([...readRoot(join(folder, "other")).keys()]).not.toEqual([...files.keys()]);
  });

  test("has about the requested size, and the files, bytes and entries of its manifest", () => {
    expect(Math.abs(manifest.bytes - BYTES)).toBeLessThan(BYTES / 4);
    expect(measureFloor(root)).toMatchObject({
      files: manifest.files,
      bytes: manifest.bytes,
      lines: manifest.entries + manifest.files,
    });
  });

  test("is indexed without problems, with the cost, the sessions and the forks of its manifest", async () => {
    await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
    await index.sync();
    expect(await index.problems()).toEqual([]);
    expect((await index.usage()).total.costNanoUsd).toBe(manifest.nanoDollars);
    const { sessions, total } = await index.listAll({ subagents: "yes" });
    expect(total).toBe(manifest.files);
    expect((await index.listAll()).total).toBe(manifest.files - manifest.subagents);
    expect(sessions.filter(({ parentSessionPath }) => parentSessionPath)).toHaveLength(manifest.forks);
    expect(manifest.forks).toBeGreaterThan(0);
    expect(manifest.subagents).toBeGreaterThan(0);
  });

  test("has sessions that a SessionManager opens, with several branches in some", () => {
    let branched = 0;
    for (const [path, text] of files) {
      if (path.includes("/run-")) continue;
      const session = SessionManager.open(join(root, path));
      expect(session.getEntries()).toHaveLength(text.split("\n").length - 2);
      const parents = session.getEntries().map(({ parentId }) => parentId);
      if (new Set(parents).size < parents.length) branched++;
    }
    expect(branched).toBeGreaterThan(2);
  });

  test("finds every needle in one entry, at the location in the manifest", async () => {
    expect(new Set(manifest.needles.map(({ kind }) => kind)).size).toBe(4);
    await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
    for (const { text, path, entryId } of manifest.needles) {
      const { closest, sessions } = await index.search(`"${text}"`, { exact: true });
      // Closest matches, which have only some of the words, come last.
      const full = sessions.slice(0, sessions.length - (closest?.sessionCount ?? 0));
      expect(full.map(({ hitCount }) => ({ text, hitCount }))).toEqual([{ text, hitCount: 1 }]);
      expect(sessions[0]?.session.path).toBe(join(root, path));
      expect(sessions[0]?.hits[0]?.entryId).toBe(entryId);
    }
  });

  test.each([
    ["German", /ß|ü/],
    ["Arabic", /\p{Script=Arabic}{3}/u],
    ["Korean", /\p{Script=Hangul}{2}/u],
    ["Thai", /\p{Script=Thai}{4}/u],
    ["Chinese", /\p{Script=Han}{3}/u],
    ["UUIDs", /\b[0-9a-f]{8}-[0-9a-f]{4}-7/],
    ["a line of a log", /T\d\d:\d\d:\d\d\.\d{3}Z (?:INFO|WARN)/],
  ])("has %s in it", (_name, pattern) => {
    expect([...files.values()].some((text) => pattern.test(text))).toBe(true);
  });
});
