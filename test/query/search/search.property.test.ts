import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { PidexError } from "../../../library/index.ts";
import { plainSearchable, plainSession, plainWords } from "../brute-force.ts";
import { FIXTURES, indexed, indexedFixtures, sessionFiles } from "../opened-queries.ts";

describe("every plain word of the fixtures", () => {
  test("finds exactly the entries that contain it", async () => {
    const places = new Map<string, string[]>();
    for (const path of sessionFiles(FIXTURES)) {
      for (const { line, entry } of plainSession(path)?.entries ?? []) {
        for (const word of plainWords(plainSearchable(entry))) {
          places.set(word, [...(places.get(word) ?? []), `${path}:${line}`]);
        }
      }
    }
    expect(places.size).toBeGreaterThan(600);
    const index = await indexedFixtures();
    for (const [word, expected] of places) {
      const { hits } = await index.searchEntries(word, { limit: 1000, subagents: "yes", strict: true });
      const found = hits.flatMap((hit) => [hit, ...hit.alsoIn].map(({ path, line }) => `${path}:${line}`));
      expect([word, ...found.toSorted()]).toEqual([word, ...expected.toSorted()]);
    }
  });
});

/** Searches; anything except a result or `BAD_QUERY` fails. */
async function survives(index: Awaited<ReturnType<typeof indexedFixtures>>, query: string): Promise<void> {
  try {
    const { sessions } = await index.search(query);
    expect(Array.isArray(sessions)).toBe(true);
  } catch (error) {
    if (!(error instanceof PidexError) || error.code !== "BAD_QUERY") throw error;
  }
}

describe("a hostile query gets a result or BAD_QUERY", () => {
  test.each([
    ["NEAR(a b)"],
    ['NEAR("a" "b", 5)'],
    ["a AND b"],
    ["AND"],
    ["OR OR OR"],
    ["NOT a"],
    ["a NOT b"],
    ["said:a"],
    ["{said output}: a"],
    ["- said : a"],
    ["^a"],
    ["((a"],
    ["a)"],
    ["a + b"],
    ['"a'],
    ['a"'],
    ['""a""'],
    ['a"b"c"'],
    ["a''b"],
    ["a; DROP TABLE entry; --"],
    ["a\0b"],
    ["\0"],
    ["\ud800a"],
    ["a\udfff"],
    ["*a"],
    ["a**"],
    ["a * b"],
    ["entry_text"],
    ["rank"],
    ["%"],
    ["a\\"],
    ["\u0300"],
    ["a\u0300*"],
    ["\ue000"],
    ["ﬁ"],
    ["İ"],
    ["\u2028a"],
    [`${"(".repeat(1000)}a`],
    ["a ".repeat(20_000)],
    [
      Array.from({ length: 500 }, (_, n) =>
        "abcdefghijklmnopqrstuvwxyz".slice(n % 26, (n % 26) + 1 + n / 26),
      ).join("* "),
    ],
    [Array.from({ length: 3_000 }, (_, n) => `w${n}`).join(" ")],
    [`"${"a ".repeat(20_000)}"`],
    [`"${"a".repeat(1 << 20)}"`],
    ["数".repeat(20_000)],
  ])("%#: %.40s", async (query) => {
    await survives(await indexedFixtures(), query);
  });

  test("with any content", async () => {
    const index = await indexedFixtures();
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({
        unit: fc.constantFrom("\0", "\ud800", "\udc00", "\ufffd", "\uffff", "a", "数"),
        maxLength: 5,
      }),
      fc.constantFrom(
        "NEAR",
        "AND",
        "OR",
        "NOT",
        "said:",
        "^",
        "(",
        ")",
        '"',
        "*",
        "-",
        "+",
        "{",
        "}",
        ",",
        "a",
        " ",
      ),
    );
    const query = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(query, (query) => survives(index, query)),
      { numRuns: 200 },
    );
  });
});

describe("a file that changed since it was indexed", () => {
  const talk = () => session().user("needle one").assistant("needle two");

  test("is synced and searched again", async () => {
    const { index, path } = await indexed(talk());
    writeFileSync(path, talk().text().replaceAll("needle one", "haystack"));
    const found = await index.search("needle");
    expect(found).toMatchObject({ hitCount: 1, changedFiles: [] });
    expect((await index.search("haystack")).hitCount).toBe(1);
  });

  test("is not synced if it only grew", async () => {
    const { index, path } = await indexed(talk());
    appendFileSync(path, `${talk().user("needle three").lines.at(-1)}\n`);
    expect((await index.search("needle")).hitCount).toBe(2);
  });

  test("is removed if it was deleted", async () => {
    const { index, path } = await indexed(talk());
    rmSync(path);
    expect(await index.search("needle")).toMatchObject({ sessions: [], hitCount: 0, changedFiles: [] });
  });

  test("is removed if a folder replaced it", async () => {
    const { index, path } = await indexed(talk());
    rmSync(path);
    mkdirSync(path);
    expect(await index.search("needle")).toMatchObject({ sessions: [], hitCount: 0 });
  });

  test.skipIf(process.platform === "win32")("is removed if a pipe replaced it", async () => {
    const { index, path } = await indexed(talk());
    rmSync(path);
    execFileSync("mkfifo", [path]);
    expect(await index.search("needle")).toMatchObject({ sessions: [], hitCount: 0 });
  });
});
