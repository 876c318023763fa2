import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { SettingJson } from "../../../bin/cli/config-answers.ts";
import { changeConfig } from "../../../bin/config/config-file.ts";
import { SETTINGS } from "../../../bin/config/settings.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, HOME, linesOf, PI, pidex, strict } from "../cli.ts";

let path: string;
const variables = Object.values(SETTINGS).map(({ env }) => env);
/** The variables that `applyConfig` sets are those of the process. */
let before: Record<string, string | undefined>;

beforeEach(() => {
  const folder = temporaryFolder();
  vi.stubEnv("PIDEX_CONFIG", folder);
  path = join(folder, "config.toml");
  before = Object.fromEntries(variables.map((name) => [name, process.env[name]]));
  for (const name of variables) delete process.env[name];
});
afterEach(() => {
  for (const name of variables) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  vi.unstubAllEnvs();
});

/** Runs a command as a new process would: with the variables as they were. */
async function run(argv: string[], env: Record<string, string> = {}, columns?: number) {
  for (const name of variables) delete process.env[name];
  Object.assign(process.env, env);
  return pidex(argv, columns === undefined ? {} : { columns });
}

const listed = async (env?: Record<string, string>) =>
  Object.fromEntries(
    cellsOf((await run(["config"], env)).out).map(([key = "", value, from]) => [key, [value, from] as const]),
  );

describe("values come from", () => {
  test("defaults, without a file, which is not created", async () => {
    const settings = await listed();
    expect(settings.limit).toEqual(["50", "default"]);
    expect(settings["picker.sort"]).toEqual(["threaded", "default"]);
    for (const [, from] of Object.values(settings)) expect(from).toBe("default");
    expect(existsSync(path)).toBe(false);
  });

  test("the file, else the environment", async () => {
    writeFileSync(path, 'limit = 3\nroots = ["~/a", "/b"]\n[picker]\nsort = "newest"\n[keys]\npin = []\n');
    const settings = await listed();
    expect(settings.limit).toEqual(["3", "file"]);
    expect(settings.roots).toEqual(["~/a, /b", "file"]);
    expect(settings["picker.sort"]).toEqual(["newest", "file"]);
    expect(settings["keys.pin"]).toEqual(["none", "file"]);
    expect((await listed({ PIDEX_LIMIT: "4" })).limit).toEqual(["4", "environment"]);
    expect((await run(["config", "get", "limit"], { PIDEX_LIMIT: "4" })).out).toBe("4\n");
  });

  test("as JSON and on a terminal too", async () => {
    const { out } = await run(["config", "--json"]);
    const answer = z.strictObject({
      schema: z.int(),
      path: z.string(),
      settings: z.array(strict(SettingJson)),
    });
    expect(answer.parse(JSON.parse(out)).path).toBe(path);
    const shown = linesOf((await run(["config"], {}, 80)).out);
    expect(shown[0]).toMatch(/^SETTING +VALUE +FROM +MEANING$/);
    expect(shown.at(-1)).toBe(path);
    expect(shown.filter((line) => line !== path && line.length > 80)).toEqual([]);
    expect((await run(["config", "path"])).out).toBe(`${path}\n`);
  });
});

test("a key shows one setting, and list lists all of them", async () => {
  writeFileSync(path, "limit = 3\n");
  expect((await run(["config", "limit"])).out).toBe("limit\t3\tfile\n");
  expect(cellsOf((await run(["config", "sort"])).out)[0]?.[0]).toBe("picker.sort");
  expect(linesOf((await run(["config", "limit"], {}, 80)).out)).toEqual([
    expect.stringMatching(/^SETTING +VALUE +FROM +MEANING$/),
    expect.stringMatching(/^limit +3 +file +number of sessions that list shows$/),
  ]);
  expect(JSON.parse((await run(["config", "limit", "--json"])).out).settings).toHaveLength(1);
  expect((await run(["config", "list"])).out).toBe((await run(["config"])).out);
  const mistyped = await run(["config", "lmit"]);
  expect([mistyped.exit, linesOf(mistyped.err)[0]]).toEqual([
    2,
    "pidex: unknown setting lmit; did you mean limit?",
  ]);
  const unknown = linesOf((await run(["config", "foo", "bar"])).err);
  expect(unknown[0]).toBe("pidex: unknown setting foo");
  expect(unknown.slice(1).join("")).toMatch(/^ {2}Settings are limit, .*time_zone, .*picker\.sort, /);
  const { exit, err } = await run(["config", "limit", "4"]);
  expect([exit, err]).toEqual([2, expect.stringContaining("pidex config set limit 4")]);
});

test("meanings are wrapped at the width of the terminal", async () => {
  const words = (text: string) => text.split(/\s+/).join(" ");
  for (const columns of [80, 120]) {
    const shown = (await run(["config"], {}, columns)).out;
    expect(shown).not.toContain("…");
    for (const line of linesOf(shown)) if (line !== path) expect(line.length).toBeLessThanOrEqual(columns);
    if (columns === 120) expect(words(shown)).toContain(SETTINGS.exclude?.about);
  }
});

describe("commands use the settings", () => {
  const sessions = async (argv: string[] = [], env: Record<string, string> = {}) =>
    linesOf((await run(["list", ...argv], env)).out).length;

  test("flags before the environment, the environment before the file", async () => {
    const db = join(dirname(path), "index.db");
    writeFileSync(path, `limit = 2\nroots = [${JSON.stringify(PI)}]\ndb = ${JSON.stringify(db)}\n`);
    expect(await sessions()).toBe(2);
    expect(existsSync(db)).toBe(true);
    expect(await sessions([], { PIDEX_LIMIT: "3" })).toBe(3);
    expect(await sessions(["-n", "4"], { PIDEX_LIMIT: "3" })).toBe(4);
    // Unlike -n, the variable doesn't conflict with --all, in either parser.
    expect(await sessions(["--all"], { PIDEX_LIMIT: "3" })).toBeGreaterThan(4);
    expect(await sessions(["--all", "--sort=name"], { PIDEX_LIMIT: "3" })).toBeGreaterThan(4);
    expect(await sessions([], { PIDEX_ROOTS: dirname(path) })).toBe(0);
    const { exit, err } = await run(["list"], { PIDEX_LIMIT: "x" });
    expect([exit, linesOf(err)[0]]).toEqual([2, expect.stringContaining("PIDEX_LIMIT")]);
  });

  test("budget, time zone and week start", async () => {
    const root = join(dirname(path), "root");
    session({ timestamp: "2026-01-31T23:30:00.000Z", id: "late" })
      .user("hello")
      .assistant("yes", { cost: 1 })
      .writeUnder(root);
    const where = `roots = [${JSON.stringify(root)}]\ndb = ${JSON.stringify(join(root, "i.db"))}\n`;
    writeFileSync(path, `${where}time_zone = "Europe/Berlin"\nweek_start = "sunday"\nbudget = "5/month"\n`);
    const { usage } = JSON.parse((await run(["usage", "weekly", "--json"])).out);
    expect(usage).toMatchObject({ timeZone: "Europe/Berlin", weekStart: "sunday", budget: { amountUsd: 5 } });
    expect(usage.rows[0].key.week).toBe("2026-02-01"); // a Sunday
    expect(linesOf((await run(["list", "--since", "2026-02-01"])).out)).toHaveLength(1);
    expect((await run(["usage", "--explain"])).exit).toBe(0);
  });
});

describe("invalid files", () => {
  test.each([
    ["lmit = 3", "line 1: unknown setting lmit; did you mean limit?"],
    ["\n\nlimit = 0", "line 3: limit must be an integer from 1 to 999999, not 0"],
    ['limit = "many"', 'line 1: limit must be an integer from 1 to 999999, not "many"'],
    ['time_zone = "Mars/Olympus"', "line 1: time_zone must be a time zone such as Europe/Berlin, or UTC"],
    ["roots = 5", "line 1: roots must be a list of folders, not 5"],
    ["hub = 1", "line 1: hub must be true or false, not 1"],
    ["limit = = 3", "line 1: invalid TOML"],
  ])("%j", async (text, message) => {
    writeFileSync(path, text);
    const { exit, err } = await run(["list"]);
    expect(exit).toBe(2);
    expect(linesOf(err)).toHaveLength(2);
    expect(err).toContain(`${path}, ${message}`);
    const shown = await run(["config"]);
    expect(shown.exit).toBe(0);
    expect(shown.err).toContain(message);
    expect((await run(["list", "--help"])).exit).toBe(0);
  });

  test("settings of the picker concern only the picker", async () => {
    writeFileSync(path, "[picker]\nsrot = 1\n");
    expect((await run(["list", "--root", PI, "--db", join(dirname(path), "i.db")])).exit).toBe(0);
    expect((await run(["config"])).err).toContain("unknown setting srot in [picker]; did you mean sort?");
  });
});

describe("set and unset", () => {
  test("change one line, and keep the others with their comments", async () => {
    const text = `# mine
limit = 3 # few
[picker]
sort = "newest"   # not threaded

# keys of the list
[keys]
pin = []
`;
    writeFileSync(path, text);
    expect((await run(["config", "set", "limit", "20"])).out).toBe(`limit = 20 in ${path}\n`);
    await run(["config", "set", "week_start", "sunday"]);
    await run(["config", "set", "picker.scope", "all"]);
    await run(["config", "set", "archived", "true"]); // a name that only the picker has
    expect(readFileSync(path, "utf8")).toBe(`# mine
limit = 20 # few
week_start = "sunday"

[picker]
archived = true
scope = "all"
sort = "newest"   # not threaded

# keys of the list
[keys]
pin = []
`);
    for (const key of ["week_start", "picker.scope", "picker.archived", "picker.sort"]) {
      expect((await run(["config", "unset", key])).out).toBe(`${key} is not set in ${path}\n`);
    }
    expect((await listed()).week_start).toEqual(["monday", "default"]);
  });

  test("create the file and tables", async () => {
    await run(["config", "set", "roots", "/a", "/b c"]);
    await run(["config", "set", "picker.sort", "newest"]);
    await run(["config", "set", "columns", "id,title"]);
    await run(["config", "set", "hub", "false"]);
    expect(readFileSync(path, "utf8")).toBe(
      'roots = ["/a", "/b c"]\ncolumns = ["id", "title"]\nhub = false\n\n[picker]\nsort = "newest"\n',
    );
  });

  test("the last setting of a table is removed with it, unless comments would lose their place", async () => {
    const unset = async (text: string) => {
      writeFileSync(path, text);
      expect((await run(["config", "unset", "picker.sort"])).exit).toBe(0);
      return readFileSync(path, "utf8");
    };
    expect(await unset('limit = 3\n\n[picker]\nsort = "newest"\n')).toBe("limit = 3\n");
    expect(await unset('[picker]\nsort = "newest"\n\n[keys]\npin = []\n')).toBe("[keys]\npin = []\n");
    expect(await unset('[picker]\nsort = "newest"\n')).toBe("");
    for (const [before, after] of [
      ["# mine\n[picker]\n", ""],
      ["[picker] # mine\n", ""],
      ["[picker]\n", "# scope\n"],
      ["[picker]\n", "scope = 'all'\n"],
    ]) {
      expect(await unset(`${before}sort = "newest"\n${after}`)).toBe(`${before}${after}`);
    }
  });

  test("refuse what is invalid, and change nothing", async () => {
    writeFileSync(path, 'roots = [\n  "/a",\n]\n');
    for (const [argv, message] of [
      [["set", "lmit", "3"], "unknown setting lmit; did you mean limit?"],
      [["set", "limit", "many"], 'limit must be an integer from 1 to 999999, not "many"'],
      [["set", "picker.sort", "best"], 'picker.sort must be one of threaded, newest, relevance, not "best"'],
      [["set", "limit"], "no value for limit"],
      [["set"], "no setting named"],
      [["get", "toString"], "unknown setting toString"],
      [["set", "roots", "/b"], `cannot change roots in ${path}, which is formatted in an unusual way`],
    ] as const) {
      const { exit, err } = await run(["config", ...argv]);
      expect([exit, linesOf(err)[0]]).toEqual([2, `pidex: ${message}`]);
    }
    expect(readFileSync(path, "utf8")).toBe('roots = [\n  "/a",\n]\n');
  });

  test("say which command sets them and which values are allowed", async () => {
    const hintOf = async (...argv: string[]) => linesOf((await run(["config", ...argv])).err)[1];
    expect(await hintOf("limit", "100")).toBe("  To change it: pidex config set limit 100");
    expect(await hintOf("limit", "abc")).toBe(
      "  To change it: pidex config set limit VALUE, where VALUE is an integer from 1 to 999999",
    );
    expect(await hintOf("set", "limit", "abc")).toBe(
      "  limit: number of sessions that list shows (default: 50). Nothing was changed.",
    );
  });

  test("a file that cannot be written is an error", async () => {
    mkdirSync(join(path, "sub"), { recursive: true });
    await expect(changeConfig(path, ["", "limit"], 3)).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
  });

  test("an invalid file is refused and left as it is", async () => {
    writeFileSync(path, "limit = = 3\n");
    for (const argv of [
      ["set", "limit", "4"],
      ["unset", "limit"],
    ]) {
      const { exit, err } = await run(["config", ...argv]);
      expect(exit).toBe(1);
      expect(err).toContain(`${path}, line 1: invalid TOML`);
      expect(err).toContain("Correct the file: pidex config edit.");
    }
    expect(readFileSync(path, "utf8")).toBe("limit = = 3\n");
    expect(readdirSync(dirname(path))).toEqual(["config.toml"]); // no lock, no temporary file
  });

  test("a link stays a link", async () => {
    const target = join(dirname(path), "dotfiles.toml");
    symlinkSync(target, path);
    expect((await run(["config", "set", "limit", "4"])).exit).toBe(0);
    expect(readlinkSync(path)).toBe(target);
    expect(readFileSync(target, "utf8")).toBe("limit = 4\n");
  });

  /** Each process changes a key of its own many times: a lost change leaves an old value. */
  const CHANGER = (name: string) => `
    import { changeConfig } from ${JSON.stringify(pathToFileURL(join(HOME, "bin/config/config-file.ts")).href)};
    for (let n = 1; n <= 30; n++) {
      for (let key = 1; key <= 3; key++) {
        await changeConfig(${JSON.stringify(path)}, ["${name}", "key" + key], n);
      }
    }
  `;

  test("two commands that change it at once lose nothing", async () => {
    const change = (name: string) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", CHANGER(name)]);
    await Promise.all([change("one"), change("other")]);
    const keys = { key1: 30, key2: 30, key3: 30 };
    expect(parse(readFileSync(path, "utf8"))).toEqual({ one: keys, other: keys });
    expect(readdirSync(dirname(path))).toEqual(["config.toml"]);
  });
});

test("edit opens the file in the editor and checks it", async () => {
  const append = (text: string) => `printf '${text}\\n' >>`;
  vi.stubEnv("VISUAL", append("limit = 7"));
  expect((await run(["config", "edit"])).exit).toBe(0);
  expect(readFileSync(path, "utf8")).toBe("limit = 7\n");
  vi.stubEnv("VISUAL", append("lmit = 7"));
  expect((await run(["config", "edit"])).err).toContain("line 2: unknown setting lmit");
  vi.stubEnv("VISUAL", "false");
  expect((await run(["config", "edit"])).err).toContain("the editor failed: false");
});

test("an agent that is resumed does not get the settings", async () => {
  const root = join(dirname(path), "root");
  session({ id: "till", cwd: dirname(path) })
    .user("hello")
    .writeUnder(root);
  writeFileSync(
    path,
    `roots = [${JSON.stringify(root)}]\ndb = ${JSON.stringify(join(root, "i.db"))}\nlimit = 7\n`,
  );
  const agent = join(dirname(path), "agent");
  writeFileSync(agent, `#!/bin/sh\necho "$PIDEX_ROOTS/$PIDEX_CONFIG/$PIDEX_LIMIT" > seen\n`, { mode: 0o755 });
  expect((await run(["resume", "till", "--run", "--agent", agent])).exit).toBe(0);
  expect(readFileSync(join(dirname(path), "seen"), "utf8")).toBe(`/${dirname(path)}/\n`);
});

test("~ is the home folder", () => {
  expect(SETTINGS.roots?.toText(["~/a", "/b", "~c"])).toBe(`${process.env.HOME || homedir()}/a:/b:~c`);
});
