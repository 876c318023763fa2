/** Lists while a first index of many sessions is made. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { linesOf, pidexAt } from "../cli.ts";

/** So many that the rest would take long. */
const COUNT = 2_100;

/** A root with sessions of a minute each, the last one the newest. The one before it is a fork of the first. */
function manySessions(): string {
  const folder = join(temporaryFolder(), "sessions", "--home-ada-shop--");
  mkdirSync(folder, { recursive: true });
  const pathOf = (n: number) => join(folder, `${n}.jsonl`);
  for (let n = 0; n < COUNT; n++) {
    const time = new Date(Date.UTC(2026, 0, 1, 0, n));
    const parent = n === COUNT - 2 ? { parentSession: pathOf(0) } : {};
    const talk = session({ id: `id${n}`, cwd: "/home/ada/shop", timestamp: time.toISOString(), ...parent })
      .user(`Question ${n}`)
      .assistant("Yes.", { usage: { input: 1, output: 1, cost: { total: 1 } } });
    writeFileSync(pathOf(n), talk.text());
    utimesSync(pathOf(n), time, time);
  }
  return join(folder, "..");
}

test("on a terminal, the newest sessions are listed before the others are read, once, with costs that will not change", async () => {
  const root = manySessions();
  const run = pidexAt(root, temporaryFolder());
  const { out, err, exit } = await run(["list", "-n", "10"], { columns: 120 });
  expect(exit).toBe(0);
  const rows = linesOf(out);
  expect(rows).toHaveLength(11);
  expect(rows[1]).toMatch(/\$1\.00 .*Question 2099/);
  expect(rows[2]).toMatch(/Question 2098/);
  expect(rows[2]).not.toMatch(/\$/);
  expect(err).toBe("… older sessions are being read\nnote: all 2100 session files are indexed now\n");

  const later = await run(["list", "-n", "10"], { columns: 120 });
  expect(later.err).toBe("… 2,090 more of 2,100 (--all or -n to show more)\n");
  expect(linesOf(later.out).map((row) => row.slice(0, 12))).toEqual(rows.map((row) => row.slice(0, 12)));
});

test.each([
  [["list", "-n", "10"], undefined],
  [["list", "-n", "10", "--json"], 120],
  [["list", "-n", "10", "--oldest"], 120],
  [["list", "-n", "10", "--project", "shop"], 120],
])("%j with %s columns waits for all sessions", async (argv, columns) => {
  const { err, exit } = await pidexAt(manySessions(), temporaryFolder())(argv, columns ? { columns } : {});
  expect(exit).toBe(0);
  expect(err).not.toContain("are being read");
});
