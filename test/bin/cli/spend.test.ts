import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import stringWidth from "string-width";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatDollars } from "../../../bin/format/numbers.ts";
import { session } from "../../../fixtures/builder.ts";
import { cellsOf, linesOf, pidexAt } from "../cli.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-cli-"));
const root = join(folder, "root");
const run = pidexAt(root, folder);
const cost = (total: number) => ({ usage: { input: 10, output: 5, cacheRead: 85, cost: { total } } });

let [parent, child, fork] = ["", "", ""];
beforeAll(async () => {
  const talk = session({ id: "talk", cwd: "/p/shop" })
    .user("Fix the till.")
    .tool("read", { path: "a.ts" }, "No such file.", { isError: true })
    .assistant("Half done.", cost(1))
    .assistant("Done.", { ...cost(2), model: "claude-opus-4-5" });
  parent = talk.writeUnder(root);
  const later = { timestamp: "2026-01-06T09:00:00.000Z", cwd: "/p/shop" };
  fork = talk
    .fork({ ...later, id: "fork", parentSession: parent })
    .user("And now?")
    .assistant("More.", cost(4))
    .writeUnder(root);
  child = session({ id: "scout", cwd: "/p/shop", timestamp: "2026-01-05T09:01:00.000Z" })
    .user("Look around.")
    .assistant("Seen.", cost(8))
    .write(join(parent.replace(/\.jsonl$/, ""), "run-0", "scout.jsonl"));
  await run(["index"]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Usage of the builder's `tool`. */
const CALL = 0.0006;

test("in a pipe, each part has its figures and its session", async () => {
  const part = (cells: string[][]) => cells.map((row) => row.slice(0, 3));
  const cells = cellsOf((await run(["spend", "talk"])).out);
  expect(part(cells).slice(0, 7)).toEqual([
    ["own", parent, String(3 + CALL)],
    ["subagent", child, "8"],
    ["withSubagents", "", String(11 + CALL)],
    ["fork", fork, "4"],
    ["withChildren", "", String(15 + CALL)],
    ["inherited", "", "0"],
    ["model", "anthropic/claude-sonnet-4-5", String(9 + CALL)],
  ]);
  const ofFork = part(cellsOf((await run(["spend", "fork"])).out));
  expect(ofFork).toContainEqual(["own", fork, "4"]);
  expect(ofFork).toContainEqual(["inherited", "", String(3 + CALL)]);
  expect(ofFork).toContainEqual(["inheritedFrom", parent, String(3 + CALL)]);
  const [header = "", ...csv] = (await run(["spend", "talk", "--csv"])).out.split("\r\n").slice(0, -1);
  expect(header).toMatch(/^part,name,costUsd,messages,input,output,/);
  expect(csv.map((line) => line.split(",").length)).toEqual(cells.map((row) => row.length));
});

test("on a terminal, parts and breakdowns are shown", async () => {
  const { out } = await run(["spend", "talk"], { columns: 120 });
  const lines = linesOf(out);
  const cost = (label: string) => lines.find((line) => line.startsWith(label))?.match(/\$[\d.]+/)?.[0];
  expect(lines[0]).toMatch(/^Fix the till\. .* talk$/);
  expect(cost("own")).toBe("$3.00");
  expect(cost("subagent scout Look around.")).toBe("$8.00");
  expect(cost("with subagents")).toBe("$11.00");
  expect(cost("fork fork Fix the till.")).toBe("$4.00");
  expect(cost("with subagents and forks")).toBe("$15.00");
  expect(cost("anthropic/claude-opus-4-5")).toBe("$2.00");
  expect(out).toMatch(/\nTOOL +CALLS +FAILED +RATE +TIME +COST/);
  expect(out).toMatch(/\nread +1 +1 +100% +5s/);
  expect(out).toContain("stop reasons: 3 stop, 1 toolUse");
  const ofFork = await run(["spend", "fork"], { columns: 120 });
  expect(ofFork.out).toContain("Not included: 3 events inherited from earlier sessions, $3.00");
  expect(ofFork.out).toContain("  $3.00 by talk Fix the till.");
});

test("no line is longer than the terminal", async () => {
  for (const columns of [40, 80, 120]) {
    for (const name of ["talk", "fork"]) {
      for (const line of linesOf((await run(["spend", name], { columns })).out))
        expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  }
});

test("--explain adds up to the cost with subagents", async () => {
  const { spend } = JSON.parse((await run(["spend", "talk", "--json"])).out);
  const events = JSON.parse((await run(["spend", "talk", "--explain", "--json"])).out).events;
  const sum = events.reduce((total: number, each: { costNanoUsd: number }) => total + each.costNanoUsd, 0);
  expect(sum).toBe(spend.withSubagents.costNanoUsd);
  const { out } = await run(["spend", "talk", "--explain"], { columns: 80 });
  expect(linesOf(out).at(-1)).toContain(formatDollars(spend.withSubagents.costUsd));
});

test("an unknown session exits with 3, also with --explain", async () => {
  for (const flags of [[], ["--explain"], ["--explain", "--json"]])
    expect(await run(["spend", "nosuch", ...flags])).toMatchObject({ exit: 3, out: "" });
});
