import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { measureFloor } from "../../bench/floor.ts";
import { generateRoot, parseBytes, type RootOptions } from "../../bench/generate.ts";
import type { Manifest } from "../../bench/manifest.ts";
import { PROFILES } from "../../bench/plan.ts";
import { readRoot } from "./read-root.ts";

interface Line {
  type: string;
  id: string;
  parentId?: string | null;
  timestamp: string;
  version?: number;
  cwd?: string;
  parentSession?: string;
  usage?: { cost: { total: number } };
  message?: { role: string; usage?: { cost: { total: number } } };
}

const FILES = 120;
const BYTES = 6_000_000;
const OPTIONS: RootOptions = {
  seed: 7,
  profile: "mixed",
  files: FILES,
  bytes: BYTES,
  location: "/home/ada/.pi/agent/sessions",
};

let folder: string;
let root: string;
let manifest: Manifest;
/** The text of every session file, by path below the root. */
let files: Map<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pidex-generator-"));
  root = join(folder, "root");
  manifest = generateRoot(root, OPTIONS);
  files = readRoot(root);
});

afterAll(() => rmSync(folder, { recursive: true }));

function linesOf(text: string): string[] {
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
}

function parse(text: string): Line[] {
  return linesOf(text).map((line) => JSON.parse(line) as Line);
}

/** Every session, parsed: path, header and entries. */
function* sessions(): Generator<{ path: string; header: Line; entries: Line[] }> {
  for (const [path, text] of files) {
    const [header, ...entries] = parse(text);
    if (header) yield { path, header, entries };
  }
}

describe("a generated root", () => {
  test("has the same bytes for the same seed, and other bytes for another seed", () => {
    const again = generateRoot(join(folder, "again"), OPTIONS);
    expect(again).toEqual(manifest);
    expect(readRoot(join(folder, "again"))).toEqual(files);
    generateRoot(join(folder, "other"), { ...OPTIONS, seed: 8 });
    expect([...readRoot(join(folder, "other")).keys()]).not.toEqual([...files.keys()]);
  });

  test("has the requested number of files, and the requested size within a tenth", () => {
    expect(files.size).toBe(FILES);
    const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(Math.abs(bytes - BYTES)).toBeLessThan(BYTES / 10);
    expect(manifest).toMatchObject({ files: FILES, bytes });
  });

  test("has the paths that pi would use for the cwd, time and id of each header", () => {
    for (const { path, header } of sessions()) {
      expect(header.type).toBe("session");
      const project = dirname(path).replace(/\/subagent-artifacts$/, "");
      expect(project).toBe(`-${header.cwd?.replaceAll("/", "-")}--`);
      expect(basename(path)).toBe(`${header.timestamp.replace(/[:.]/g, "-")}_${header.id}.jsonl`);
    }
  });

  test("has files as old as their last entry", () => {
    for (const { path, entries } of sessions()) {
      expect(statSync(join(root, path)).mtime.toISOString()).toBe(entries.at(-1)?.timestamp);
    }
  });

  test("counts its entries by type", () => {
    const counts: Record<string, number> = {};
    for (const { entries } of sessions()) {
      for (const { type } of entries) counts[type] = (counts[type] ?? 0) + 1;
    }
    expect(counts).toEqual(manifest.entriesByType);
    const types = ["message", "model_change", "thinking_level_change", "custom", "label", "session_info"];
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(types));
  });

  test("has ids that are unique within a file, and parents before their children", () => {
    for (const { header, entries } of sessions()) {
      const ids = new Set<string | null>([null]);
      for (const { id, parentId } of entries) {
        if (header.version === undefined) {
          expect(id).toBeUndefined();
          continue;
        }
        expect(id).toMatch(/^[0-9a-f]{8}$/);
        expect(ids.has(id)).toBe(false);
        expect(ids.has(parentId ?? null)).toBe(true);
        ids.add(id);
      }
    }
  });

  test("has one fork in ten, which begins with the lines of its parent", () => {
    let forks = 0;
    for (const { path, header } of sessions()) {
      if (!header.parentSession) continue;
      forks++;
      const parent = linesOf(files.get(header.parentSession.slice(`${OPTIONS.location}/`.length)) ?? "");
      const fork = linesOf(files.get(path) ?? "");
      const copied = fork.findIndex((line, i) => i > 0 && line !== parent[i]);
      expect(copied).toBeGreaterThan(2);
      const own = new Set(parent.slice(1).map((line) => (JSON.parse(line) as Line).id));
      for (const line of fork.slice(copied)) expect(own.has((JSON.parse(line) as Line).id)).toBe(false);
    }
    expect(forks).toBe(manifest.forks);
    expect(forks).toBeGreaterThan(FILES * 0.07);
    expect(forks).toBeLessThan(FILES * 0.13);
  });

  test("has the cost in the manifest, without copies in forks", () => {
    const seen = new Set<string>();
    let nanoDollars = 0;
    for (const { path, entries } of sessions()) {
      for (const { id, timestamp, message, usage = message?.usage } of entries) {
        if (!usage) continue;
        const event = id ? `${id} ${timestamp}` : `${path} ${timestamp}`;
        if (!seen.has(event)) nanoDollars += Math.round(usage.cost.total * 1e9);
        seen.add(event);
      }
    }
    expect(nanoDollars).toBe(manifest.nanoDollars);
  });

  test("contains every needle once, at the location in the manifest", () => {
    expect(new Set(manifest.needles.map(({ kind }) => kind)).size).toBe(4);
    for (const { text, path, sessionId, entryId } of manifest.needles) {
      const holders = [...files].filter(([, content]) => content.includes(text));
      expect(holders.map(([name]) => name)).toEqual([path]);
      const lines = linesOf(files.get(path) ?? "");
      const [line, ...others] = lines.filter((candidate) => candidate.includes(text));
      expect(others).toEqual([]);
      expect((JSON.parse(line ?? "") as Line).id).toBe(entryId);
      expect((JSON.parse(lines[0] ?? "") as Line).id).toBe(sessionId);
    }
  });

  test.each([
    ["English", /\bthe\b/],
    ["Chinese", /我们/],
    ["Japanese", /[ァ-ヶ]{3}/],
    ["Cyrillic", /[а-я]{3}/],
    ["emoji", /\p{Extended_Pictographic}/u],
    ["camelCase", /\b[a-z]+[A-Z][a-z]+[A-Z]/],
    ["snake_case", /\b[a-z]+_[a-z]+_[a-z]+\b/],
    ["paths", /\bsrc\/[a-z]+\/[a-z-]+\.ts\b/],
  ])("has %s in it", (_name, pattern) => {
    expect([...files.values()].some((text) => pattern.test(text))).toBe(true);
  });

  test("is read without problems", () => {
    const lines = manifest.entries + manifest.files;
    expect(measureFloor(root)).toMatchObject({ files: FILES, bytes: manifest.bytes, lines });
  });

  test("is not written into a folder that is not empty", () => {
    expect(() => generateRoot(root, OPTIONS)).toThrow("Not empty");
  });
});

test.each([
  ["small", 200, undefined],
  ["tiny", 500, undefined],
  ["giant", 1, 3_000_000],
] as const)("the %s profile meets its size", (profile, count, bytes) => {
  const dir = join(folder, profile);
  const written = generateRoot(dir, { seed: 1, profile, files: count, ...(bytes && { bytes }) });
  expect(readRoot(dir).size).toBe(count);
  const requested = bytes ?? count * PROFILES[profile].bytesPerFile;
  expect(Math.abs(written.bytes - requested)).toBeLessThan(requested / 10);
  expect(new Set(written.needles.map(({ kind }) => kind)).size).toBe(4);
});

test("size units are decimal", () => {
  expect(["1GB", "1.5 MB", "20k", "7"].map(parseBytes)).toEqual([1e9, 1.5e6, 2e4, 7]);
  expect(() => parseBytes("much")).toThrow("Not a size");
});
