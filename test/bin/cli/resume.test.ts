import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { linesOf, pidexAt } from "../cli.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pidex-resume-")));
  mkdirSync(join(folder, "bin"));
  vi.stubEnv("PATH", `${join(folder, "bin")}${delimiter}${process.env.PATH}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A stub agent that prints its working directory and arguments, and exits with 7. */
function stubAgent(name = "pi"): void {
  const path = join(folder, "bin", name);
  writeFileSync(path, `#!/bin/sh\n{ pwd; printf '%s\\n' "$@"; } > "${join(folder, "ran")}"\nexit 7\n`);
  chmodSync(path, 0o755);
}

function sessionIn(cwd: string, fileName = "x.jsonl") {
  const path = session({ cwd })
    .user("hello")
    .write(join(folder, "root", "--p--", fileName));
  return { run: pidexAt(join(folder, "root"), folder), path };
}

const ran = () => execFileSync("cat", [join(folder, "ran")], { encoding: "utf8" });

describe("the printed command", () => {
  test.each([
    ["a plain path", "plain"],
    ["spaces", "a b  c"],
    ["quotes", `it's "so"`],
    ["signs a shell obeys", "$HOME `id` $(id) ; & | > * ? ! # \\ ~"],
    ["a tilde and an equals sign first", "~=x"],
    ["control characters", "\x1b[31mred\x07\t\n\x7f9"],
    ["text turned around", "\u202eabc\u2066"],
    ["Chinese and emoji", "书店 🧺"],
  ])("is parsed by a shell as intended: %s", async (_, name) => {
    stubAgent();
    const cwd = join(folder, name);
    mkdirSync(cwd);
    const { run, path } = sessionIn(cwd, `${name}.jsonl`);
    const { out, exit } = await run(["resume", "@last"]);
    expect(exit).toBe(0);
    expect(linesOf(out)).toHaveLength(1);
    expect(() => execFileSync("bash", ["-c", out], { stdio: "ignore" })).toThrow(); // exit code of the stub
    expect(ran()).toBe(`${cwd}\n--session\n${path}\n`);
    const { argv, command, cwd: folderTold } = JSON.parse((await run(["resume", "@last", "--json"])).out);
    expect([argv, `${command}\n`, folderTold]).toEqual([["pi", "--session", path], out, cwd]);
  });

  test("has no cd if the session has no folder", async () => {
    const path = session({ header: { cwd: undefined } })
      .user("hello")
      .write(join(folder, "root", "--p--", "x.jsonl"));
    const { out } = await pidexAt(join(folder, "root"), folder)(["resume", "@last"]);
    expect(out).toBe(`pi --session ${path}\n`);
  });

  test("runs atomic for Atomic's sessions, or the agent in --agent", async () => {
    const root = join(folder, ".atomic", "agent", "sessions");
    session({ cwd: "/p" }).user("hello").writeUnder(root);
    const run = pidexAt(root, folder);
    expect((await run(["resume", "@last"])).out).toMatch(/^cd \/p && atomic --session /);
    expect((await run(["resume", "@last", "--agent", "my pi"])).out).toMatch(/^cd \/p && 'my pi' --session /);
  });
});

describe("--run", () => {
  test("runs the agent in the session's folder and exits as it does", async () => {
    stubAgent();
    const cwd = join(folder, "the project");
    mkdirSync(cwd);
    const { run, path } = sessionIn(cwd);
    expect(await run(["resume", "@last", "--run"])).toEqual({ exit: 7, out: "", err: "" });
    expect(ran()).toBe(`${cwd}\n--session\n${path}\n`);
  });

  test("reports a missing folder", async () => {
    stubAgent();
    const { run } = sessionIn(join(folder, "gone"));
    const { exit, err } = await run(["resume", "@last", "--run"]);
    expect(exit).toBe(1);
    expect(err).toContain(`the session's folder no longer exists: ${join(folder, "gone")}`);
    expect(linesOf(err)).toHaveLength(2);
  });

  test("reports a missing agent", async () => {
    const { run } = sessionIn(folder);
    const { exit, err } = await run(["resume", "@last", "--run", "--agent", "no-such-agent"]);
    expect(exit).toBe(1);
    expect(err).toContain("no-such-agent is not on your PATH");
    expect(err).toContain("--agent");
  });
});
