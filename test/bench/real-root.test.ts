import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measureFloor } from "../../bench/floor.ts";
import { generateRoot } from "../../bench/generate.ts";
import { writeRealRoot } from "../../bench/real/root.ts";
import { openIndex } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { readRoot } from "./read-root.ts";

const BYTES = 400_000;

function generateOriginals(): { folder: string; originals: string; bytes: number } {
  const folder = temporaryFolder();
  const originals = join(folder, "originals");
  const { bytes } = generateRoot(originals, { seed: 3, profile: "mixed", files: 6, bytes: BYTES });
  return { folder, originals, bytes };
}

test("a real root has the requested size, and the same bytes each time; the user's folder is unchanged", async () => {
  const { folder, originals, bytes } = generateOriginals();
  const before = readRoot(originals);
  const manifest = await writeRealRoot(join(folder, "a"), originals, 3 * bytes, join(folder, "a.db"));
  expect(readRoot(originals)).toEqual(before);
  expect(manifest.bytes).toBeGreaterThanOrEqual(3 * bytes);
  expect(manifest.bytes).toBeLessThan(4 * bytes);
  const { files, entries } = manifest;
  expect(measureFloor(join(folder, "a"))).toMatchObject({
    files,
    bytes: manifest.bytes,
    lines: files + entries,
  });
  await writeRealRoot(join(folder, "b"), originals, 3 * bytes, join(folder, "b.db"));
  const again = [...readRoot(join(folder, "b"))].map(([name, text]) => [name, text.length]);
  expect(again).toEqual([...readRoot(join(folder, "a"))].map(([name, text]) => [name, text.length]));
});

test("every copy costs the same, and has sessions, ids and times of its own", async () => {
  const { folder, originals, bytes } = generateOriginals();
  const costs: number[] = [];
  for (const copies of [1, 2]) {
    const root = join(folder, `copies-${copies}`);
    const db = join(folder, `${copies}.db`);
    const { nanoDollars, files } = await writeRealRoot(root, originals, copies * bytes - 2000, db);
    costs.push(nanoDollars);
    expect(files).toBe(6 * copies);
    await using index = await openIndex({ db, roots: [root] });
    expect(await index.problems()).toEqual([]);
    const { sessions } = await index.listAll({ subagents: "yes" });
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(6 * copies);
  }
  expect(costs[0]).toBeGreaterThan(0);
  expect(costs[1]).toBe(2 * (costs[0] ?? 0));
});

test("flat folders get the folders of pi, and a title may precede the header, and malformed lines and other files are left out", async () => {
  const folder = temporaryFolder();
  const originals = join(folder, "originals");
  mkdirSync(originals);
  const header = {
    type: "session",
    version: 3,
    id: "one",
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd: "/a/b",
  };
  const entry = { type: "label", id: "00000001", parentId: null, timestamp: header.timestamp, targetId: "x" };
  writeFileSync(
    join(originals, "one.jsonl"),
    `${JSON.stringify(header)}\n\n{"type":\n${JSON.stringify(entry)}\n`,
  );
  const titled = { ...header, id: "two", parentSession: "/elsewhere/three.jsonl" };
  writeFileSync(join(originals, "two.jsonl"), `{"type":"title","title":"Two"}\n${JSON.stringify(titled)}\n`);
  writeFileSync(join(originals, "other.jsonl"), `{"type":"event"}\n`);
  const bytes = 350; // more than the first copy has
  const manifest = await writeRealRoot(join(folder, "root"), originals, bytes, join(folder, "index.db"));
  expect(manifest).toMatchObject({ files: 2, entries: 2, forks: 1, profile: "real" });
  expect([...readRoot(join(folder, "root")).keys()].sort()).toEqual([
    join("--a-b--", "one.jsonl"),
    join("--a-b--", "two.jsonl"),
  ]);
});

test("a root inside of the user's folder is refused", async () => {
  const folder = temporaryFolder();
  await expect(writeRealRoot(join(folder, "root"), folder, 10, join(folder, "index.db"))).rejects.toThrow(
    "must be outside",
  );
  expect(readdirSync(folder)).toEqual([]);
});
