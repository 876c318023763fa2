import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { MIN_NODE_VERSION, nodeVersionError } from "../../../src/node-version.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, HOME, isOwn, lastSaid, linesOf, PI, pidex, pidexAt, plainSessions } from "../cli.ts";

afterEach(() => vi.unstubAllEnvs());

const FLAT = join(HOME, "fixtures", "roots", "flat");
const ids = (root: string) =>
  plainSessions(root)
    .filter((each) => isOwn(root, each) || root === FLAT)
    .map(({ header }) => header.id)
    .sort();
const listed = (out: string) =>
  cellsOf(out)
    .map((cells) => cells[1])
    .sort();

describe("a usage error is exit 2, with the error on one line and hints below it, indented", () => {
  test.each([
    [["lst"], "unknown command 'lst' (did you mean list?)"],
    [["list", "--limt", "3"], "unknown option '--limt' (did you mean --limit?)"],
    [["list", "-n", "0"], "invalid --limit '0': it must be a positive integer"],
    [
      ["list", "--limit", "x"],
      "\n  -n, --limit <n>  Maximum number of sessions (default: $PIDEX_LIMIT or 50)",
    ],
    [["list", "--sort", "prce"], "invalid --sort 'prce' (did you mean cost?)\n  --sort <key>"],
    [["list", "--sort", "recent"], "(did you mean modified?)"],
    [["list", "--root", ""], "invalid --root '': it must not be empty"],
    [["tree", "@last", "--limit", "3"], "unknown option '--limit' (did you mean --tail?)"],
    [["tree", "@last", "-v"], "unknown option '-v' (did you mean pidex --version?)"],
    [["-v"], "unknown option '-v' (did you mean pidex --version?)"],
    [["usage", "--weekly"], "unknown option '--weekly' (did you mean pidex usage weekly?)"],
    [["search", "tax", "-n", "1001"], "from 1 to 1000"],
    [["list", "--sort", "color"], "modified, created, messages, cost, name, size"],
    [["list", "--since", "soon"], '"soon" is not a date'],
    [["list", "--json", "--ndjson"], "--json"],
    [["list", "--here", "--cwd", "/"], "--here"],
    [["list", "extra"], "too many arguments"],
    [["spend", "@last", "--json", "cost"], "@last, cost. --json of pidex spend takes no fields."],
    [["labels", "@last", "--json", "entry"], "@last, entry. For a field, write --json=entry."],
    [["stats", "--ndjson", "entries"], "--ndjson of pidex stats takes no fields."],
    [["search"], "the query is empty"],
    [["search", "--strict", "a", "(b"], '"(" has no matching ")" (at character 3 of the query)'],
    [["search", "--", "..."], "no letters or digits"],
    [["search", "--regex", "(a"], "missing closing"],
    [["search", "--regex", "a(?=b)"], "look"],
    [["search", "--substring", ""], "the pattern is empty"],
    [["search", "a", "--substring", "b", "--facets"], "--facets"],
    [["show"], "missing required argument 'session'"],
    [["completions", "tcsh"], "bash, zsh, fish"],
    [["list", "--cursor", "nonsense"], "cursor"],
    [["list", "--root", "/no/such/folder"], "/no/such/folder is not a folder"],
  ])("%j", async (argv, what) => {
    const here = argv.includes("--root") ? [] : ["--root", PI];
    const where =
      argv[0] === "completions" || argv[0] === "lst"
        ? []
        : [...here, "--db", join(temporaryFolder(), "i.db")];
    const [first = "", ...rest] = argv;
    const { exit, out, err } = await pidex([first, ...where, ...rest]);
    expect(exit).toBe(2);
    expect(out).toBe("");
    const lines = linesOf(err);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines[0]).toMatch(/^pidex: /);
    expect(err).toContain(what);
    expect(lines.slice(1).filter((line) => !/^ {2}/.test(line))).toEqual([]);
    expect(lines.at(-1)).toMatch(/^ {2}\S/);
  });
});

describe("--version", () => {
  test("prints package.json's", async () => {
    const { default: about } = await import("../../../package.json", { with: { type: "json" } });
    expect(await pidex(["--version"])).toEqual({ exit: 0, out: `${about.version}\n`, err: "" });
  });

  test.each(["18.20.0", "20.20.2", "22.21.9"])("Node %s is rejected with the required version", (version) => {
    expect(nodeVersionError(version)).toContain(MIN_NODE_VERSION);
  });
  test.each(["22.22.0", "24.0.0", "26.1.0"])("Node %s is accepted", (version) => {
    expect(nodeVersionError(version)).toBeUndefined();
  });
});

describe("roots and the index", () => {
  test("--root can be repeated", async () => {
    const db = join(temporaryFolder(), "index.db");
    const { out } = await pidex(["list", "--root", PI, "--root", FLAT, "--db", db]);
    expect(listed(out)).toEqual([...ids(PI), ...ids(FLAT)].sort());
    // The index still contains both sessions; the command asked for one.
    expect(listed((await pidex(["list", "--root", FLAT, "--db", db])).out)).toEqual(ids(FLAT));
  });

  test("a relative root is resolved", async () => {
    const db = join(temporaryFolder(), "index.db");
    const { out } = await pidex(["list", "--root", relative(process.cwd(), FLAT), "--db", db]);
    expect(listed(out)).toEqual(ids(FLAT));
  });

  test("PIDEX_ROOTS and PIDEX_DB replace missing flags; flags take precedence", async () => {
    const folder = temporaryFolder();
    vi.stubEnv("PIDEX_ROOTS", `${PI}:${FLAT}`);
    vi.stubEnv("PIDEX_DB", join(folder, "deep", "one.db"));
    expect(listed((await pidex(["list"])).out)).toEqual([...ids(PI), ...ids(FLAT)].sort());
    expect(existsSync(join(folder, "deep", "one.db"))).toBe(true);
    const { out } = await pidex(["list", "--root", FLAT, "--db", join(folder, "two.db")]);
    expect(listed(out)).toEqual(ids(FLAT));
    expect(existsSync(join(folder, "two.db"))).toBe(true);
  });

  test("an index that cannot be written exits with 1 and a hint", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    const { exit, err } = await pidex(["list", "--root", PI, "--db", join(folder, "file", "index.db")]);
    expect(exit).toBe(1);
    expect(linesOf(err)).toHaveLength(2);
    expect(err).toContain("--db");
    if (process.getuid?.() === 0) return; // root can write anywhere
    chmodSync(folder, 0o500);
    expect((await pidex(["list", "--root", PI, "--db", join(folder, "index.db")])).exit).toBe(1);
  });

  test("a root without sessions is reported", async () => {
    const root = temporaryFolder();
    const { exit, out, err } = await pidexAt(root, root)(["list"]);
    expect([exit, out]).toEqual([0, ""]);
    expect(err).toContain(`no session files in ${root}`);
  });

  test("a first use without sessions says what to do, and later ones in one line", async () => {
    const home = temporaryFolder();
    for (const [name, value] of Object.entries({
      ...{ HOME: home, XDG_CACHE_HOME: "", XDG_CONFIG_HOME: "", PIDEX_DB: join(home, "index.db") },
      ...{
        PI_CODING_AGENT_DIR: "",
        ATOMIC_CODING_AGENT_DIR: "",
        PI_CODING_AGENT_SESSION_DIR: "",
        TMPDIR: home,
      },
    })) {
      vi.stubEnv(name, value);
    }
    vi.stubEnv("PIDEX_ROOTS", undefined);
    const first = await pidex(["list"]);
    expect([first.exit, first.out]).toEqual([0, ""]);
    expect(first.err).toMatch(/^No session files found in:\n {2}~\/\.pi\/agent\/sessions\n/);
    expect(first.err).toMatch(/pidex demo\n.*PIDEX_ROOTS.*pidex config set roots/);
    const second = await pidex(["list"]);
    expect(linesOf(second.err)[0]).toMatch(/^note: no session files; .*pidex doctor.*pidex demo/);
    // Not followed by "No sessions match".
    expect(linesOf(second.err)).toHaveLength(1);
    expect(linesOf((await pidex(["search", "tax"])).err)).toEqual(linesOf(second.err));
  });

  test("--no-sync queries the index without updating it", async () => {
    const folder = temporaryFolder();
    const run = pidexAt(join(folder, "root"), folder);
    mkdirSync(join(folder, "root"));
    session().user("one").writeUnder(join(folder, "root"));
    expect((await run(["list", "--no-sync"])).out).toBe("");
    expect(linesOf((await run(["list"])).out)).toHaveLength(1);
    session({ timestamp: "2026-01-06T09:00:00.000Z" }).user("two").writeUnder(join(folder, "root"));
    expect(linesOf((await run(["list", "--no-sync"])).out)).toHaveLength(1);
    expect(linesOf((await run(["list"])).out)).toHaveLength(2);
  });
});

describe("a session can be specified by", () => {
  const wanted = plainSessions(PI).find(({ header }) => header.id.startsWith("019bb17b"));
  const path = wanted?.path ?? "";
  const id: string = wanted?.header.id;
  const found = async (name: string) => {
    const { exit, out } = await pidexAt(PI, temporaryFolder())(["tree", name, "--json"]);
    return exit === 0 ? JSON.parse(out).session.path : exit;
  };

  test("its path, absolute or relative", async () => {
    expect(await found(path)).toBe(path);
    expect(await found(relative(process.cwd(), path))).toBe(path);
  });
  test("its id or the start of it", async () => {
    expect(await found(id)).toBe(path);
    expect(await found("019bb17b")).toBe(path);
  });
  test("@last", async () => {
    const own = plainSessions(PI).filter((each) => isOwn(PI, each));
    expect(await found("@last")).toBe(own.sort((a, b) => lastSaid(b) - lastSaid(a))[0]?.path);
  });
  test("an unknown session exits with 3", async () => {
    for (const name of ["nosuch", "", "/no/such.jsonl", `${id}0`]) expect(await found(name)).toBe(3);
  });
  test("an ambiguous prefix exits with 2 and lists the sessions", async () => {
    const { exit, err } = await pidexAt(PI, temporaryFolder())(["show", "019b"]);
    expect(exit).toBe(2);
    const matching = plainSessions(PI).filter(({ header }) => header.id.startsWith("019b"));
    expect(err).toContain(`"019b" matches ${matching.length} sessions`);
    expect(linesOf(err).filter((line) => /^ {2}019b\w{4}-\w{4} +\d+d ago +\S+ +\S/.test(line))).toHaveLength(
      Math.min(10, matching.length),
    );
  });
  test("an id in two folders exits with 2", async () => {
    const root = temporaryFolder();
    for (const folder of ["a", "b"]) {
      mkdirSync(join(root, folder));
      copyFileSync(path, join(root, folder, "x.jsonl"));
    }
    expect((await pidexAt(root, root)(["show", id])).exit).toBe(2);
  });
  test("an unknown entry exits with 3", async () => {
    const run = pidexAt(PI, temporaryFolder());
    expect((await run(["show", id, "nosuch"])).exit).toBe(3);
    expect((await run(["show", id, "--leaf", "nosuch"])).exit).toBe(3);
  });
});

describe("pages and times", () => {
  test("--cursor walks through all pages, each session once", async () => {
    const run = pidexAt(PI, temporaryFolder());
    for (const order of [[], ["--oldest"], ["--sort", "messages"], ["--sort", "size", "--oldest"]]) {
      const whole = cellsOf((await run(["list", "--all", ...order])).out).map((cells) => cells[4]);
      const walked: string[] = [];
      let cursor: string[] = [];
      for (let pages = 0; pages < 99; pages++) {
        const { out } = await run(["list", "-n", "4", "--json", ...order, ...cursor]);
        const { sessions, total, next } = JSON.parse(out);
        expect(total).toBe(whole.length);
        walked.push(...sessions.map((each: { path: string }) => each.path));
        if (next === undefined) break;
        cursor = ["--cursor", next];
      }
      expect(walked).toEqual(whole);
    }
  });

  test.each([
    ["1h", [30]],
    ["90m", [30, 80]],
    ["2d", [30, 80, 1500]],
    ["1w", [30, 80, 1500, 9000]],
  ])("--since %s", async (since, minutes) => {
    const folder = temporaryFolder();
    for (const age of [30, 80, 1500, 9000, 99_999]) {
      const timestamp = new Date(Date.now() - age * 60_000).toISOString();
      session({ timestamp, id: `age-${age}`, step: 0 })
        .user("hello")
        .writeUnder(join(folder, "root"));
    }
    const run = pidexAt(join(folder, "root"), folder);
    const expected = minutes.map((age) => `age-${age}`).sort();
    expect(listed((await run(["list", "--since", since])).out)).toEqual(expected);
    expect(listed((await run(["list", "--until", since])).out)).toHaveLength(5 - expected.length);
    const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
    expect(listed((await run(["list", "--since", day])).out)).toHaveLength(4);
  });

  test("days, weeks and months begin at midnight, and --until excludes them", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "root");
    const at = (days: number, hour: number) => {
      const date = new Date();
      date.setDate(date.getDate() - days);
      date.setHours(hour, 30, 0, 0);
      return date.toISOString();
    };
    for (const [id, timestamp] of [
      ["evening", at(1, 23)],
      ["morning", at(1, 0)],
      ["before", at(2, 23)],
      ["night", at(0, 0)],
    ] as const) {
      session({ id, timestamp, step: 0 }).user("hello").writeUnder(root);
    }
    const run = pidexAt(root, folder);
    const yesterday = ["evening", "morning"];
    const list = async (...argv: string[]) => listed((await run(["list", ...argv])).out);
    expect(await list("--since", "yesterday", "--until", "today")).toEqual(yesterday);
    expect(await list("--until", "yesterday")).toEqual(["before"]);
    expect(await list("--since", "a year ago")).toHaveLength(4);
    for (const query of ["since:yesterday until:today", 'since:"yesterday" until:today hello']) {
      const { out } = await run(["search", "--json", ...query.split(" ")]);
      const found = JSON.parse(out).sessions.map((each: { session: { id: string } }) => each.session.id);
      expect(found.sort()).toEqual(yesterday);
    }
    for (const query of ["since:last-week", 'since:"last week"', "since:2-weeks-ago"]) {
      expect(JSON.parse((await run(["search", "--json", query])).out).sessions).toHaveLength(4);
    }
  });
});

test.each([
  ["list", "--root", ""],
  ["list", "--db", ""],
  ["list", "--cwd", ""],
  ["resume", "@last", "--agent", ""],
])("%s %s with an empty value is a usage error", async (...argv) => {
  const { exit, err } = await pidex(argv);
  expect(exit).toBe(2);
  expect(err).toContain(": it must not be empty\n");
});
