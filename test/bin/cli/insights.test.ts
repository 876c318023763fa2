import { join } from "node:path";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, linesOf, pidexAt } from "../cli.ts";

const JANUARY = ["insights", "--since", "2026-01-01", "--until", "2026-02-01", "--time-zone", "UTC"];

/** Two sessions in which `read` fails twice. */
async function createWorkspace() {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  const run = pidexAt(root, folder);
  const paths = ["05", "06"].map((day) => {
    const talk = session({ id: `shop${day}`, cwd: "/p/shop", timestamp: `2026-01-${day}T09:00:00.000Z` });
    talk.user("Fix *the* till.");
    for (let n = 0; n < 2; n++)
      talk.tool("read", { path: `${n}.ts` }, "No such file\u001b[2J", { isError: true });
    return talk.writeUnder(root);
  });
  await run(["index"]);
  return { run, paths };
}

test("in a pipe, a finding is a line whose places show accepts", async () => {
  const { run, paths } = await createWorkspace();
  const { out } = await run(JANUARY);
  const [errors] = cellsOf(out);
  expect(errors?.slice(0, 4)).toEqual(["repeated-errors", "read: No such file", "4", "2"]);
  const places = errors?.at(-1)?.split(" ") ?? [];
  expect(places).toEqual([`${paths[1]}:6`, `${paths[0]}:6`]);
  expect((await run(["show", places[0] as string])).out).toContain("No such file");
});

test("on a terminal, lines fit, and each finding has references that show accepts", async () => {
  const { run } = await createWorkspace();
  const { out } = await run(JANUARY, { columns: 80 });
  expect(linesOf(out).filter((line) => stringWidth(line) > 80)).toEqual([]);
  expect(out).toContain("read failed 4 times in 2 sessions: No such file");
  const failures = await run([...JANUARY, "--kind", "failures"], { columns: 80 });
  expect(failures.out).toContain("read failed 4 times (100% of 4) in 2 sessions");
  const [place = ""] = /shop06#\w+/.exec(out) ?? [];
  expect((await run(["show", place])).out).toContain("No such file");
});

test("JSON has everything, lines of JSON have findings, Markdown escapes session text", async () => {
  const { run } = await createWorkspace();
  const { insights } = JSON.parse((await run([...JANUARY, "--json"])).out);
  expect(insights).toMatchObject({ findingCount: 1, totals: { now: { sessions: 2, failedToolCalls: 4 } } });
  expect(linesOf((await run([...JANUARY, "--ndjson", "-n", "1"])).out)).toHaveLength(1);
  const { out } = await run([...JANUARY, "--markdown"]);
  expect(out).toContain("1. **read failed 4 times in 2 sessions: No such file**");
  expect(out).toContain("Fix \\*the\\* till.");
  expect(out).not.toContain("\u001b");
});

test("a period without sessions, and one that ends before it starts, are explained", async () => {
  const { run } = await createWorkspace();
  expect((await run(["insights", "--since", "2020-01-01", "--until", "2020-02-01"])).err).toContain(
    "no sessions in the period",
  );
  expect((await run(["insights", "--since", "2026-02-01", "--until", "2026-01-01"])).err).toContain(
    "since (2026-02-01) is after",
  );
});
