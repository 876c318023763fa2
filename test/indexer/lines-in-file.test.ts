import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalog } from "../../fixtures/catalog.ts";
import { temporaryFolder } from "../temporary.ts";
import { databaseIn, syncFolders } from "./index-at.ts";
import { checkLines, type IndexedFile, type IndexedLine, indexedLines } from "./lines-in-file.ts";

/** The indexed file rows and line rows of some files. */
async function indexed(write: (root: string) => void) {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  write(root);
  const db = await databaseIn(folder);
  await syncFolders(db, root);
  return indexedLines(db);
}

test("the rows of all fixtures refer to the bytes of their lines", async () => {
  const files = await indexed((root) => {
    for (const { path, session } of catalog) session.write(join(root, path));
  });
  expect(files.length).toBeGreaterThan(30);
  for (const { file, rows } of files) expect([...checkLines(file, rows)]).toEqual([]);
});

describe("of a file with a title, blank lines and a torn end", () => {
  const TEXT = `{"type":"title","title":"one"}
{"type":"session","version":3,"id":"s"}

{"type":"custom","id":"a","parentId":null}
no JSON
{"type":"custom","id":5,"parentId":"a"}
{"type":"custom","id":"c","parentId":5}
{"type":"cus`;
  const indexedOne = async () => {
    const [only] = await indexed((root) => {
      mkdirSync(root);
      writeFileSync(join(root, "one.jsonl"), TEXT);
    });
    return only as { file: IndexedFile; rows: IndexedLine[] };
  };

  test("all rows are correct", async () => {
    const { file, rows } = await indexedOne();
    expect(rows.map(({ line }) => line)).toEqual([4, 6, 7]);
    expect([...checkLines(file, rows)]).toEqual([]);
  });

  test.each<[string, (row: IndexedLine) => Partial<IndexedLine>]>([
    ["byte_offset", ({ byteOffset }) => ({ byteOffset: byteOffset - 1 })],
    ["byte_offset", ({ byteOffset }) => ({ byteOffset: byteOffset + 1 })],
    ["byte_length", ({ byteLength }) => ({ byteLength: byteLength - 1 })],
    ["byte_length", ({ byteLength }) => ({ byteLength: byteLength + 1 })],
    ["line", ({ line }) => ({ line: line - 1 })],
    ["type", () => ({ type: "message" })],
    ["entry_id", () => ({ entryId: "5" })],
    ["parent_id", () => ({ parentId: null })],
  ])("a wrong %s is found", async (column, change) => {
    const { file, rows } = await indexedOne();
    const wrong = rows.map((row) => (row.entryId === 5 ? { ...row, ...change(row) } : row));
    expect([...checkLines(file, wrong)].map((difference) => difference.column)).toContain(column);
  });

  test.each([0, 1, 2])("an entry without a row is found: number %i", async (n) => {
    const { file, rows } = await indexedOne();
    const { line, byteOffset } = rows[n] as IndexedLine;
    const differences = [...checkLines(file, rows.toSpliced(n, 1))];
    expect(differences).toEqual([{ path: file.path, table: "entry", line, byteOffset, what: "missing" }]);
  });

  test("a wrong number of lines, and a cursor before complete lines, are found", async () => {
    const { file, rows } = await indexedOne();
    const [more] = checkLines({ ...file, lines: file.lines + 1 }, rows);
    expect(more).toMatchObject({ table: "file", column: "lines", indexed: 8, expected: 7 });
    const last = rows.at(-1) as IndexedLine;
    const short = { ...file, cursor: last.byteOffset, lines: 6 };
    expect([...checkLines(short, rows.slice(0, -1))]).toMatchObject([
      { table: "entry", line: 7, what: "missing" },
      { table: "file", column: "cursor", indexed: last.byteOffset },
    ]);
  });
});
