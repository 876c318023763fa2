import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { catalog } from "../../fixtures/catalog.ts";
import { migrations } from "../../migrations/index.ts";
import { type Database, openDatabase } from "../../src/store/sqlite/open.ts";
import { syncFolders } from "./index-at.ts";

const ROOTS = join(import.meta.dirname, "../../fixtures/roots");

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Expected rows of a file, computed with `JSON.parse` and no product code. */
interface Expected {
  isSession: boolean;
  entries: number;
  messages: number;
  users: number;
  assistants: number;
  calls: number;
  /** Problem codes of whole lines, in order. Problems inside entries are counted by hand below. */
  problems: string[];
}

function expectedOf(path: string): Expected {
  const expected: Expected = {
    isSession: false,
    entries: 0,
    messages: 0,
    users: 0,
    assistants: 0,
    calls: 0,
    problems: [],
  };
  const lines = readFileSync(path, "utf8").split("\n");
  for (const [n, line] of lines.entries()) {
    const bare = line.replace(/^\ufeff/, "");
    if (bare !== line) expected.problems.push("byte_order_mark");
    const isLast = n === lines.length - 1;
    let value: unknown;
    try {
      value = JSON.parse(bare);
    } catch {
      if (bare.trim() !== "") expected.problems.push(isLast ? "torn_line" : "malformed_line");
      continue;
    }
    if (!isFields(value)) expected.problems.push("not_an_entry");
    else if (!expected.isSession && value.type === "session") expected.isSession = true;
    else if (!expected.isSession && value.type === "title") continue;
    else if (!expected.isSession) {
      expected.problems.push("no_header");
      break;
    } else if (value.type === "session") expected.problems.push("second_header");
    else countEntry(value, expected);
  }
  return expected;
}

function countEntry({ type, message }: Fields, expected: Expected): void {
  expected.entries++;
  if (type !== "message") return;
  expected.messages++;
  if (!isFields(message)) return;
  if (message.role === "user") expected.users++;
  if (isFields(message.nestedCalls)) expected.calls += (message.nestedCalls.calls as unknown[]).length;
  if (message.role !== "assistant") return;
  expected.assistants++;
  const blocks = Array.isArray(message.content) ? message.content : [];
  expected.calls += blocks.filter((block) => isFields(block) && block.type === "toolCall").length;
}

/** Invalid fields, counted by hand in `fixtures/stories/broken.ts`. No other file has any. */
const INVALID_FIELDS: Record<string, number> = {
  "lines that are blank, not JSON, not an object, two objects": 1,
  "a session id that is a number": 1,
  "usage that is negative, missing, strings, infinite; every field once": 9,
  "content that is null, missing or of another type; incomplete blocks and messages": 15,
  "unknown entry types, roles and blocks; a second header": 2,
  "names and labels that are not strings, blank or cleared": 2,
  "invalid times": 4, // a number in milliseconds is
};

/** Responses and usage with missing figures, also counted by hand. */
const MISSING_FIGURES: Record<string, number> = {
  "usage that is negative, missing, strings, infinite; every field once": 3,
  "content that is null, missing or of another type; incomplete blocks and messages": 2,
  "invalid times": 1,
};

describe("the index of every fixture has the content of its file:", () => {
  let db: Database;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    db = await openDatabase({ path: join(folder, "index.db"), migrations });
    await syncFolders(
      db,
      ["pi", "atomic", "flat", "scripts", "broken"].map((root) => join(ROOTS, root)),
    );
    return async () => {
      await db.close();
      rmSync(folder, { recursive: true });
    };
  });

  test.each(catalog.map((file) => [file.path, file.description]))("%s", (path, description) => {
    const expected = expectedOf(join(ROOTS, path));
    const id = db.writer.prepare("SELECT id FROM file WHERE path = ?").pluck().get(join(ROOTS, path));
    const count = (table: string, where = "file_id = ?") =>
      db.writer.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get(id);
    const codes = db.writer
      .prepare("SELECT code FROM problem WHERE file_id = ? ORDER BY rowid")
      .pluck()
      .all(id);
    expect({
      isSession: count("session") === 1,
      entries: count("entry"),
      messages: count("entry", "file_id = ? AND type = 'message'"),
      users: count("entry", "file_id = ? AND role = 'user'"),
      assistants: count("entry", "file_id = ? AND role = 'assistant'"),
      calls: count("tool_call"),
      problems: codes.filter((code) => code !== "invalid_field" && code !== "missing_figure"),
    }).toEqual(expected);
    expect(codes.filter((code) => code === "invalid_field")).toHaveLength(INVALID_FIELDS[description] ?? 0);
    expect(codes.filter((code) => code === "missing_figure")).toHaveLength(MISSING_FIGURES[description] ?? 0);

    const summary = db.writer.prepare("SELECT * FROM session WHERE file_id = ?").get(id) as
      | Fields
      | undefined;
    if (!expected.isSession) expect(summary).toBeUndefined();
    else {
      expect(summary).toMatchObject({
        entry_count: expected.entries,
        message_count: expected.messages,
        user_count: expected.users,
        assistant_count: expected.assistants,
      });
    }
  });

  test("no other files", () => {
    const total = db.writer.prepare("SELECT count(*) FROM file").pluck().get();
    expect(total).toBe(catalog.length);
    expect(
      Object.keys({ ...INVALID_FIELDS, ...MISSING_FIGURES }).filter(
        (description) => !catalog.some((file) => file.description === description),
      ),
    ).toEqual([]);
  });

  test("the byte offset of each entry is that of its line", () => {
    const places = db.writer
      .prepare("SELECT path, byte_offset, byte_length, entry_id FROM entry JOIN file ON file.id = file_id")
      .all() as { path: string; byte_offset: number; byte_length: number; entry_id: unknown }[];
    expect(places.length).toBeGreaterThan(300);
    const bytes = new Map(catalog.map(({ path }) => [join(ROOTS, path), readFileSync(join(ROOTS, path))]));
    const wrong = places.filter(({ path, byte_offset, byte_length, entry_id }) => {
      const line =
        bytes
          .get(path)
          ?.subarray(byte_offset, byte_offset + byte_length)
          .toString() ?? "";
      const { id } = JSON.parse(line) as Fields;
      return id !== undefined && id !== entry_id; // version 1 has no ids
    });
    expect(wrong).toEqual([]);
  });
});
