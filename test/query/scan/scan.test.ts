import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { thinking, toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import type { ScanPattern } from "../../../query/options.ts";
import { MAX_COUNTED_MATCHES } from "../../../query/scan/pattern.ts";
import type { ScanMatch, ScanProgress } from "../../../query/scan/scan.ts";
import { LONG_LINE_HEAD_BYTES, MAX_LINE_BYTES } from "../../../src/session/lines.ts";
import { toPhrase } from "../../../src/store/text-expression.ts";
import { failure } from "../opened-queries.ts";
import { createScanned, entriesThat, type FoundRow, scan, scanAll } from "./scanned.ts";

const linesOf = (hits: FoundRow[]) => hits.map(({ row }) => row.line);
const marked = ({ snippet }: ScanMatch) =>
  snippet.ranges.map(([start, end]) => snippet.text.slice(start, end));

describe("text that the full-text index cannot find", () => {
  test("is found: punctuation, parts of words, newlines", async () => {
    const talk = session().user("if (a !== b) {\n  unbelievable();\n}").assistant("a != b");
    const scanned = await createScanned(talk);
    for (const substring of ["!==", "elievab", "{\n  un", ") {"]) {
      expect(linesOf((await scanAll(scanned, { substring })).hits)).toEqual([2]);
    }
  });

  test("is found beyond the indexing limits", async () => {
    const output = `${"word ".repeat(100_000)}needle-x${" word".repeat(100_000)}`;
    const scanned = await createScanned(session().tool("bash", { command: "make" }, output));
    const { hits } = await scanAll(scanned, { substring: "needle-x" });
    expect(hits).toMatchObject([{ part: "output", matchCount: 1 }]);
    expect(hits.map(marked)).toEqual([["needle-x"]]);
    expect(hits[0]?.snippet.text).toMatch(/^….*word needle-x word.*…$/);
  });

  test("has its part, and is counted in all parts", async () => {
    const blocks = [
      thinking("x! x!"),
      { type: "text", text: "x!" },
      toolCall("1", "bash", { command: "x!" }),
    ];
    const { hits } = await scanAll(await createScanned(session().assistant(blocks)), { substring: "x!" });
    expect(hits).toMatchObject([{ part: "said", matchCount: 4, snippet: { text: "x!", ranges: [[0, 2]] } }]);
  });

  test("does not match across parts", async () => {
    const scanned = await createScanned(session().bash("echo end", "start"));
    expect((await scanAll(scanned, { regex: "end\\s*start" })).hits).toEqual([]);
  });

  test("does not include keys, ids, images and signatures", async () => {
    const talk = session()
      .user([{ type: "image", data: "QUJD", mimeType: "image/png" }])
      .assistant("hm");
    for (const substring of ["QUJD", "image", "stopReason", "anthropic"]) {
      expect((await scanAll(await createScanned(talk), { substring })).hits).toEqual([]);
    }
  });
});

describe("case", () => {
  const talk = session().user("Tax and tax and STRASSE Kelvin");
  const count = async (pattern: ScanPattern) =>
    (await scanAll(await createScanned(talk), pattern)).hits[0]?.matchCount;

  test.each<[ScanPattern, number | undefined]>([
    [{ substring: "tax" }, 2],
    [{ substring: "Tax" }, 1],
    [{ substring: "TAX" }, undefined],
    [{ substring: "TAX", caseSensitive: false }, 2],
    [{ substring: "tax", caseSensitive: true }, 1],
    [{ substring: "\u212aELVIN", caseSensitive: false }, 1],
    [{ substring: "ſtraſſe" }, 1],
    [{ regex: "t\\Sx" }, 2],
    [{ regex: "\\p{Lu}ax\\W" }, 2],
    [{ regex: "\\x54ax" }, 1],
    [{ regex: "[T]ax" }, 1],
    [{ regex: "(?i)TAX" }, 2],
    [{ regex: "(?i:T)ax" }, 2],
    [{ regex: "\\QTax\\E" }, 1],
  ])("matters if there is an uppercase letter: %j", async (pattern, expected) => {
    expect(await count(pattern)).toBe(expected);
  });
});

describe("an invalid pattern is rejected with a reason", () => {
  test.each<[ScanPattern, RegExp, RegExp]>([
    [{ substring: "" }, /pattern is empty/, /at least one/],
    [{ regex: "" }, /pattern is empty/, /at least one/],
    [{ regex: "a*" }, /matches the empty text/, /a\+/],
    [{ regex: "^" }, /matches the empty text/, /a\+/],
    [{ regex: "\\b" }, /matches the empty text/, /a\+/],
    [{ regex: "^\\s*$" }, /matches the empty text/, /a\+/],
    [{ regex: "(?:\\B|x)y?" }, /matches the empty text/, /a\+/],
    [
      { regex: "foo(?=bar)" },
      /look-ahead and look-behind are not supported at character 4 \(\(\?=\)/,
      /surrounding text/,
    ],
    [{ regex: "(?<!é)a" }, /look-behind are not supported/, /surrounding text/],
    [{ regex: "é(a)\\1" }, /backreferences are not supported at character 5/, /Write out/],
    [{ regex: "\\u00e9" }, /\\u is not supported/, /x\{/],
    [{ regex: "a++" }, /possessive/, /Remove them/],
    [{ regex: "(?>a)" }, /atomic/, /Remove them/],
    [{ regex: "(" }, /missing closing \)/, /RE2/],
    [{ regex: "a)" }, /unexpected \)/, /RE2/],
    [{ regex: "[b-a]" }, /range at character 2/, /RE2/],
    [{ regex: "a{1001}" }, /invalid repeat count at character 2/, /RE2/],
    [{ regex: "((a{100}){100}){100}" }, /invalid repeat count/, /RE2/],
    [{ regex: "(?:a?b){300}" }, /too large/, /fewer repetitions/],
    [{ regex: "a".repeat(1_001) }, /1,001 characters/, /a part of it/],
    [{ substring: "a".repeat(1_001) }, /1,001 characters/, /a part of it/],
    [{ regex: "\\" }, /trailing backslash/, /RE2/],
  ])("%j", async (pattern, message, hint) => {
    const error = await failure(scanAll(await createScanned(session().user("a")), pattern));
    expect(error).toMatchObject({ code: "BAD_QUERY", message: expect.stringMatching(message) });
    expect(error.hint).toMatch(hint);
  });
});

/** Each takes a fraction of a second; backtracking would not end. */
const HANGS_MS = 20_000;

describe("a line takes linear time", () => {
  test.each([
    ["(a+)+$", `${"a".repeat(100_000)}!`, 0],
    ["(a|a)*b$|(a*)*c", `${"a".repeat(100_000)}!`, 0],
    ["(x+x+)+y", "x".repeat(100_000), 0],
    ["(?:a?){150}[bc]", "a".repeat(100_000), 0],
    ["(?:a?){150}[bc]", `${"a".repeat(50_000)}b`, 1],
  ])(
    "%s",
    async (regex, text, expected) => {
      const scanned = await createScanned(session().user(text));
      expect((await scanAll(scanned, { regex })).hits).toHaveLength(expected);
    },
    HANGS_MS,
  );

  test(
    "even if every match is searched to the end: counting stops",
    async () => {
      const scanned = await createScanned(session().user("a".repeat(200_000)));
      const { hits } = await scanAll(scanned, { regex: "a.*z|a" });
      expect(hits).toHaveLength(1);
    },
    HANGS_MS,
  );

  test("and matches are counted up to a limit", async () => {
    const scanned = await createScanned(session().user("ab".repeat(100_000)));
    for (const pattern of [{ substring: "a" }, { substring: "A", caseSensitive: false }, { regex: "a" }]) {
      expect((await scanAll(scanned, pattern)).hits).toMatchObject([{ matchCount: MAX_COUNTED_MATCHES }]);
    }
  });
});

describe("scanned entries", () => {
  const old = session({ timestamp: "2026-01-01T00:00:00.000Z", id: "old" })
    .user("needle")
    .assistant("a needle");
  const young = session({ timestamp: "2026-02-01T00:00:00.000Z", id: "young" }).user("needles");

  test("come from the newest sessions first, in file order", async () => {
    const scanned = await createScanned(old, young);
    const { hits } = await scanAll(scanned, { substring: "needle" });
    expect(hits.map(({ row }) => [row.path, row.line, row.role])).toEqual([
      [scanned.paths[1], 2, "user"],
      [scanned.paths[0], 2, "user"],
      [scanned.paths[0], 3, "assistant"],
    ]);
  });

  test("begin at a line of their files, also when they are read one by one", async () => {
    const talk = session();
    for (let n = 2; n < 1200; n++) talk.user(n % 100 === 0 ? `needle ${n}` : "straw ".repeat(30));
    const scanned = await createScanned(talk);
    let last: ScanProgress | undefined;
    const onProgress = (progress: ScanProgress) => {
      last = progress;
    };
    for (const pattern of [{ substring: "needle" }, { regex: "[mn]eedle" }]) {
      for (const [fromLine, lines] of [
        [1000, [1000, 1100]],
        [1001, [1100]],
        [1, 11],
        [1101, []],
        [5000, []],
      ] as const) {
        const { hits } = await scanAll(scanned, pattern, { fromLine, onProgress });
        if (typeof lines === "number") expect(hits).toHaveLength(lines);
        else expect(linesOf(hits)).toEqual(lines);
        expect(last?.bytesDone).toBe(last?.bytes);
      }
    }
  });

  test("satisfy the conditions", async () => {
    const scanned = await createScanned(old, young);
    const pattern = { substring: "needle" };
    const spoken = entriesThat({ kind: "role", role: "assistant" });
    expect(linesOf((await scanAll(scanned, pattern, spoken)).hits)).toEqual([3]);
    const byWords = { entries: { texts: [toPhrase("needle", false)], excluded: [], entry: [] } };
    expect(linesOf((await scanAll(scanned, pattern, byWords)).hits)).toEqual([2, 3]);
    const inYoung = { session: { kind: "id", ids: ["young"] } } as const;
    expect(linesOf((await scanAll(scanned, pattern, inYoung)).hits)).toEqual([2]);
    const both = { ...spoken, ...inYoung };
    expect((await scanAll(scanned, pattern, both)).hits).toEqual([]);
  });

  test("are below the configured roots", async () => {
    const scanned = await createScanned(old);
    expect(
      (await scanAll({ ...scanned, root: `${scanned.root}/other` }, { substring: "needle" })).hits,
    ).toEqual([]);
  });

  test("are read one by one if they are few", async () => {
    const talk = session().user("needle");
    for (let n = 0; n < 20; n++) talk.tool("bash", { command: "make" }, "needle ".repeat(2_000));
    const scanned = await createScanned(talk);
    let last: ScanProgress | undefined;
    const users = entriesThat({ kind: "role", role: "user" });
    const onProgress = (progress: ScanProgress) => {
      last = progress;
    };
    for (const pattern of [{ substring: "needle" }, { regex: "[mn]eedle" }]) {
      const { hits } = await scanAll(scanned, pattern, { ...users, onProgress });
      expect(linesOf(hits)).toEqual([2]);
      expect(last).toMatchObject({ files: 1, filesDone: 1, hits: 1 });
      expect(last?.bytes).toBe(hits[0]?.row.byte_length);
      expect(last?.bytesDone).toBe(last?.bytes);
    }
  });
});

describe("progress", () => {
  test("adds up to all files and all indexed bytes", async () => {
    const sessions = Array.from({ length: 5 }, (_, n) =>
      session({ id: `s${n}` }).user("needle ".repeat(50_000)),
    );
    const scanned = await createScanned(...sessions);
    for (const pattern of [{ substring: "needle" }, { regex: "[a-z]" }, { substring: "nothing" }]) {
      const reported: ScanProgress[] = [];
      await scanAll(scanned, pattern, { onProgress: (progress) => reported.push(progress) });
      const bytes = scanned.paths.reduce((sum, path) => sum + readFileSync(path).length, 0);
      expect(reported[0]).toEqual({ files: 5, filesDone: 0, bytes, bytesDone: 0, hits: 0 });
      const hits = pattern.substring === "nothing" ? 0 : 5;
      expect(reported.at(-1)).toEqual({ files: 5, filesDone: 5, bytes, bytesDone: bytes, hits });
      const done = reported.map(({ bytesDone }) => bytesDone);
      expect(done).toEqual(done.toSorted((a, b) => a - b));
    }
  });
});

describe("an aborted scan", () => {
  const many = () =>
    Array.from({ length: 30 }, (_, n) => session({ id: `s${n}` }).user("needle ".repeat(20_000)));

  test("rejects with the signal's reason, before it begins and between hits", async () => {
    const scanned = await createScanned(...many());
    const reason = new Error("enough");
    await expect(
      scanAll(scanned, { substring: "needle" }, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    const controller = new AbortController();
    const running = scan(scanned, { substring: "needle" }, { signal: controller.signal });
    expect((await running.next()).done).toBe(false);
    controller.abort(reason);
    await expect(running.next()).rejects.toBe(reason);
  });

  test("yields to the event loop, so that it can be aborted", async () => {
    const scanned = await createScanned(...many());
    const controller = new AbortController();
    // Each letter is a counted match: work for many pauses.
    const begin = () => scan(scanned, { regex: "[a-z]" }, { signal: controller.signal });
    let running = begin();
    await running.next(); // from here on only pauses yield to the event loop
    let turns = 0;
    const turn = () => {
      if (++turns === 3) controller.abort(new Error("enough"));
      else setImmediate(turn);
    };
    setImmediate(turn);
    const rest = async () => {
      while (!(await running.next()).done);
    };
    // A fast machine may finish before the third pause: then try once more.
    const again = async () => {
      for (let times = 0; times < 20; times++, running = begin()) await rest();
    };
    await expect(again()).rejects.toThrow("enough");
    expect(turns).toBe(3);
  });

  test("closes its files, as does an abandoned one", async () => {
    const scanned = await createScanned(...many());
    const lowestFree = () => {
      const fd = openSync(scanned.paths[0] as string, "r");
      closeSync(fd);
      return fd;
    };
    const before = lowestFree();
    for await (const hit of scan(scanned, { substring: "needle" })) {
      expect(hit.matchCount).toBe(MAX_COUNTED_MATCHES);
      expect(lowestFree()).toBeGreaterThan(before);
      break;
    }
    expect(lowestFree()).toBe(before);
  });
});

describe("a file that changed since it was indexed", () => {
  const talk = () => session({ id: "changed" }).user("needle one").assistant("needle two");
  const other = () => session({ id: "other", timestamp: "2020-01-01T00:00:00.000Z" }).user("needle three");

  test("is scanned up to its indexed end if it only grew", async () => {
    const scanned = await createScanned(talk(), other());
    appendFileSync(scanned.paths[0] as string, `${talk().user("needle four").lines.at(-1)}\n`);
    const { hits, changedFiles } = await scanAll(scanned, { substring: "needle" });
    expect(linesOf(hits)).toEqual([2, 3, 2]);
    expect(changedFiles).toEqual([]);
  });

  test.each<[string, (path: string) => void]>([
    ["was rewritten", (path) => writeFileSync(path, talk().text().replace("needle one", "hay"))],
    ["was cut short", (path) => writeFileSync(path, talk().text().slice(0, 300))],
    ["is gone", (path) => rmSync(path)],
    [
      "is a folder",
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])("and %s is reported, and the others are scanned", async (_, change) => {
    const scanned = await createScanned(talk(), other());
    change(scanned.paths[0] as string);
    for (const pattern of [{ substring: "needle" }, { regex: "[n]eedle" }]) {
      const { hits, changedFiles } = await scanAll(scanned, pattern);
      expect(hits.map(({ row }) => row.path)).toEqual([scanned.paths[1]]);
      expect(changedFiles).toEqual([scanned.paths[0]]);
    }
  });
});

test("a line too long to read is skipped, and its neighbors are found", async () => {
  const talk = session().user("needle one");
  const long = session({ id: "long" })
    .user("LONG")
    .lines.at(-1)
    ?.replace("LONG", "needle ".repeat(MAX_LINE_BYTES / 6));
  expect(long?.length).toBeGreaterThan(MAX_LINE_BYTES + LONG_LINE_HEAD_BYTES);
  const scanned = await createScanned(talk.raw(long ?? "").user("needle two"));
  for (const options of [{}, entriesThat()]) {
    const { hits, changedFiles } = await scanAll(scanned, { substring: "needle" }, options);
    expect({ lines: linesOf(hits), changedFiles }).toEqual({ lines: [2, 4], changedFiles: [] });
  }
});

describe("a snippet", () => {
  test("has the match in its middle, on one line, without split characters", async () => {
    const family = "👩‍👩‍👧‍👦";
    const text = `${family.repeat(30)}\n\tfind\n  me\t${family.repeat(30)}`;
    const { hits } = await scanAll(await createScanned(session().user(text)), { substring: "find\n  me" });
    const shown = hits[0]?.snippet.text ?? "";
    expect(hits.map(marked)).toEqual([["find me"]]);
    expect(shown.replaceAll(family, "F")).toMatch(/^…F+ find me F+…$/);
    expect(shown.length).toBeLessThan(220);
  });

  test("highlights each match once if two share a space", async () => {
    const scanned = await createScanned(session().user("a  b \n x"));
    const { hits } = await scanAll(scanned, { regex: "\\s" });
    expect(hits).toMatchObject([
      {
        matchCount: 5,
        snippet: {
          text: "a b x",
          ranges: [
            [1, 2],
            [3, 4],
          ],
        },
      },
    ]);
  });

  test("is trimmed, unless the white space matched", async () => {
    const scanned = await createScanned(session().user(" \n one two \n "));
    const shown = async (regex: string) => (await scanAll(scanned, { regex })).hits[0]?.snippet.text;
    expect(await shown("one")).toBe("one two");
    expect(await shown("\\s+one")).toBe(" one two");
    expect(await shown("two\\s+")).toBe("one two ");
  });

  test("shows the beginning of a match longer than itself", async () => {
    const text = `before ${"x".repeat(1_000)} after`;
    const { hits } = await scanAll(await createScanned(session().user(text)), { regex: "x+" });
    const [shown] = hits.map(marked);
    expect(shown?.[0]).toMatch(/^x{100,}$/);
    expect(hits[0]?.snippet.text).toMatch(/^before x+…$/);
  });
});
