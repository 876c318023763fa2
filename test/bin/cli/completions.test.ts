import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProcessIo } from "../../../bin/cli/io.ts";
import { buildProgram } from "../../../bin/cli/program.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME, pidex } from "../cli.ts";

const { commands } = buildProgram(createProcessIo(), () => {});
const SHELLS = ["bash", "zsh", "fish"] as const;
const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

/** The completions that bash offers for the last word of a command line. */
function offered(script: string, words: string[], path = process.env.PATH): string[] {
  const test = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _pidex; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: path };
  const out = execFileSync("bash", ["--norc", "-c", test, "bash", ...words], { encoding: "utf8", env });
  return out.split("\n").filter(Boolean);
}

describe.each(SHELLS)("%s", (shell) => {
  test("lists every command, every flag and every choice", async () => {
    const { out, exit } = await pidex(["completions", shell]);
    expect(exit).toBe(0);
    for (const command of commands) {
      expect(out).toContain(command.name());
      for (const { long, short, argChoices } of command.options) {
        expect(out).toContain(shell === "fish" ? `-l ${long?.slice(2)} ` : long);
        if (short) expect(out).toContain(shell === "fish" ? `-s ${short.slice(1)} ` : short);
        for (const choice of argChoices ?? []) expect(out).toContain(choice);
      }
    }
    expect(out).toContain("bash zsh fish");
  });

  test.runIf(has(shell))("is a valid script for the shell", async () => {
    const file = join(temporaryFolder(), "script");
    writeFileSync(file, (await pidex(["completions", shell])).out);
    execFileSync(shell, ["-n", file], { stdio: "pipe" });
  });
});

describe.runIf(has("bash"))("in bash", () => {
  test("a word is completed by its position", async () => {
    const script = (await pidex(["completions", "bash"])).out;
    expect(offered(script, ["pidex", ""])).toEqual(
      expect.arrayContaining(commands.map((each) => each.name())),
    );
    expect(offered(script, ["pidex", "l"]).sort()).toEqual(["label", "labels", "list", "ls"]);
    for (const command of commands) {
      const flags = command.options.map(({ long }) => long);
      expect(offered(script, ["pidex", command.name(), "--"])).toEqual(expect.arrayContaining(flags));
    }
    expect(offered(script, ["pidex", "list", "--sort", ""])).toEqual([
      "modified",
      "created",
      "messages",
      "cost",
      "name",
      "size",
    ]);
    expect(offered(script, ["pidex", "completions", ""])).toEqual([...SHELLS]);
    expect(offered(script, ["pidex", "list", "--since", ""])).toEqual([]);
    expect(offered(script, ["pidex", "list", "--root", `${HOME}/fixt`])).toEqual([`${HOME}/fixtures`]);
  });

  test("sessions are completed, and an id that is a command is never run", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "root");
    session({ id: "good-1" }).user("hello").writeUnder(root);
    for (const [n, id] of [
      `$(touch\${IFS}${folder}/pwned)`,
      `\`touch\${IFS}${folder}/pwned\``,
      "-x",
    ].entries()) {
      session({ id })
        .user("hello")
        .write(join(root, "--p--", `${n}.jsonl`));
    }
    const where = `--root '${root}' --db '${join(folder, "index.db")}'`;
    const stub = `#!/bin/sh\nexec '${process.execPath}' '${HOME}/bin/pidex.ts' "$@" ${where}\n`;
    writeFileSync(join(folder, "pidex"), stub);
    chmodSync(join(folder, "pidex"), 0o755);
    await pidex(["index", "--root", root, "--db", join(folder, "index.db")]);
    const script = (await pidex(["completions", "bash"])).out;
    const path = `${folder}${delimiter}${process.env.PATH}`;
    expect(offered(script, ["pidex", "show", ""], path)).toEqual(["@last", "good-1"]);
    expect(offered(script, ["pidex", "tree", "go"], path)).toEqual(["good-1"]);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });
});
