import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { user } from "../messages.ts";
import { linesOf, outcomeOf, stage } from "../stage.ts";

type Line = Record<string, unknown>;

describe.each(implementations)("$name: sessions of old versions", (it) => {
  const { SessionManager, migrateSessionEntries, loadEntriesFromFile, parseSessionEntries } = it;
  const versionOne = () =>
    session({ version: 1 }).user("one").assistant("two").compaction("short", 2).user("three");

  test("version 1 becomes a chain, in memory and in the file", () => {
    const { write } = stage();
    const file = write("a.jsonl", versionOne());
    chmodSync(file, 0o640);
    const manager = SessionManager.open(file);
    const entries = manager.getEntries() as unknown as Line[];
    expect(entries.map(({ id }) => typeof id)).toEqual(Array(4).fill("string"));
    expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
    expect(entries.map(({ parentId }) => parentId)).toEqual([
      null,
      ...entries.slice(0, 3).map(({ id }) => id),
    ]);
    expect(entries[2]).toMatchObject({ firstKeptEntryId: entries[1]?.id });
    expect(entries[2]).not.toHaveProperty("firstKeptEntryIndex");
    expect(manager.getHeader()?.version).toBe(3);
    expect(manager.getLeafId()).toBe(entries[3]?.id);
    expect(linesOf(file)).toEqual(JSON.parse(JSON.stringify([manager.getHeader(), ...entries])));
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(manager.buildSessionContext().messages.map(({ role }: { role: string }) => role)).toEqual([
      "compactionSummary",
      "assistant",
      "user",
    ]);
    manager.appendMessage(user("four"));
    expect(linesOf(file)).toHaveLength(6);
    expect(readdirSync(dirname(file))).toEqual(["a.jsonl"]);
  });

  test("version 2's hook messages become custom ones", () => {
    const { write } = stage();
    const draft = session({ version: 2 })
      .user("one")
      .message({ role: "hookMessage", customType: "x", content: "two", display: true });
    const file = write("a.jsonl", draft);
    const manager = SessionManager.open(file);
    expect(manager.getEntries().map(({ id }: { id: string }) => id)).toEqual(
      draft.entries.map(({ id }) => id),
    );
    expect(linesOf(file)).toMatchObject([
      { version: 3 },
      {},
      { message: { role: "custom", content: "two" } },
    ]);
  });

  test.each([
    [null, 3],
    [undefined, 3],
    [1, 3],
    [2, 3],
    [3, 3],
    [99, 99],
    ["3", "3"],
  ])("a header of version %j is of version %j afterwards", (version, after) => {
    const { write } = stage();
    const file = write("a.jsonl", session({ header: { version } }).user("one").assistant("two"));
    SessionManager.open(file);
    expect(linesOf(file)[0]?.version).toBe(after);
  });

  test("the ids that version 1 gets", () => {
    const { write } = stage();
    const idsOf = (name: string) =>
      SessionManager.open(write(name, versionOne()))
        .getEntries()
        .map(({ id }: { id: string }) => id);
    expectDifference(
      "ids-of-version-1",
      it,
      idsOf("a.jsonl").join() === idsOf("b.jsonl").join() ? "the same ids" : "different ids",
    );
  });

  test("unreadable lines in an old session", () => {
    const { write } = stage();
    const file = write("a.jsonl", versionOne().raw("{half").user("four"));
    const { ino } = statSync(file);
    const manager = SessionManager.open(file);
    expect(manager.getEntries()).toHaveLength(5);
    const kept = readdirSync(dirname(file)).filter((name) =>
      readFileSync(`${dirname(file)}/${name}`, "utf8").includes("{half"),
    );
    expectDifference("upgrade-of-unreadable-lines", it, kept.join() || "dropped");
    expectDifference(
      "upgrade-in-place",
      it,
      statSync(file).ino === ino ? "overwrites the file" : "replaces the file",
    );
  });

  test("migrateSessionEntries changes entries in place", () => {
    const lines = parseSessionEntries(versionOne().text()) as unknown as Line[];
    const [header, one] = lines as [Line, Line];
    migrateSessionEntries(lines as never);
    expect(header.version).toBe(3);
    expect(one).toMatchObject({ id: expect.any(String), parentId: null });
    expect(lines[3]).toMatchObject({ firstKeptEntryId: lines[2]?.id });
    expect(lines[3]).not.toHaveProperty("firstKeptEntryIndex");
    const before = JSON.stringify(lines);
    migrateSessionEntries(lines as never);
    expect(JSON.stringify(lines)).toBe(before);
  });

  test.each([0, 4, 99, -1, 1.5])("version 1's kept index %j is not an earlier entry", (index) => {
    const lines = parseSessionEntries(
      session({ version: 1 }).user("one").compaction("short", index).text(),
    ) as unknown as Line[];
    migrateSessionEntries(lines as never);
    expect(lines[2]?.firstKeptEntryId).toBeUndefined();
    expect(lines[2]).not.toHaveProperty("firstKeptEntryIndex");
  });

  test("unreadable lines shift version 1's index", () => {
    const { write } = stage();
    const draft = session({ version: 1 })
      .user("one")
      .raw("{half")
      .raw("")
      .assistant("two")
      .compaction("short", 2);
    const entries = SessionManager.open(write("a.jsonl", draft)).getEntries() as unknown as Line[];
    expect(entries[2]?.firstKeptEntryId).toBe(entries[1]?.id);
  });

  test("parseSessionEntries returns all JSON lines with the header, not upgraded", () => {
    const draft = session({ version: 1 }).user("one").raw("").raw("{half").raw("   ").assistant("two");
    expect(parseSessionEntries(draft.text())).toEqual(
      JSON.parse(JSON.stringify([draft.header, ...draft.entries])),
    );
    expect(parseSessionEntries("")).toEqual([]);
    expect(parseSessionEntries("\n\n")).toEqual([]);
    expect(parseSessionEntries(draft.text().replaceAll("\n", "\r\n"))).toHaveLength(3);
    expect(parseSessionEntries(draft.text().trimEnd())).toHaveLength(3);
  });

  test("only a newline ends a line", () => {
    const { write } = stage();
    const draft = session().user("a\u2028b\u2029c\u0085d").assistant("two");
    expect(parseSessionEntries(draft.text())).toHaveLength(3);
    expect(loadEntriesFromFile(write("a.jsonl", draft))).toHaveLength(3);
  });

  test("JSON that is not an object", () => {
    const text = session().user("one").raw("null").raw("5").raw('"x"').raw("[]").assistant("two").text();
    expectDifference("json-but-not-an-object", it, `${parseSessionEntries(text).length} lines`);
  });

  test("loadEntriesFromFile reads a session", () => {
    const { write, folder } = stage();
    const draft = versionOne();
    const file = write("a.jsonl", draft.cut(1));
    expect(loadEntriesFromFile(file)).toEqual(JSON.parse(JSON.stringify([draft.header, ...draft.entries])));
    const added = readFileSync(file).length - draft.bytes().length;
    expectDifference("newline-of-a-read-file", it, added === 0 ? "unchanged" : "gets a newline");
    expect(loadEntriesFromFile(`${folder}/no.jsonl`)).toEqual([]);
    expect(loadEntriesFromFile(write("b.jsonl", ""))).toEqual([]);
    expect(loadEntriesFromFile(write("c.jsonl", "words\n"))).toEqual([]);
    expect(loadEntriesFromFile(write("d.jsonl", '{"type":"message","id":"a"}\n'))).toEqual([]);
    expect(loadEntriesFromFile(write("e.jsonl", '{"type":"session","id":5}\n'))).toEqual([]);
    expect(existsSync(`${folder}/no.jsonl`)).toBe(false);
  });

  test("a line that is null", () => {
    const { write } = stage();
    const draft = session().user("one").raw("null").assistant("two");
    const file = write("a.jsonl", draft);
    let manager: { getEntries(): unknown[] } | undefined;
    const outcome = outcomeOf(() => {
      manager = SessionManager.open(file);
    });
    expectDifference(
      "null-line",
      it,
      manager ? `${manager.getEntries().length} entries` : outcome.slice(0, 6),
    );
  });
});
