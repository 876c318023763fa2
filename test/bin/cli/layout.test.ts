import { join } from "node:path";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import type { Io } from "../../../bin/cli/io.ts";
import { ProgressBar } from "../../../bin/cli/progress.ts";
import { formatBytes } from "../../../bin/format/bytes.ts";
import { escapeJson, toOneLine, toSafe } from "../../../bin/format/safe.ts";
import { pad, truncate, truncateStart } from "../../../bin/format/text.ts";
import { formatRelativeTime } from "../../../bin/format/times.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { linesOf, PI, pidexAt } from "../cli.ts";

const TEXTS = [
  "plain text",
  "本棚の並び順がおかしい",
  "a👩‍👩‍👧b🧺🧺c",
  "e\u0301e\u0301e\u0301",
  "",
  "mixed 混ぜ🧺 text",
];

describe("cut", () => {
  test.each(TEXTS)("%j never exceeds the columns", (text) => {
    for (let columns = 0; columns < 30; columns++) {
      for (const shown of [truncate(text, columns), truncateStart(text, Math.max(1, columns))]) {
        expect(stringWidth(shown)).toBeLessThanOrEqual(Math.max(columns, 1));
      }
      const fits = stringWidth(text) <= columns;
      if (fits) expect(truncate(text, columns)).toBe(text);
      else if (columns > 0) expect(truncate(text, columns)).toMatch(/…$/);
    }
  });
  test.each(TEXTS)("%j is padded by its width on a terminal", (text) => {
    expect(stringWidth(pad(text, 40))).toBe(40);
    expect(stringWidth(pad(text, 40, "left"))).toBe(40);
  });
  test("a letter with ten thousand accents is cut too", () => {
    expect(truncate(`a${"\u0301".repeat(10_000)}`, 10).length).toBeLessThan(200);
  });
});

describe("safe", () => {
  test("shows control characters as symbols", () => {
    expect(toSafe("\x1b[31m\x9b\u202e\r\x00\x7f")).toBe("␛[31m<9b><202e>␍␀␡");
    expect(toSafe("tab\tline\r\nline")).toBe("tab\tline\nline");
    expect(toOneLine("  a\r\n\tb \u2028c ")).toBe("a b c");
  });
  test("keeps the values of JSON", () => {
    const text = '\x1b\x9b\x7f\u202e\u2028\ud800 书 🧺 \\u0041 "quoted"';
    expect(JSON.parse(escapeJson(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
  });
});

describe.each([30, 40, 60, 80, 120])("on %i columns", (columns) => {
  test("no line of a table, a tree or a search is longer", async () => {
    const run = pidexAt(PI, temporaryFolder());
    const commands = [
      "list",
      "labels",
      "search total",
      "search 书",
      "search a*",
      "tree 019bd693 --all",
      "tree 019c1d5e",
    ];
    for (const command of commands) {
      const { out } = await run(command.split(" "), { columns });
      expect(out).not.toBe("");
      for (const line of linesOf(out))
        expect(stringWidth(line), `${command}: ${line}`).toBeLessThanOrEqual(columns);
    }
  });

  test("an endlessly branching tree fits the terminal", async () => {
    const folder = temporaryFolder();
    const deep = session({ cwd: "/p" }).user("root");
    for (let n = 0; n < 80; n++) {
      const fork = deep.lastId;
      deep.user(`left ${n}`).branch(fork).user(`right ${n}`);
    }
    deep.writeUnder(join(folder, "root"));
    const { out } = await pidexAt(join(folder, "root"), folder)(["tree", "@last"], { columns });
    expect(linesOf(out)).toHaveLength(161);
    for (const line of linesOf(out)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });
});

test("columns are aligned under their headings, also with wide characters", async () => {
  const { out } = await pidexAt(PI, temporaryFolder())(["list"], { columns: 100 });
  const [heading = "", ...rows] = linesOf(out);
  const at = stringWidth(heading.slice(0, heading.indexOf("TITLE")));
  const starts = rows.map((row) => {
    let before = "";
    for (const character of row) {
      if (stringWidth(before) >= at) break;
      before += character;
    }
    return [stringWidth(before), before.endsWith("  "), row.slice(before.length)[0] !== " "];
  });
  expect(rows.length).toBeGreaterThan(10);
  for (const start of starts) expect(start).toEqual([at, expect.any(Boolean), true]);
});

describe("the progress bar", () => {
  const barOn = (columns: number, showsProgress = true) => {
    const written: string[] = [];
    const io = { err: (text: string) => void written.push(text), columns, showsProgress } as Io;
    let now = 0;
    const bar = new ProgressBar(io, "Indexing", () => now);
    return { bar, written, pass: (ms: number) => (now += ms) };
  };
  const half = { filesDone: 500, filesTotal: 1000, bytesDone: 5e8, bytesTotal: 1e9 };

  test.each([30, 60, 100])("fits %i columns and is removed completely", (columns) => {
    const { bar, written, pass } = barOn(columns);
    pass(499);
    bar.update(half);
    expect(written).toEqual([]); // work of less than half a second shows no bar
    pass(1);
    bar.update(half);
    bar.clear();
    bar.clear();
    expect(written).toHaveLength(2);
    expect(stringWidth((written[0] as string).replace("\r\x1b[K", ""))).toBeLessThan(columns);
    if (columns > 30) expect(written[0]).toContain(" 50% ");
    expect(written[1]).toBe("\r\x1b[K");
  });

  test("shows how long the rest takes, after five seconds", () => {
    const { bar, written, pass } = barOn(100);
    pass(4000);
    bar.update(half);
    pass(6000);
    bar.update(half);
    bar.update(half, "Comparing");
    expect(written.map((line) => /, (\w+) left$/.exec(line)?.[1])).toEqual([undefined, "10s", undefined]);
  });

  test("counts the files of the whole index, if known", () => {
    const { bar, written, pass } = barOn(100);
    pass(500);
    bar.update({ ...half, index: { files: 2000, indexed: 1500 } });
    expect(written[0]).toContain("1500/2000 files, 1.0 GB");
  });

  test("counts sessions, for work without a known size", () => {
    const { bar, written, pass } = barOn(100);
    pass(500);
    bar.updateSessions(3, 12);
    expect(written[0]).toMatch(/ 25% {2}3\/12 sessions$/);
  });

  test("is not drawn if stderr is not a terminal", () => {
    const { bar, written, pass } = barOn(80, false);
    pass(500);
    bar.update(half);
    bar.clear();
    expect(written).toEqual([]);
  });
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 KB"],
  [99_940, "99.9 KB"],
  [99_960, "100 KB"],
  [999_499, "999 KB"],
  [999_500, "1.0 MB"],
  [3.3e9, "3.3 GB"],
])("%i bytes are %s", (count, written) => expect(formatBytes(count)).toBe(written));

test.each([
  [0, "now"],
  [59 * 60_000, "59m ago"],
  [3_600_000, "1h ago"],
  [6.9 * 86_400_000, "6d ago"],
  [Number.NaN, "?"],
])("%i ms ago is %s", (age, written) => expect(formatRelativeTime(new Date(1e12 - age), 1e12)).toBe(written));
