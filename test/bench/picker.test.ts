import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { p95 } from "../../bench/distribution.ts";
import { generateRoot } from "../../bench/generate.ts";
import { PickerScreen } from "../../bench/picker-screen.ts";
import { PickerTerminal } from "../../bench/picker-terminal.ts";
import { syncOnce } from "../../bench/sync-once.ts";
import { temporaryFolder } from "../temporary.ts";

const FIRST = "\x1b[1;1H\x1b[1mpidex\x1b[22m  … 0\x1b[2;1H›   \x1b[3;1H───\x1b[4;1H   ";
const TYPED =
  "\x1b[?2026h\x1b[1;1H\x1b[2Kpidex  … 0\x1b]8;;\x07\x1b[2;1H\x1b[2K› 数 b \x1b[7m \x1b[27m  \x1b[2;7H\x1b[?25l\x1b[?2026l";
const FOUND = "\x1b[?2026h\x1b[1;1H\x1b[2Kpidex  1/3\x1b[4;1H\x1b[2K› one\x1b[2;7H\x1b[?2026l";

describe("the parsed output of the picker", () => {
  function frames(...chunks: string[]) {
    const screen = new PickerScreen(4);
    const seen: unknown[] = [];
    for (const chunk of chunks) {
      screen.write(chunk, () => {
        const { isPending, typed } = screen;
        seen.push([screen.text(1), typed, isPending]);
      });
    }
    return { screen, seen };
  }

  test("is its frames: whether a request is pending, and the typed text with its spaces", () => {
    const { screen, seen } = frames(FIRST, TYPED, FOUND);
    expect(seen).toEqual([
      ["pidex  … 0", undefined, true],
      ["pidex  … 0", "数 b ", true],
      ["pidex  1/3", "数 b ", false],
    ]);
    expect(screen.text(4)).toBe("› one");
  });

  test("is the same however the bytes are split", () => {
    const bytes = FIRST + TYPED + FOUND;
    const cuts = fc.array(fc.nat(bytes.length)).map((at) => [0, ...at.toSorted((a, b) => a - b)]);
    const whole = frames(bytes).seen;
    fc.assert(
      fc.property(cuts, (at) => {
        expect(frames(...at.map((from, n) => bytes.slice(from, at[n + 1]))).seen).toEqual(whole);
      }),
    );
  });
});

test("typing in a real picker measures the time of each key and the memory of the process", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const db = join(folder, "index.db");
  generateRoot(root, { seed: 1, profile: "small", files: 20 });
  await syncOnce(db, [root]);
  const script = join(import.meta.dirname, "../../bin/pidex.ts");
  const picker = new PickerTerminal({
    argv: [script, "pick", "--all", "--root", root, "--db", db],
    env: { XDG_CACHE_HOME: join(folder, "cache"), XDG_CONFIG_HOME: join(folder, "config") },
    cwd: folder,
    columns: 100,
    rows: 30,
  });
  onTestFinished(() => picker.kill());
  await picker.waitFor("an input line", ({ typed, isPending }) => typed === "" && !isPending);
  const keys = await picker.type("the 数", 0);
  expect(keys).toHaveLength(5);
  for (const { echoMs, resultsMs } of keys) expect(resultsMs).toBeGreaterThanOrEqual(echoMs);
  expect(picker.screen.typed).toBe("the 数");
  expect(picker.peakBytes()).toBeGreaterThan(10e6);
  await picker.clear();
  await expect(picker.type("abc", 0, () => false)).resolves.toEqual([]);
  const never = picker.waitFor("a miracle", () => false);
  const failure = expect(never).rejects.toThrow("never showed a miracle");
  await picker.quit();
  await failure;
});

test("the 95th percentile of a hundred numbers is the 95th", () => {
  expect(p95(Array.from({ length: 100 }, (_, n) => 100 - n))).toBe(95);
  expect(p95([7])).toBe(7);
});
