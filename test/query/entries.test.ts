import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import {
  buildSessionContext,
  type EntriesOptions,
  type EntryId,
  type Index,
  type LocatedEntry,
} from "../../library/index.ts";
import { measureSqlite } from "../bench/statements.ts";
import { plainSession } from "./brute-force.ts";
import { collect, FIXTURES, failure, indexed, indexedFixtures, sessionFiles } from "./opened-queries.ts";

const read = (index: Index, session: string, branch?: EntriesOptions["branch"]): Promise<LocatedEntry[]> =>
  collect(index.entries(session, branch === undefined ? {} : { branch }));
const idsOf = (placed: readonly LocatedEntry[]) => placed.map(({ entry }) => entry.id);
const fixtureSessions = () => sessionFiles(FIXTURES).filter((path) => plainSession(path));

type Plain = NonNullable<ReturnType<typeof plainSession>>;

const branched = () =>
  session({ id: "branched" })
    .user("question", { id: "q" })
    .assistant("first", { id: "a1" })
    .branch("q")
    .assistant("second", { id: "a2" })
    .user("thanks", { id: "t" });

describe("every fixture", () => {
  test("returns all its entries, each from its location in the file", async () => {
    const index = await indexedFixtures();
    for (const path of fixtureSessions()) {
      const bytes = readFileSync(path);
      const { header, entries: expected } = plainSession(path) as Plain;
      const current = Number(header.version ?? 1) >= 3;
      const placed = await read(index, path, "all");
      expect(placed.map(({ line }) => line)).toEqual(expected.map(({ line }) => line));
      const odd = new Set((await index.problems(path)).map(({ line }) => line));
      for (const [n, { entry, line, byteOffset, byteLength }] of placed.entries()) {
        const there = JSON.parse(bytes.toString("utf8", byteOffset, byteOffset + byteLength));
        expect(there).toEqual(expected[n]?.entry);
        if (current && !odd.has(line)) expect(entry).toEqual(there);
      }
    }
  });

  test("has the context that buildSessionContext builds at every leaf", async () => {
    const index = await indexedFixtures();
    for (const path of fixtureSessions()) {
      const entries = (await read(index, path, "all")).map(({ entry }) => entry);
      expect(await index.context(path)).toEqual(buildSessionContext(entries));
      expect(await index.context(path, null)).toEqual(buildSessionContext(entries, null));
      for (const id of new Set(entries.flatMap((entry) => entry.id ?? []))) {
        expect(await index.context(path, id)).toEqual(buildSessionContext(entries, id));
        const [last] = (await read(index, path, { leaf: id })).slice(-1);
        expect(last?.entry.id).toBe(id);
      }
    }
  });
});

test("a session that is indexed again, or goes on elsewhere, between two pages is an error, not a repetition", async () => {
  const long = session({ id: "long" });
  for (let n = 0; n < 300; n++) long.user(`question ${n}`, { id: `q${n}` });
  const { index, path } = await indexed(long);
  for (const backwards of [false, true]) {
    const entries = index.entries("long", { backwards });
    await entries.next();
    appendFileSync(
      path,
      `${JSON.stringify({ type: "message", id: `x${backwards}`, parentId: "q3", timestamp: "2026-01-09T09:00:00.000Z", message: { role: "user", content: "back" } })}\n`,
    );
    await index.sync();
    expect(await failure(collect(entries))).toMatchObject({ code: "FILE_CHANGED" });
    appendFileSync(
      path,
      `${JSON.stringify({ type: "message", id: `y${backwards}`, parentId: "q299", timestamp: "2026-01-09T09:00:00.000Z", message: { role: "user", content: "on" } })}\n`,
    );
    await index.sync();
  }
});

describe("entries", () => {
  test("are read from the current branch, or from the requested one", async () => {
    const { index } = await indexed(branched());
    expect(idsOf(await read(index, "branched"))).toEqual(["q", "a2", "t"]);
    expect(idsOf(await read(index, "branched", "current"))).toEqual(["q", "a2", "t"]);
    expect(idsOf(await read(index, "branched", "all"))).toEqual(["q", "a1", "a2", "t"]);
    expect(idsOf(await read(index, "branched", { leaf: "a1" }))).toEqual(["q", "a1"]);
    expect(idsOf(await read(index, "branched", { lines: [5, 3, 3, 99, 1, -1] }))).toEqual(["a1", "t"]);
    expect(await read(index, "branched", { lines: [] })).toEqual([]);
    expect((await failure(read(index, "branched", { leaf: "nobody" }))).code).toBe("NOT_FOUND");
    expect((await failure(read(index, "branched", "some" as never))).code).toBe("BAD_OPTION");
    expect((await failure(read(index, "branched", { leaf: "q", lines: [] } as never))).code).toBe(
      "BAD_OPTION",
    );
  });

  test("may be read partially", async () => {
    const { index } = await indexed(branched());
    for await (const { entry } of index.entries("branched")) {
      expect(entry.id).toBe("q");
      break;
    }
    expect((await index.entry("branched", "a1")).entry).toMatchObject({ type: "message", parentId: "q" });
  });

  test('with the ids 5 and "5" are different', async () => {
    const { index } = await indexed(
      session({ id: "five" }).user("number", { id: 5 }).user("string", { id: "5" }),
    );
    const [number, string] = await Promise.all([5, "5"].map((id) => index.entry("five", id as EntryId)));
    expect([number?.entry.id, string?.entry.id]).toEqual([5, "5"]);
    expect(number?.line).not.toBe(string?.line);
  });

  test("with a repeated id resolve to the last one", async () => {
    const { index } = await indexed(
      session({ id: "twice" }).user("a", { id: "x" }).user("b", { id: "x", parentId: null }),
    );
    expect((await index.entry("twice", "x")).line).toBe(3);
  });
});

describe("a session of version 1", () => {
  const old = () =>
    session({ id: "old", version: 1 })
      .user("Forget this.")
      .raw("no JSON")
      .assistant("Forgotten.")
      .user("Keep this.")
      .compaction("They forgot.", 3)
      .assistant("Kept.");

  test("gets ids and a firstKeptEntryId, and its context includes what the compaction kept", async () => {
    const { index } = await indexed(old());
    const placed = await read(index, "old", "all");
    expect(idsOf(placed)).toEqual([1, 2, 3, 4, 5].map((n) => `0000000${n}`));
    expect(placed.map(({ entry }) => entry.parentId)).toEqual([null, ...idsOf(placed).slice(0, -1)]);
    expect(placed[3]?.entry).toMatchObject({ type: "compaction", firstKeptEntryId: "00000003" });
    expect(placed[3]?.entry).not.toHaveProperty("firstKeptEntryIndex");
    const { messages } = await index.context("old");
    expect(messages.map(({ role }) => role)).toEqual(["compactionSummary", "user", "assistant"]);
  });

  test("of version 2 has its hook messages as custom messages", async () => {
    const hooked = session({ id: "hooked", version: 2 }).message({ role: "hookMessage", content: "red" });
    const { index } = await indexed(hooked);
    expect((await read(index, "hooked"))[0]?.entry).toMatchObject({
      message: { role: "custom", content: "red" },
    });
    expect((await index.treeEntries("hooked"))[0]?.role).toBe("custom");
  });
});

describe("a file that changed since it was indexed", () => {
  test.each<[string, (path: string) => void]>([
    ["has other entries", (path) => session().user("Another.").user("And another.").write(path)],
    ["is cut short", (path) => truncateSync(path, 200)],
    ["is empty", (path) => truncateSync(path, 0)],
    ["has its lines moved", (path) => writeFileSync(path, `\n${readFileSync(path, "utf8")}`)],
    [
      "has another time",
      (path) => writeFileSync(path, readFileSync(path, "utf8").replaceAll("T09:00", "T09:01")),
    ],
    [
      "has other ids",
      (path) => writeFileSync(path, readFileSync(path, "utf8").replaceAll('"id":"t"', '"id":"u"')),
    ],
  ])("because it %s, is FILE_CHANGED until the next sync", async (_, change) => {
    const { index, path } = await indexed(branched());
    change(path);
    for (const request of [read(index, path, "all"), index.entry(path, "t"), index.context(path)]) {
      const error = await failure(request);
      expect(error.code).toBe("FILE_CHANGED");
      expect(error.message).toContain(path);
    }
    expect(await index.treeEntries(path)).toHaveLength(4);
    await index.sync();
    if ((await index.listAll()).sessions.length > 0) await read(index, path, "all");
  });

  test("is read up to its indexed end if it only grew", async () => {
    const { index, path } = await indexed(branched());
    appendFileSync(path, `${branched().user("more").lines.at(-1)}\n{"type":`);
    expect(await read(index, path, "all")).toHaveLength(4);
  });

  test("is FILE_UNREADABLE if it was deleted or replaced by a folder", async () => {
    const { index, path } = await indexed(branched());
    rmSync(path);
    expect((await failure(read(index, path))).code).toBe("FILE_UNREADABLE");
    mkdirSync(path);
    for (const request of [read(index, path), index.entry(path, "t"), index.context(path)]) {
      expect((await failure(request)).code).toBe("FILE_UNREADABLE");
    }
  });

  test.skipIf(process.getuid?.() === 0)("because it may not be read, is FILE_UNREADABLE", async () => {
    const { index, path } = await indexed(branched());
    chmodSync(path, 0);
    expect((await failure(read(index, path))).code).toBe("FILE_UNREADABLE");
  });

  test("text is returned as in the file: lone surrogates and NUL", async () => {
    const { index } = await indexed(
      session({ id: "odd", cwd: join("/home/ada") }).user("a\ud83db\0c", { id: "\ud800" }),
    );
    const [placed] = await read(index, "odd");
    expect(placed?.entry).toMatchObject({
      id: "\ud800",
      message: { content: [{ type: "text", text: "a\ud83db\0c" }] },
    });
  });
});

test("an entry that shares its id with its parent is read once", async () => {
  const twice = session({ id: "dup" })
    .user("first", { id: "a", parentId: null })
    .user("second", { id: "a", parentId: "a" });
  const { index } = await indexed(twice);
  expect((await read(index, "dup")).map(({ line }) => line)).toEqual([3]);
  expect((await index.context("dup")).messages).toHaveLength(1);
});

test("single entries and lines are read without the other rows of their session", async () => {
  const rowsOf = async (entries: number) => {
    const talk = session({ id: "talk" }).user("first", { id: "a" });
    for (let n = 1; n < entries; n++) talk.custom("step");
    const { index } = await indexed(talk);
    const one = await measureSqlite(() => index.entry("talk", "a"));
    const few = await measureSqlite(() => read(index, "talk", { lines: [2, 4] }));
    expect(idsOf([one.result])).toEqual(["a"]);
    expect(few.result).toHaveLength(2);
    expect([...one.plans.values()].flat()).toContainEqual(
      expect.stringMatching(/^SEARCH entry USING .*\(entry_id=\? AND file_id=\?\)/),
    );
    return [one.rows, few.rows];
  };
  expect(await rowsOf(500)).toEqual(await rowsOf(3));
});
