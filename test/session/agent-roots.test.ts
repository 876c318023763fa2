import {
  chmodSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { chooseFolders, type FolderReader, findAgentFolders } from "../../src/session/agent-roots.ts";
import { agentDetector, detectAgent, detectProfile } from "../../src/session/agents.ts";
import { configuredRoots, findConfiguredRoots } from "../../src/session/configured-roots.ts";
import { temporaryFolder } from "../temporary.ts";

/** A home folder with these folders, and the environment of its user. */
function homeWith(...folders: string[]): { HOME: string; TMPDIR: string } {
  const HOME = temporaryFolder();
  const before = process.cwd();
  process.chdir(HOME); // its settings are read
  onTestFinished(() => process.chdir(before));
  for (const folder of folders) mkdirSync(join(HOME, folder), { recursive: true });
  return { HOME, TMPDIR: "/scratch" };
}

type Environment = Record<string, string | undefined> & { HOME: string };

/** The roots as paths below the home folder, without the default ones. */
const found = (environment: Environment) =>
  configuredRoots(undefined, environment)
    .slice(0, -1)
    .map(({ folder }) => folder.replace(`${environment.HOME}/`, ""))
    .filter((folder) => ![".pi/agent/sessions", ".atomic/agent/sessions"].includes(folder));

/** The skipped folders, as `folder: reason detail`. */
function leftOut(environment: Environment): string[] {
  const before = process.env;
  process.env = { ...environment };
  try {
    const below = (path: string) => path.replace(`${environment.HOME}/`, "");
    return findConfiguredRoots().skippedFolders.map(({ folder, why, detail }) =>
      `${below(folder)}: ${why} ${below(detail ?? "")}`.trim(),
    );
  } finally {
    process.env = before;
  }
}

const ALL = [
  ".omp/agent/sessions",
  ".omp/profiles/home/agent/sessions",
  ".omp/profiles/work/agent/sessions",
  ".prime/agent/sessions",
  ".prime/agent/session-artifacts",
  ".openclaw/agents/main/sessions",
  ".openclaw/agents/writer/sessions",
  ".gsd/sessions",
  ".gsd/agent/sessions",
  ".feynman/agent/sessions",
  ".tau/agent/sessions",
];

describe("the folders of other agents", () => {
  test("are found in the home folder, always in the same order", () => {
    expect(found(homeWith(...ALL.toReversed()))).toEqual(ALL);
  });

  test("are empty for missing folders and other files", () => {
    const environment = homeWith(".config/agent", ".cache/sessions", "omp/agent/sessions", ".omp/agent");
    writeFileSync(join(environment.HOME, ".gsd"), "");
    writeFileSync(join(environment.HOME, ".config/agent/sessions"), "");
    expect(found(environment)).toEqual([]);
    expect(leftOut(environment)).toEqual([".config/agent/sessions: not a folder"]);
  });

  test("follow the variables of their agents, which replace the default folders", () => {
    const environment = homeWith(
      ...ALL,
      "p/sessions",
      "p/session-artifacts",
      "c/agents/one/sessions",
      "g/sessions",
    );
    const { HOME } = environment;
    const moved = {
      ...environment,
      PRIME_AGENT_CODING_AGENT_DIR: "~/p",
      OPENCLAW_STATE_DIR: join(HOME, "c"),
      GSD_HOME: join(HOME, "g"),
    };
    const there = [
      "p/sessions",
      "p/session-artifacts",
      "c/agents/one/sessions",
      "g/sessions",
      "g/agent/sessions",
    ];
    expect(found(moved)).toEqual([...there, ...ALL.slice(0, 3), ...ALL.slice(-2)]);
    expect(leftOut(moved)).toEqual([
      ".prime/agent/sessions: excluded PRIME_AGENT_CODING_AGENT_DIR",
      ".prime/agent/session-artifacts: excluded PRIME_AGENT_CODING_AGENT_DIR",
      ".openclaw/agents/main/sessions: excluded OPENCLAW_STATE_DIR",
      ".openclaw/agents/writer/sessions: excluded OPENCLAW_STATE_DIR",
      ".gsd/sessions: excluded GSD_HOME",
      ".gsd/agent/sessions: excluded GSD_HOME",
    ]);
  });

  test("include oh-my-pi's under another name, and in the data folder", () => {
    const environment = homeWith(
      ".mine/agent/sessions",
      ".omp/agent/sessions",
      "data/omp/profiles/x/sessions",
    );
    const named = { ...environment, PI_CONFIG_DIR: ".mine", XDG_DATA_HOME: join(environment.HOME, "data") };
    expect(found(named)).toEqual([
      "data/omp/profiles/x/sessions",
      ".mine/agent/sessions",
      ".omp/agent/sessions",
    ]);
  });

  test.each([".ompx", ".config/xomp", "xomp/"])(
    "include oh-my-pi's with PI_CONFIG_DIR=%s",
    (PI_CONFIG_DIR) => {
      const folder = PI_CONFIG_DIR.replace(/\/$/, "");
      const environment = {
        ...homeWith(`${folder}/agent/sessions`, `${folder}/profiles/w/agent/sessions`),
        PI_CONFIG_DIR,
      };
      const folders = [`${folder}/agent/sessions`, `${folder}/profiles/w/agent/sessions`];
      expect(found(environment)).toEqual(folders);
      const paths = folders.map((each) => join(environment.HOME, each, "-p/a.jsonl"));
      expect(paths.map((path) => detectAgent(path, environment))).toEqual(["omp", "omp"]);
      expect(paths.map((path) => detectProfile(path, environment))).toEqual([undefined, "w"]);
    },
  );

  test("are looked up by name in an unlistable home folder, which is reported", () => {
    const { HOME } = homeWith(".omp/agent/sessions", ".tau/agent/sessions");
    const disk: FolderReader = {
      list(folder) {
        if (folder !== HOME) return readdirSync(folder, { withFileTypes: true });
        throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES", syscall: "scandir" });
      },
      resolveFolder: realpathSync,
    };
    const { kept, skippedFolders } = chooseFolders(findAgentFolders({ HOME }, disk), [], disk);
    expect(kept).toEqual([{ folder: join(HOME, ".omp/agent/sessions"), agent: "omp", source: "found" }]);
    expect(skippedFolders).toEqual([
      { folder: HOME, why: "unreadable", detail: "EACCES: permission denied" },
    ]);
  });

  test("are searched once, whatever links lead to them", () => {
    const environment = homeWith(".pi/agent/sessions/--p--", ".tau/agent/sessions", ".up/agent");
    const { HOME } = environment;
    symlinkSync(join(HOME, ".pi"), join(HOME, ".aleph"));
    symlinkSync(join(HOME, ".tau"), join(HOME, ".zeta"));
    symlinkSync(join(HOME, ".pi/agent/sessions/--p--"), join(HOME, ".up/agent/sessions"));
    symlinkSync(join(HOME, ".nowhere"), join(HOME, ".dangling"));
    symlinkSync(join(HOME, ".circle"), join(HOME, ".circle"));
    expect(found(environment)).toEqual([".tau/agent/sessions"]);
    expect(leftOut(environment)).toEqual([
      ".aleph/agent/sessions: same folder .pi/agent/sessions",
      expect.stringMatching(/^\.circle\/agent\/sessions: unreadable ELOOP/),
      ".up/agent/sessions: same folder .pi/agent/sessions",
      ".zeta/agent/sessions: same folder .tau/agent/sessions",
    ]);
  });

  test("may be in a home folder that is a link", () => {
    const { HOME, TMPDIR } = homeWith(...ALL);
    const link = join(temporaryFolder(), "home");
    symlinkSync(HOME, link);
    expect(found({ HOME: link, TMPDIR })).toEqual(ALL);
  });

  test("can be excluded by any of their paths or of a parent folder's", () => {
    const environment = homeWith(
      ".openclaw/agents/main/sessions",
      ".real/agent/sessions",
      "elsewhere/sessions",
      ".far",
    );
    const { HOME } = environment;
    symlinkSync(".openclaw", join(HOME, ".clawdbot"));
    symlinkSync("../elsewhere", join(HOME, ".far/agent"));
    const without = (PIDEX_EXCLUDE: string, home = HOME) =>
      found({ ...environment, HOME: home, PIDEX_EXCLUDE });
    expect(without("~/.openclaw")).toEqual([".far/agent/sessions", ".real/agent/sessions"]);
    expect(without("~/.clawdbot")).toEqual([".far/agent/sessions", ".real/agent/sessions"]);
    expect(without("~/elsewhere")).toEqual([".openclaw/agents/main/sessions", ".real/agent/sessions"]);
    const link = `${HOME}-link`;
    symlinkSync(HOME, link);
    onTestFinished(() => unlinkSync(link));
    expect(without(`${HOME}/.openclaw:${HOME}/.far`, link)).toEqual([".real/agent/sessions"]);
    expect(without(`${link}/.openclaw:${link}/.far`)).toEqual([".real/agent/sessions"]);
    // The excluded folder may be created later, below a link that already exists.
    expect(without(`${link}/.real/agent/sessions/later`)).toContain(".real/agent/sessions");
    expect(leftOut({ ...environment, PIDEX_EXCLUDE: "~/.openclaw" })).toEqual([
      ".openclaw/agents/main/sessions: excluded PIDEX_EXCLUDE",
      ".clawdbot/agents/main/sessions: excluded PIDEX_EXCLUDE",
    ]);
  });

  test("may be excluded by their own path or a parent's", () => {
    const environment = homeWith(...ALL);
    const PIDEX_EXCLUDE = ["~/.omp", join(environment.HOME, ".tau/agent/sessions"), "/nowhere"].join(
      delimiter,
    );
    expect(found({ ...environment, PIDEX_EXCLUDE })).toEqual(
      ALL.filter((folder) => !folder.startsWith(".omp") && !folder.startsWith(".tau")),
    );
    expect(leftOut({ ...environment, PIDEX_EXCLUDE: "~/.tau:~/.gone" })).toEqual([
      ".tau/agent/sessions: excluded PIDEX_EXCLUDE",
    ]);
  });

  test.skipIf(process.getuid?.() === 0)("are skipped if unreadable, which is reported", () => {
    const environment = homeWith(".tau/agent/sessions", ".sigma/agent");
    for (const folder of [".tau/agent/sessions", ".sigma"]) chmodSync(join(environment.HOME, folder), 0);
    onTestFinished(() => chmodSync(join(environment.HOME, ".sigma"), 0o700));
    expect(found(environment)).toEqual([]);
    expect(leftOut(environment)).toEqual([
      expect.stringMatching(/^\.sigma\/agent\/sessions: unreadable EACCES/),
      expect.stringMatching(/^\.tau\/agent\/sessions: unreadable EACCES/),
    ]);
  });

  test("if unreadable, stay roots when named by a setting, and are skipped when found", () => {
    const closed: FolderReader = {
      list: () => [],
      resolveFolder: (folder) => {
        throw Object.assign(new Error(`EACCES: permission denied, access '${folder}'`), { code: "EACCES" });
      },
    };
    const folders = [
      { folder: "/named", source: "OPENCLAW_STATE_DIR", agent: "openclaw" },
      { folder: "/home/ada/.tau/agent/sessions", agent: "tau", source: "found" },
    ];
    expect(chooseFolders(folders, [], closed)).toEqual({
      kept: [folders[0]],
      skippedFolders: [
        {
          folder: "/home/ada/.tau/agent/sessions",
          agent: "tau",
          why: "unreadable",
          detail: "EACCES: permission denied, access '/home/ada/.tau/agent/sessions'",
        },
      ],
    });
  });

  test("ignore a missing home folder", () => {
    expect(found({ HOME: "/nowhere/at/all", TMPDIR: "/scratch" })).toEqual([]);
  });
});

test("thousands of hidden folders need one listing in total", () => {
  const { HOME } = homeWith(".omp/agent/sessions", ".gsd/sessions");
  const listed: string[] = [];
  const disk: FolderReader = {
    list(folder) {
      listed.push(folder);
      const entries = readdirSync(folder, { withFileTypes: true });
      if (folder !== HOME) return entries;
      const many = Array.from({ length: 5_000 }, (_, n) => ({
        name: `.x${n}`,
        isDirectory: () => true,
        isSymbolicLink: () => false,
      }));
      return [...entries, ...many] as Dirent[];
    },
    resolveFolder: () => {
      throw new Error("called although no variable is set");
    },
  };
  const folders = findAgentFolders({ HOME }, disk);
  expect(folders).toHaveLength(2 + 2 - 1 + 5_000);
  // Patterns with a `*` are listed too, if their agent is installed.
  expect(listed).toEqual([HOME, join(HOME, ".omp/profiles/")]);
});

describe("the agent of a file", () => {
  test.each([
    ["/home/ada/.pi/agent/sessions/--p--/a.jsonl", "pi"],
    ["/home/ada/.omp/profiles/work/agent/sessions/-p/a.jsonl", "omp"],
    ["/home/ada/.prime/agent/session-artifacts/x/sub-1/a.jsonl", "prime-agent"],
    ["/home/ada/.openclaw/agents/main/sessions/a.jsonl", "openclaw"],
    ["/home/ada/.clawdbot/agents/main/sessions/a.jsonl", "openclaw"],
    ["/home/ada/.gsd/sessions/--p--/a.jsonl", "gsd"],
    ["/home/ada/.feynman/agent/sessions/--p--/a.jsonl", "feynman"],
    ["/srv/homes/bob/.omp/agent/sessions/-p/a.jsonl", "omp"],
    ["C:\\Users\\ada\\.omp\\agent\\sessions\\-p\\a.jsonl", "omp"],
    ["/srv/flat/a.jsonl", undefined],
    ["/home/ada/.config/sessions/a.jsonl", undefined],
    // Deeper files may be from another user's archive.
    ["/home/ada/.pi/agent/sessions/--p--/.deploy-prod/agent/sessions/a.jsonl", "pi"],
    ["/home/ada/.pi/agent/sessions/--p--/.omp/profiles/-c/agent/sessions/a.jsonl", "pi"],
    ["/home/ada/archive/.eval/agent/sessions/a.jsonl", undefined],
    ["/srv/r/--p--/.eval/agent/sessions/a.jsonl", undefined],
    ["/home/ada/.feynman/agent/a.jsonl", undefined],
  ])("%s: %s", (path, agent) => {
    expect(detectAgent(path, { HOME: "/home/ada" })).toBe(agent);
  });

  test("is determined by the home folder, wherever it is and whatever links lead to it", () => {
    const path = "/home/.pi/agent/homes/ada/.omp/profiles/work/agent/sessions/-p/a.jsonl";
    expect(detectAgent(path, { HOME: "/home/.pi/agent/homes/ada/" })).toBe("omp");
    expect(detectProfile(path, { HOME: "/home/.pi/agent/homes/ada/" })).toBe("work");
    const { HOME } = homeWith(".tau/agent/sessions");
    const link = `${HOME}-link`;
    symlinkSync(HOME, link);
    onTestFinished(() => unlinkSync(link));
    expect(detectAgent(join(HOME, ".tau/agent/sessions/a.jsonl"), { HOME: link })).toBe("tau");
    expect(detectAgent(join(link, ".tau/agent/sessions/a.jsonl"), { HOME: link })).toBe("tau");
  });

  test("is the same when many paths are looked up", () => {
    const { HOME } = homeWith(".tau/agent/sessions");
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("HOME", HOME);
    vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", "/srv/flat");
    const paths = [
      join(HOME, ".pi/agent/sessions/--p--/a.jsonl"),
      join(HOME, ".pi/agent/sessions/--p--/b.jsonl"),
      join(HOME, ".tau/agent/sessions/a.jsonl"),
      "/srv/flat/a.jsonl",
      "/srv/other/a.jsonl",
      "/srv/other/b.jsonl",
      "C:\\Users\\ada\\.omp\\agent\\sessions\\-p\\a.jsonl",
    ];
    expect(paths.map(agentDetector())).toEqual(["pi", "pi", "tau", "pi", undefined, undefined, "omp"]);
  });

  test("is also determined by the variables that name its folders", () => {
    const environment = {
      HOME: "/home/ada",
      PI_CODING_AGENT_SESSION_DIR: "/srv/flat",
      OPENCLAW_STATE_DIR: "~/claw",
    };
    expect(detectAgent("/srv/flat/a.jsonl", environment)).toBe("pi");
    expect(detectAgent("/home/ada/claw/agents/main/sessions/a.jsonl", environment)).toBe("openclaw");
    expect(detectAgent("/srv/flat-2/a.jsonl", environment)).toBeUndefined();
    expect(detectAgent("/srv/flat/.eval/agent/sessions/a.jsonl", environment)).toBe("pi");
    const omps = { HOME: "/home/ada", PI_CODING_AGENT_DIR: "/srv/.omp/agent" };
    expect(detectAgent("/srv/.omp/agent/sessions/a.jsonl", omps)).toBe("omp");
  });

  test.each([
    ["laptop:/home/bo/.tau/agent/sessions/--p--/a.jsonl", "tau", undefined],
    ["laptop:C:\\Users\\bo\\.tau\\agent\\sessions\\--p--\\a.jsonl", "tau", undefined],
    ["laptop:/root/.omp/profiles/work/agent/sessions/-p/a.jsonl", "omp", "work"],
    ["laptop:/srv/bo/.atomic/agent/sessions/--p--/a.jsonl", "atomic", undefined],
    ["laptop:/srv/bo/.tau/agent/sessions/--p--/a.jsonl", undefined, undefined],
    ["laptop:/Users/bo/Library/Application Support/pidex/machines/desk@tau/--p--/a.jsonl", "tau", undefined],
    ["/home/ada/.local/share/pidex/machines/laptop/--p--/a.jsonl", "pi", undefined],
    ["/home/ada/.local/share/pidex/machines/laptop@tau/--p--/a.jsonl", "tau", undefined],
    ["/home/ada/.local/share/pidex/machines/laptop@omp@work/--p--/a.jsonl", "omp", "work"],
    // Not below the folder of pulled sessions: perhaps from another user's archive.
    ["/home/ada/archive/pidex/machines/laptop@eval/--p--/a.jsonl", undefined, undefined],
  ])("on another machine, or pulled from there: %s", (path, agent, profile) => {
    expect(detectAgent(path, { HOME: "/home/ada" })).toBe(agent);
    expect(detectProfile(path, { HOME: "/home/ada" })).toBe(profile);
  });

  test("may be of a profile", () => {
    expect(detectProfile("/home/ada/.omp/profiles/work/agent/sessions/-p/a.jsonl")).toBe("work");
    expect(detectProfile("/data/omp/profiles/work/sessions/-p/a.jsonl")).toBe("work");
    expect(detectProfile("/home/ada/.omp/agent/sessions/-p/a.jsonl")).toBeUndefined();
  });
});

test("folders have their own paths, not those of links", () => {
  const environment = homeWith("real/sessions", ".rho");
  symlinkSync(join(environment.HOME, "real"), join(environment.HOME, ".rho/agent"));
  expect(found(environment)).toEqual([".rho/agent/sessions"]);
});
