import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { session } from "../../../fixtures/builder.ts";
import { DiagnosisJson, FindingJson } from "../../../query/health/diagnosis.ts";
import { temporaryFolder } from "../../temporary.ts";
import { BROKEN, linesOf, pidexAt, strict } from "../cli.ts";

// The service of the user who runs the tests must not appear.
beforeEach(() => {
  vi.stubEnv("XDG_CONFIG_HOME", temporaryFolder());
  vi.stubEnv("HOME", temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** A private session with an index. */
async function createWorkspace(folder = temporaryFolder()) {
  const root = join(folder, "sessions");
  session({ cwd: "/home/ada/shop" }).user("hello").writeUnder(root);
  const run = pidexAt(root, folder);
  await run(["index"]);
  return { folder, root, run };
}

test("a healthy index takes less than a screen, and exits with 0", async () => {
  const { folder, root, run } = await createWorkspace();
  const { out, err, exit } = await run(["doctor"], { columns: 100 });
  expect([exit, err]).toEqual([0, ""]);
  expect(linesOf(out).length).toBeLessThan(24);
  for (const line of linesOf(out)) expect(line.length).toBeLessThanOrEqual(100);
  expect(out).toContain(
    `roots      ${root}: 1 file, ${statSync(join(root, ...tree(root))).size} B (--root)\n`,
  );
  expect(out).toContain(`database   ${join(folder, "index.db")} (--db): current\n`);
  expect(out).toContain("index      up to date; last change indexed ");
  expect(linesOf(out).at(-1)).toBe("no problems found");
});

/** The path components of the only session below a root. */
function tree(root: string): string[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.find((name) => name.endsWith(".jsonl"))?.split("/") ?? [];
}

test("findings are sorted by severity, each with a fix; an error exits with 1", async () => {
  const { folder, root, run } = await createWorkspace();
  chmodSync(join(folder, "index.db"), 0o644);
  writeFileSync(join(folder, "index.db.v1"), "x");
  const db = join(folder, "index.db");
  expect((await run(["doctor"])).exit).toBe(0);
  writeFileSync(db, "garbage ".repeat(1000));
  const { out, exit } = await run(["doctor"]);
  expect(exit).toBe(1);
  const findings = linesOf(out).filter((line) => /^(error|warning|info)/.test(line));
  expect(findings.map((line) => /\[(.*)\]$/.exec(line)?.[1])).toEqual([
    "database-broken",
    "database-open-to-others",
    "leftovers",
  ]);
  expect(out).toContain("         → pidex rebuild\n");
  expect(out).toContain(`         → chmod 600 ${db}\n`);
  expect(root).toBeDefined();
});

test("problems in config.toml are findings: errors if commands refuse to run, warnings if only the picker is concerned", async () => {
  const { run } = await createWorkspace();
  const config = temporaryFolder();
  vi.stubEnv("PIDEX_CONFIG", config);
  const path = join(config, "config.toml");
  const findings = async () => {
    const { out, exit } = await run(["doctor", "--json"]);
    const { diagnosis } = JSON.parse(out);
    const all = z.array(FindingJson).parse(diagnosis.findings);
    const ours = all.filter(({ code }) => code === "config-invalid");
    return { exit, ours: ours.map(({ level, message }) => [level, message]) };
  };
  expect(await findings()).toEqual({ exit: 0, ours: [] });
  writeFileSync(path, "[picker]\nsrot = 1\n");
  const unknown = `${path}, line 2: unknown setting srot in [picker]; did you mean sort?`;
  expect(await findings()).toEqual({ exit: 0, ours: [["warning", unknown]] });
  writeFileSync(path, "lmit = 1\n[picker]\nmouse = 1\n");
  expect(await findings()).toEqual({
    exit: 1,
    ours: [
      ["error", `${path}, line 1: unknown setting lmit; did you mean limit?`],
      ["warning", `${path}, line 3: mouse must be one of true, false, not a number`],
    ],
  });
  writeFileSync(path, "limit = =\n");
  const { ours, exit } = await findings();
  expect([exit, ours.map(([level]) => level)]).toEqual([1, ["error"]]);
  rmSync(path);
  mkdirSync(path);
  const { out } = await run(["doctor"]);
  expect(out).toContain("could not be read");
  expect(out).toContain("→ Correct the file: pidex config edit.");
});

test("--json prints the diagnosis, and --ndjson only the findings", async () => {
  const { folder } = await createWorkspace();
  const run = pidexAt(BROKEN, folder);
  await run(["index"]);
  const { schema, diagnosis } = JSON.parse((await run(["doctor", "--json"])).out);
  expect(schema).toBe(1);
  expect(strict(DiagnosisJson).safeParse(diagnosis).error).toBeUndefined();
  const lines = linesOf((await run(["doctor", "--ndjson"])).out).map((line) => JSON.parse(line));
  expect(lines).toEqual(diagnosis.findings.map((finding: object) => ({ schema: 1, ...finding })));
  for (const finding of diagnosis.findings) {
    expect(strict(FindingJson).safeParse(finding).error).toBeUndefined();
  }
  const { out } = await run(["doctor"]);
  for (const { code, count, first } of diagnosis.problems) {
    expect(out).toContain(`${count} ${code}\n`);
    expect(out).toContain(`:${first[0].line}, byte ${first[0].byteOffset}: `);
  }
});

test("control characters in file names are escaped for the terminal", async () => {
  const { folder, run } = await createWorkspace(join(temporaryFolder(), "a\x1b[31mb\u202ec"));
  rmSync(join(folder, "index.db"));
  mkdirSync(join(folder, "index.db"));
  for (const columns of [undefined, 80]) {
    const { out, exit } = await run(["doctor"], columns === undefined ? {} : { columns });
    expect(exit).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  }
});
