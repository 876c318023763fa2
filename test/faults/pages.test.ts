/**
 * Damaged database pages: a sample in CI, all with PIDEX_FAULTS=all. A damaged page structure is detected when it is read.
 * SQLite cannot detect damaged content, because pages have no checksums: `verify` finds it, and `rebuild` repairs it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PidexError } from "../../library/index.ts";
import { deleteDatabase, open, queryAll, twoSessions } from "./indexed.ts";

const ALL = process.env.PIDEX_FAULTS === "all";
const PAGE = 4096;

const folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
const workspace = twoSessions(folder);
let whole: Buffer;
let truth: unknown;
/** The pages with the schema and the configuration of the full-text index. */
let first: number[];

beforeAll(async () => {
  await using index = await open(workspace);
  await index.sync();
  truth = await queryAll(index);
  await index.close();
  whole = readFileSync(workspace.db);
  const handle = new SQLite(workspace.db, { readonly: true });
  const names = "SELECT pageno - 1 FROM dbstat WHERE name IN ('sqlite_schema', 'entry_text_config')";
  first = handle.prepare(names).pluck().all() as number[];
  handle.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces the database by these bytes, opens it, and returns the outcome. */
async function outcomeOf(bytes: Buffer): Promise<string> {
  deleteDatabase(workspace.db);
  writeFileSync(workspace.db, bytes);
  const notices: string[] = [];
  try {
    await using index = await open(workspace, notices);
    await index.sync();
    const isRight = async () => JSON.stringify(await queryAll(index)) === JSON.stringify(truth);
    if (await isRight()) return notices.length > 0 ? "aside" : "right";
    // Damage found during a sync is reported; after that everything must be right.
    return notices.length > 0 && (await isRight()) ? "aside" : "wrong";
  } catch (error) {
    return error instanceof PidexError ? `reported: ${error.message}` : `unexpected: ${error}`;
  }
}

/** A sample of the pages, different for each kind of damage, and the pages that are read first. */
function sampled(nth: number, of: number): number[] {
  const pages = [...Array(whole.length / PAGE).keys()];
  return ALL ? pages : pages.filter((page) => page % of === nth || first.includes(page));
}

function damaged(page: number, damage: (page: Buffer) => void): Buffer {
  const bytes = Buffer.from(whole);
  damage(bytes.subarray(page * PAGE, (page + 1) * PAGE));
  return bytes;
}

const FRAMES: [string, (page: Buffer) => void][] = [
  ["overwritten with garbage", (page) => page.fill(0xaa)],
  ["zeros", (page) => page.fill(0)],
  ["with zeros in its first half", (page) => page.fill(0, 0, PAGE / 2)],
  ["of another kind", (page) => void page.writeUInt8(page.readUInt8() ^ 0x0f)],
];

describe("a page that is", () => {
  test.each(FRAMES)(
    "%s is never read, or the index is set aside and all results are right",
    async (what, damage) => {
      const nth = FRAMES.findIndex(([name]) => name === what);
      const outcomes: [number, string][] = [];
      for (const page of sampled(nth, 5 * FRAMES.length))
        outcomes.push([page + 1, await outcomeOf(damaged(page, damage))]);
      expect(outcomes.filter(([, outcome]) => outcome !== "right" && outcome !== "aside")).toEqual([]);
      expect(outcomes.some(([, outcome]) => outcome === "aside")).toBe(true);
    },
  );
});

/** Offsets in the first page. */
const APPLICATION_ID = [68, 69, 70, 71];

describe("a page with damaged content", () => {
  /** A fixed seed, so that failures can be reproduced. */
  let state = 1;
  const random = (below: number): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (state >>> 8) % below;
  };
  const sectorOf = (n: number): [number, number] => [512 * n, 512 * (n + 1)];
  const CONTENT: [string, (page: Buffer) => void][] = [
    ["half of it erased", (page) => page.fill(0, PAGE / 2)],
    ["a sector of it erased", (page) => page.fill(0, ...sectorOf(1 + random(7)))],
    [
      "a bit of it flipped",
      (page) => {
        // Not the application id: with another one, the file is another program's database.
        const used = [...page.keys()].filter((at) => page[at] !== 0 && !APPLICATION_ID.includes(at));
        const at = used[random(used.length)] ?? PAGE - 1;
        page.writeUInt8(page.readUInt8(at) ^ (1 << random(8)), at);
      },
    ],
  ];

  test.each(CONTENT)(
    "(%s) crashes nothing; verify finds the damage, and rebuild repairs it",
    async (what, damage) => {
      const nth = CONTENT.findIndex(([name]) => name === what);
      for (const page of sampled(nth, 6 * CONTENT.length)) {
        const bytes = damaged(page, damage);
        const outcome = await outcomeOf(bytes);
        if (outcome === "right" || outcome === "aside") continue;
        expect([page + 1, outcome]).toEqual([page + 1, expect.not.stringMatching(/^unexpected/)]);
        const notices: string[] = [];
        const index = await open(workspace, notices);
        try {
          const { differenceCount } = await index.verify();
          // A full read may find damage that causes a rebuild: then there is no difference left.
          expect([page + 1, differenceCount > 0 || notices.length > 0]).toEqual([page + 1, true]);
          await index.rebuild();
          expect([page + 1, await queryAll(index)]).toEqual([page + 1, truth]);
        } finally {
          await index.close();
        }
      }
    },
  );
});

describe("a database truncated", () => {
  test("at or within any page is set aside, or has everything that is read", async () => {
    const cuts = [...Array(whole.length / PAGE).keys()].flatMap((page) => [page * PAGE, page * PAGE + 1_000]);
    const outcomes: [number, string][] = [];
    for (const cut of cuts.filter((_, n) => ALL || n % 11 === 0 || n === 1)) {
      outcomes.push([cut, await outcomeOf(whole.subarray(0, cut))]);
    }
    expect(outcomes.filter(([, outcome]) => outcome !== "right" && outcome !== "aside")).toEqual([]);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["has a header of zeros", (bytes) => bytes.fill(0, 0, 100)],
    ["has lost its first sector", (bytes) => bytes.fill(0, 0, 512)],
    ["has another page size in its header", (bytes) => bytes.fill(Buffer.from([4, 0]), 16, 18)],
    ["is zeros", (bytes) => bytes.fill(0)],
    ["is twice as long, by zeros", (bytes) => Buffer.concat([bytes, Buffer.alloc(bytes.length)])],
    ["is twice as long, by itself", (bytes) => Buffer.concat([bytes, bytes])],
  ])("or %s is set aside, or all results are right", async (_, damage) => {
    expect(["right", "aside"]).toContain(await outcomeOf(damage(Buffer.from(whole))));
  });
});
