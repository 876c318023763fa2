import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PidexError } from "../../src/errors.ts";
import { configuredRoots } from "../../src/session/configured-roots.ts";
import {
  expandPath,
  findInnermostRoot,
  isInRoot,
  isSessionFileName,
  isSubagentPath,
  RootFinder,
  toProjectFolderName,
  toRoot,
  toRootLevel,
} from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";

describe("the folder of a project", () => {
  test.each([
    ["/home/ada/shop", "--home-ada-shop--"],
    ["/home/ada/shop/", "--home-ada-shop--"],
    ["/home/ada/./lib/../shop", "--home-ada-shop--"],
    ["/home/ada-shop", "--home-ada-shop--"],
    ["/srv/a:b\\c", "--srv-a-b-c--"],
    ["/home/ada/数据 库", "--home-ada-数据 库--"],
    ["/", "----"],
  ])("%s is %s", (cwd, folder) => {
    expect(toProjectFolderName(cwd)).toBe(folder);
  });

  test("is that of the resolved path", () => {
    expect(toProjectFolderName("shop")).toBe(toProjectFolderName(resolve("shop")));
    expect(toProjectFolderName("~/shop")).toBe(
      toProjectFolderName(join(process.env.HOME || homedir(), "shop")),
    );
  });
});

describe("a path", () => {
  test.each([
    ["~", "/home/ada"],
    ["~/x/../y", "/home/ada/y"],
    ["~ada/x", resolve("~ada/x")],
    ["file:///srv/a%20b", "/srv/a b"],
    ["/srv/x/", "/srv/x"],
    ["x", resolve("x")],
    ["", resolve("")],
  ])("%j is %j", (path, expanded) => {
    expect(expandPath(path, { HOME: "/home/ada" })).toBe(expanded);
  });

  test("that is a URL but not of a file is refused with a hint", () => {
    for (const url of ["file://host/x", "file:///a%2Fb", "file://%"]) {
      expect(() => expandPath(url)).toThrow(PidexError);
      expect(() => expandPath(url)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
    }
  });

  test("is a session's by its extension: dotfiles included, .JSONL not", () => {
    const names = ["a.jsonl", ".jsonl", ".b.jsonl", "a.JSONL", "a.jsonl.bak", "jsonl", "a.json"];
    expect(names.filter(isSessionFileName)).toEqual(["a.jsonl", ".jsonl", ".b.jsonl"]);
    const time = "2026-05-03T10-00-00.000Z";
    const openClaws = [
      "a.trajectory.jsonl",
      ...["reset", "deleted", "bak"].map((why) => `a.jsonl.${why}.${time}`),
    ];
    expect(openClaws.filter(isSessionFileName)).toEqual([`a.jsonl.reset.${time}`]);
  });
});

/** A home folder with `settings` as pi's global settings. The cwd changes to it, because project settings are read there. */
function makeHome(settings?: string): { HOME: string; TMPDIR: string } {
  const HOME = temporaryFolder();
  const before = process.cwd();
  process.chdir(HOME);
  onTestFinished(() => process.chdir(before));
  if (settings !== undefined) write(join(HOME, ".pi/agent/settings.json"), settings);
  return { HOME, TMPDIR: "/scratch" };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const foldersOf = (environment: Record<string, string | undefined>, notices: string[] = []) =>
  configuredRoots((notice) => notices.push(notice), environment).map(({ folder }) => folder);

describe("the default roots", () => {
  test("are pi's and Atomic's, and those of subagents in the temporary folder", () => {
    const environment = makeHome();
    const { HOME } = environment;
    expect(configuredRoots(undefined, environment)).toEqual([
      { folder: join(HOME, ".pi/agent/sessions"), prefix: join(HOME, ".pi/agent/sessions/") },
      { folder: join(HOME, ".atomic/agent/sessions"), prefix: join(HOME, ".atomic/agent/sessions/") },
      { folder: "/scratch", prefix: "/scratch/pi-subagent-session-" },
    ]);
  });

  test("follow the variables of pi and Atomic, with ~ and file://", () => {
    const environment = {
      ...makeHome(),
      PI_CODING_AGENT_DIR: "~/pi",
      ATOMIC_CODING_AGENT_DIR: "file:///srv/atomic",
      PI_CODING_AGENT_SESSION_DIR: "/srv/flat/",
      TMPDIR: "/scratch/",
    };
    const folders = [join(environment.HOME, "pi/sessions"), "/srv/atomic/sessions", "/srv/flat", "/scratch"];
    expect(foldersOf(environment)).toEqual(folders);
    expect(foldersOf({ ...environment, PI_CODING_AGENT_DIR: "" })[0]).toBe(
      join(environment.HOME, ".pi/agent/sessions"),
    );
  });

  test("include the sessionDir of pi's project and global settings", () => {
    const environment = makeHome('{"sessionDir":"~/global","theme":"dark"}');
    write(join(environment.HOME, ".pi/settings.json"), '{"sessionDir":"/srv/project"}');
    expect(foldersOf(environment)).toEqual(
      expect.arrayContaining(["/srv/project", join(environment.HOME, "global")]),
    );
  });

  test("resolve a relative sessionDir from the working directory, not from the settings file", () => {
    for (const folder of ["./kept", "kept", ".kept"]) {
      const environment = makeHome(JSON.stringify({ sessionDir: folder }));
      write(join(environment.HOME, ".pi/settings.json"), JSON.stringify({ sessionDir: folder }));
      const custom = foldersOf(environment).slice(2, -1);
      expect(custom).toEqual([resolve(process.cwd(), folder)]);
    }
  });

  test("follow PI_CODING_AGENT_DIR to its settings", () => {
    const environment = { ...makeHome(), PI_CODING_AGENT_DIR: "~/pi" };
    write(join(environment.HOME, "pi/settings.json"), '{"sessionDir":"/srv/flat"}');
    expect(foldersOf(environment)).toContain("/srv/flat");
  });

  test("are distinct", () => {
    const environment = {
      ...makeHome('{"sessionDir":"/srv/flat/"}'),
      PI_CODING_AGENT_SESSION_DIR: "/srv/flat",
    };
    const agent = { PI_CODING_AGENT_DIR: "/srv/agent", ATOMIC_CODING_AGENT_DIR: "/srv/agent" };
    const folders = foldersOf({ ...environment, ...agent });
    expect(folders).toEqual(["/srv/agent/sessions", "/srv/flat", "/scratch"]);
  });

  test.each([
    ["invalid JSON", "{sessionDir"],
    ["an array", "[]"],
    ["a sessionDir that is not a string", '{"sessionDir":5}'],
    ["a sessionDir that is empty", '{"sessionDir":""}'],
    ["a sessionDir that is not a file URL", '{"sessionDir":"file://host/x"}'],
  ])("ignore settings with %s, and report them", (_, settings) => {
    const notices: string[] = [];
    const environment = makeHome(settings);
    expect(foldersOf(environment, notices)).toHaveLength(3);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(join(environment.HOME, ".pi/agent/settings.json"));
  });

  test.each([
    ["text that is no JSON", (key: string) => `{"apiKey": "${key}" oops}`],
    ["nothing but a key", (key: string) => `sk-${key}`],
    ["a URL", (key: string) => `{"sessionDir":"file://ada:${key}@host/x"}`],
    ["a list", (key: string) => `{"sessionDir":["${key}"]}`],
  ])("do not reveal the content of settings with %s", (_, settings) => {
    const notices: string[] = [];
    foldersOf(makeHome(settings(["9fK2", "mQ7x", "T4bR"].join(""))), notices);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/^ignored sessionDir in .+: \S/);
    for (const piece of ["9fK2", "mQ7x", "T4bR", "apiKey"]) expect(notices[0]).not.toContain(piece);
  });

  test("report nothing for missing settings or settings without sessionDir", () => {
    const notices: string[] = [];
    foldersOf(makeHome(), notices);
    foldersOf(makeHome('{"theme":"dark"}'), notices);
    expect(notices).toEqual([]);
  });
});

describe("a subagent's file", () => {
  const root = toRoot("/srv/sessions");
  test.each([
    ["a.jsonl", false],
    ["--project--/a.jsonl", false],
    ["subagent-artifacts/a.jsonl", true],
    ["--project--/subagent-artifacts/a.jsonl", true],
    ["--project--/session/run-0/a.jsonl", true],
    ["--project--/session/a.jsonl", true],
    ["--subagent-artifacts--/a.jsonl", false],
  ])("%s: %s", (path, subagent) => {
    expect(isSubagentPath(join(root.folder, path), root)).toBe(subagent);
  });

  test("is every file in a run's temporary folder", () => {
    const [root] = configuredRoots(undefined, { HOME: "/home/ada", TMPDIR: "/scratch" }).slice(-1);
    expect(root && isSubagentPath("/scratch/pi-subagent-session-x/a.jsonl", root)).toBe(true);
  });

  test("is recognized below a root of all folders too", () => {
    expect(isSubagentPath("/srv/a.jsonl", toRoot("/"))).toBe(false);
    expect(isSubagentPath("/srv/x/y/a.jsonl", toRoot("/"))).toBe(true);
  });
});

describe("the root that contains a path", () => {
  const roots = ["/srv", "/srv/sessions", "/srv/other"].map(toRoot);

  test("is the innermost", () => {
    expect(findInnermostRoot("/srv/sessions/p/a.jsonl", roots)).toBe(roots[1]);
    expect(findInnermostRoot("/srv/sessions-2/a.jsonl", roots)).toBe(roots[0]);
    expect(findInnermostRoot("/home/a.jsonl", roots)).toBeUndefined();
  });

  test("is found among many roots too", () => {
    const temporary = { folder: "/tmp", prefix: "/tmp/run-" };
    const many = [
      ...roots,
      toRootLevel("/srv/flat", 0),
      toRootLevel("/srv/flat", 1),
      toRoot("/tmp/run-1/x"),
      temporary,
    ];
    for (const all of [many, many.toReversed(), [...many, toRoot("/")], []]) {
      const finder = new RootFinder(all);
      for (const path of [
        "/srv/sessions/p/a.jsonl",
        "/srv/sessions-2/a.jsonl",
        "/home/a.jsonl",
        "/a.jsonl",
        "a.jsonl",
        "",
        "/srv/flat/a.jsonl",
        "/srv/flat/p/a.jsonl",
        "/srv/flat/p/q/a.jsonl",
        "/tmp/run-1/a.jsonl",
        "/tmp/run-1/x/a.jsonl",
        "/tmp/run-1/x/p/a.jsonl",
        "/tmp/run/a.jsonl",
      ]) {
        expect(finder.findInnermost(path)).toBe(findInnermostRoot(path, all));
      }
    }
  });

  test("may be limited to the files directly in a folder", () => {
    const level = toRootLevel("/srv/sessions", 1);
    const isIn = (path: string) => isInRoot(`/srv/sessions${path}`, level);
    expect(["/p/a.jsonl", "/a.jsonl", "/p/q/a.jsonl", "-2/a.jsonl"].map(isIn)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test("the configured roots are those of $PIDEX_ROOTS, if set", () => {
  const before = process.env.PIDEX_ROOTS;
  onTestFinished(() => {
    process.env.PIDEX_ROOTS = before;
    if (before === undefined) delete process.env.PIDEX_ROOTS;
  });
  process.env.PIDEX_ROOTS = ["/srv/a", "", "/srv/b"].join(delimiter);
  expect(configuredRoots().map(({ folder }) => folder)).toEqual(["/srv/a", "/srv/b"]);
  process.env.PIDEX_ROOTS = "";
  const environment = { ...process.env };
  delete environment.PIDEX_ROOTS;
  expect(configuredRoots()).toEqual(configuredRoots(undefined, environment));
});
