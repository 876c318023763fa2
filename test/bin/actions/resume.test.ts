import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  assertAgentInstalled,
  assertFolderExists,
  getResumeCommand,
  suggestMove,
} from "../../../bin/actions/resume.ts";
import { temporaryFolder } from "../../temporary.ts";

const at = (cwd: string, path = "/s/a.jsonl") => getResumeCommand({ cwd, path });

beforeEach(() => void vi.stubEnv("HOME", "/home/ada"));

describe("the command", () => {
  test("changes to the session's folder, if it has one", () => {
    expect(at("/home/ada/shop").line).toBe("cd /home/ada/shop && pi --session /s/a.jsonl");
    expect(at("").line).toBe("pi --session /s/a.jsonl");
    expect(at("-x").line).toBe("cd ./-x && pi --session /s/a.jsonl");
  });

  test("is that of the agent whose folders contain the session, or of the given agent", () => {
    expect(at("", "/home/ada/.atomic/agent/a.jsonl").argv[0]).toBe("atomic");
    expect(at("", "/home/ada/atomic/a.jsonl").argv[0]).toBe("pi");
    expect(getResumeCommand({ cwd: "", path: "/a" }, "mine").argv).toEqual(["mine", "--session", "/a"]);
  });
});

describe("the command of another agent", () => {
  test.each([
    [".omp/agent/sessions/-p/a.jsonl", ["omp", "--resume"]],
    [".omp/profiles/work/agent/sessions/-p/a.jsonl", ["omp", "--profile", "work", "--resume"]],
    [".prime/agent/sessions/a.jsonl", ["prime-agent", "--resume"]],
    [".openclaw/agents/main/sessions/a.jsonl", ["pi", "--fork"]],
    [".tau/agent/sessions/--p--/a.jsonl", ["tau", "--session"]],
  ])("%s: %s", (below, start) => {
    const path = `/home/ada/${below}`;
    expect(at("", path).argv).toEqual([...start, path]);
  });

  test("opens the agent's own list if the agent accepts no session on its command line", () => {
    expect(at("/p", "/home/ada/.gsd/sessions/--p--/a.jsonl").line).toBe("cd /p && gsd sessions");
  });
});

describe("a folder in the home folder with a name that is not a program's", () => {
  test.each([
    "eval",
    "exec",
    "source",
    "command",
    "if",
    "while",
    "time",
    "noglob",
    "builtin",
    "begin",
    "string",
    "iex",
    "-rf",
    "A=b",
    "a\nb",
    "x;y",
    "..x",
    "x.",
    "\u202e",
    "é",
    "EVAL",
  ])("%j: pi resumes its sessions", (name) => {
    const path = `/home/ada/.${name}/agent/sessions/a.jsonl`;
    expect(at("", path).argv).toEqual(["pi", "--session", path]);
  });

  test("may be a plain name", () => {
    const path = "/home/ada/.tau_2.0-x/agent/sessions/a.jsonl";
    expect(at("", path).argv[0]).toBe("tau_2.0-x");
  });

  test("or a profile that would be an option is omitted", () => {
    const path = "/home/ada/.omp/profiles/-c/agent/sessions/a.jsonl";
    expect(at("", path).argv).toEqual(["omp", "--resume", path]);
  });

  test("and is rejected for --agent too", () => {
    const refused = expect.objectContaining({ code: "BAD_OPTION" });
    for (const agent of ["eval", "-c", "", "a\nb"])
      expect(() => getResumeCommand({ cwd: "", path: "/a" }, agent)).toThrow(refused);
    expect(getResumeCommand({ cwd: "", path: "/a" }, "my pi").argv[0]).toBe("my pi");
  });
});

test("a missing folder points to pidex move", () => {
  const folder = temporaryFolder();
  expect(suggestMove({ cwd: folder, path: "/a" })).toBeUndefined();
  expect(suggestMove({ cwd: "", path: "/a" })).toBeUndefined();
  const gone = { cwd: join(folder, "gone"), path: "/a b.jsonl" };
  expect(suggestMove({ ...gone, id: "x-1" })).toBe("If the project moved: pidex move x-1 NEW_FOLDER");
  expect(suggestMove(gone)).toBe("If the project moved: pidex move '/a b.jsonl' NEW_FOLDER");
});

test("a missing folder is reported: also a file in its place, and an impossible name", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  assertFolderExists(at(folder));
  assertFolderExists(at(""));
  for (const gone of [join(folder, "none"), join(folder, "file"), `${folder}\0`, "\ud800", "x".repeat(300)]) {
    expect(() => assertFolderExists(at(gone))).toThrow(expect.objectContaining({ code: "FOLDER_GONE" }));
  }
});

test.runIf(process.platform !== "win32")(
  "an agent is missing if it is not on the PATH, or cannot be run",
  () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "bin"));
    const path = ["/nowhere", join(folder, "bin")].join(delimiter);
    const missing = expect.objectContaining({ code: "AGENT_MISSING" });
    expect(() => assertAgentInstalled(at(""), path)).toThrow(missing);
    writeFileSync(join(folder, "bin", "pi"), "");
    chmodSync(join(folder, "bin", "pi"), 0o644);
    expect(() => assertAgentInstalled(at(""), path)).toThrow(missing);
    chmodSync(join(folder, "bin", "pi"), 0o755);
    assertAgentInstalled(at(""), path);
    // A program given by path need not exist: the error comes when it is run.
    assertAgentInstalled(getResumeCommand({ cwd: "", path: "/a" }, "/opt/mine"), "");
  },
);
