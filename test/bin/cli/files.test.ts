import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { session } from "../../../fixtures/builder.ts";
import { FileTouchesJson } from "../../../query/answers.ts";
import { JSON_SCHEMA_VERSION } from "../../../query/json-version.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, linesOf, PI, pidexAt, plainSessions, strict } from "../cli.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-cli-"));
const run = pidexAt(PI, folder);

beforeAll(async () => void (await run(["index"])));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("in a pipe, one line per touch: location, entry, action, time, touched path", async () => {
  const { out, err, exit } = await run(["files", "checkout.ts", "--touches", "99", "-n", "99"]);
  expect([exit, err]).toEqual([0, ""]);
  const expected = new Map<string, string>();
  const byBegin = plainSessions(PI).sort((a, b) => (a.header.timestamp < b.header.timestamp ? -1 : 1));
  for (const { path, header, entries } of byBegin) {
    for (const [n, { id, timestamp, message }] of entries.entries()) {
      const blocks = Array.isArray(message?.content) ? message.content : [];
      const call = blocks.find((block: { arguments?: { path?: string } }) =>
        block.arguments?.path?.endsWith("checkout.ts"),
      );
      // Of copies in forks, the first counts.
      if (!call || expected.has(id)) continue;
      const file = `${header.cwd}/${call.arguments.path}`;
      expected.set(id, [`${path}:${n + 2}`, id, call.name, timestamp, file].join("\t"));
    }
  }
  expect(expected.size).toBeGreaterThan(1);
  const lines = linesOf(out);
  expect(lines).toEqual(expect.arrayContaining([...expected.values()]));
  // Shell commands contain the name too.
  for (const cells of cellsOf(out)) {
    expect(cells).toHaveLength(5);
    expect(cells[4]).toMatch(/\/checkout\.ts$/);
  }
  expect(new Set(lines).size).toBe(lines.length);
});

test("--json and --ndjson have the cost of sessions if it is named", async () => {
  const spent = JSON.parse((await run(["list", "--all", "--json", "id,costUsd"])).out).sessions;
  const costs = new Map(spent.map(({ id, costUsd }: { id: string; costUsd: number }) => [id, costUsd]));
  const { sessions } = JSON.parse((await run(["files", "checkout.ts", "--json", "id,costUsd,cost"])).out);
  expect(sessions.length).toBeGreaterThan(0);
  for (const { id, costUsd, cost } of sessions) {
    expect(costUsd).toBeGreaterThan(0);
    expect([costUsd, cost]).toEqual([costs.get(id) ?? costUsd, costUsd]);
  }
  const [line = ""] = linesOf((await run(["files", "checkout.ts", "--ndjson", "id,touchCount"])).out);
  expect(Object.keys(JSON.parse(line))).toEqual(["schema", "id", "touchCount"]);
});

test("on a terminal, touches are grouped by session, with paths relative to its folder", async () => {
  const root = temporaryFolder();
  const talk = session({ id: "till", cwd: "/home/ada/shop", timestamp: "2026-01-05T09:00:00.000Z" })
    .user("Round the tax.")
    .tool("read", { path: "src/tax.ts" }, "…")
    .tool("edit", { path: "src/tax.ts" }, "No such text.", { isError: true })
    .tool("read", { path: "/elsewhere/tax.ts" }, "…");
  talk.writeUnder(root);
  const at = pidexAt(root, temporaryFolder());
  const shown = linesOf((await at(["files", "tax.ts", "--touches", "2"], { columns: 80 })).out);
  expect(shown[0]).toMatch(/^Round the tax\. {2}shop · .* · till$/);
  expect(shown.slice(1)).toEqual([
    expect.stringMatching(/^ {2}2026-01-05 \d\d:\d\d read {3}\/elsewhere\/tax\.ts {2}entry [0-9a-f]{8}$/),
    expect.stringMatching(/^ {2}2026-01-05 \d\d:\d\d edit {3}src\/tax\.ts {2}entry [0-9a-f]{8}, failed$/),
    "  … 3 in total: 2 read, 1 edit",
  ]);
});

test("no line is longer than the terminal is wide", async () => {
  for (const columns of [40, 60, 100]) {
    const { out } = await run(["files", "*", "-n", "99", "--touches", "99"], { columns });
    for (const line of linesOf(out)) expect(line.length, line).toBeLessThanOrEqual(columns);
  }
});

test("prints the number of further sessions on stderr, and continues from a cursor", async () => {
  const { err } = await run(["files", "*.ts", "-n", "1"], { columns: 80 });
  const all = JSON.parse((await run(["files", "*.ts", "-n", "99", "--json"])).out);
  expect(err).toContain(`… ${all.total - 1} more sessions (-n to show more)`);
  const first = JSON.parse((await run(["files", "*.ts", "-n", "1", "--json"])).out);
  const rest = JSON.parse((await run(["files", "*.ts", "-n", "99", "--cursor", first.next, "--json"])).out);
  expect([...first.sessions, ...rest.sessions]).toEqual(all.sessions);
});

test("shows the session that started a subagent", async () => {
  const { out } = await run(["files", "confirm.ts", "--subagents", "only"], { columns: 400 });
  expect(linesOf(out)[1]).toMatch(/^subagent, started by \/.*\.jsonl$/);
  const without = await run(["files", "confirm.ts", "--subagents", "no"], { columns: 80 });
  expect(without.out).not.toContain("subagent,");
});

test("exits with 3 if nothing was found, with 2 on a usage error", async () => {
  const none = await run(["files", "nosuch.file"]);
  expect(none).toEqual({ exit: 3, out: "", err: "no sessions touched nosuch.file\n" });
  const wrong = [
    ["files"],
    ["files", ""],
    ["files", "a", "b"],
    ["files", "a", "--action", "look"],
    ["files", "a", "--action", ""],
    ["files", "a", "--touches", "0"],
    ["files", "a", "--cursor", "x"],
    ["files", `${"*".repeat(2000)}`],
  ];
  for (const argv of wrong) expect([argv, (await run(argv)).exit]).toEqual([argv, 2]);
});

test("--action takes a list", async () => {
  const { out } = await run(["files", "*", "--action", "edit,write", "-n", "99", "--touches", "99"]);
  expect(new Set(cellsOf(out).map((cells) => cells[2]))).toEqual(new Set(["edit", "write"]));
});

describe("JSON", () => {
  const schema = z.literal(JSON_SCHEMA_VERSION);

  test("matches its documentation exactly, as one object or one line per session", async () => {
    const whole = strict(
      z.object({
        schema,
        total: z.int(),
        touchCount: z.int(),
        next: z.string().optional(),
        sessions: z.array(FileTouchesJson),
      }),
    );
    const { out } = await run(["files", "src/", "--json"]);
    const { sessions, touchCount } = whole.parse(JSON.parse(out)) as {
      sessions: unknown[];
      touchCount: number;
    };
    expect(touchCount).toBeGreaterThan(5);
    const lines = linesOf((await run(["files", "src/", "--ndjson"])).out).map((line) => JSON.parse(line));
    expect(lines).toEqual(sessions.map((each) => ({ schema: JSON_SCHEMA_VERSION, ...(each as object) })));
    whole.parse(JSON.parse((await run(["files", "nosuch", "--json"])).out));
  });
});

test("control characters are shown as symbols on every surface", async () => {
  const evil = "\x1b]0;pwn\x07\x9b2J\u202e\t\n\u2028";
  const root = temporaryFolder();
  session({ id: `i${evil}`, cwd: `/c${evil}` })
    .user(`hello ${evil}`)
    .tool("read", { path: `src/${evil}/tax.ts` }, "…")
    .tool("edit", { path: `/x${evil}/tax.ts` }, "…", { isError: true })
    .write(join(root, "p", "x.jsonl"));
  const at = pidexAt(root, temporaryFolder());
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const forbidden = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/;
  for (const argv of [["tax.ts"], ["tax.ts", "--json"], ["tax.ts", "--ndjson"], [`no${evil}`]]) {
    for (const surface of [{}, { columns: 30 }, { columns: 120 }]) {
      const { out, err } = await at(["files", ...argv], surface);
      expect(out + err).not.toBe("");
      expect(forbidden.exec(out + err)).toBeNull();
    }
  }
  const rows = cellsOf((await at(["files", "tax.ts"])).out);
  expect(rows.map((cells) => cells.length)).toEqual([5, 5]);
});
