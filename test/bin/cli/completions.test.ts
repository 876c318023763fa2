import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createProcessIo } from "../../../bin/cli/io.ts";
import { buildProgram } from "../../../bin/cli/program.ts";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";
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
      for (const { long, short, argChoices, hidden } of command.options) {
        if (hidden) continue;
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
      const flags = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);
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
    const path = await install(folder, root);
    const script = (await pidex(["completions", "bash"])).out;
    expect(offered(script, ["pidex", "show", ""], path)).toEqual(["@last", "good-1"]);
    expect(offered(script, ["pidex", "tree", "go"], path)).toEqual(["good-1"]);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });

  test("values of options and entries are completed", async () => {
    const folder = temporaryFolder();
    const path = await install(folder, withValues(folder));
    const script = (await pidex(["completions", "bash"])).out;
    expect(offered(script, ["pidex", "list", "--project", ""], path).sort()).toEqual(["blog", "shop"]);
    expect(offered(script, ["pidex", "ls", "--project", "sh"], path)).toEqual(["shop"]);
    expect(offered(script, ["pidex", "list", "--tag", ""], path)).toEqual(["later"]);
    expect(offered(script, ["pidex", "search", "tax", "--tag", "la"], path)).toEqual(["later"]);
    expect(offered(script, ["pidex", "tag", "shop-1", "--add", ""], path)).toEqual(["later"]);
    expect(offered(script, ["pidex", "tag", "shop-1", "--remove", "l"], path)).toEqual(["later"]);
    expect(offered(script, ["pidex", "usage", "--session", "sh"], path)).toEqual(["shop-1"]);
    expect(offered(script, ["pidex", "show", "shop-1", ""], path)).toContain("e1");
    expect(offered(script, ["pidex", "label", "shop-1", "--"], path)).toContain("--clear");
    expect(offered(script, ["pidex", "list", "--person", ""], path)).toEqual([]);
  });
});

/** A root with two sessions in different projects. */
function withValues(folder: string): string {
  const root = join(folder, "root");
  session({ id: "shop-1", cwd: "/home/ada/shop" })
    .user("Round: the tax", { id: "e1" })
    .custom("pidex", { tags: ["later", "to do"] })
    .writeUnder(root);
  session({ id: "blog-1", cwd: "/home/ada/blog" }).user("Kettles").writeUnder(root);
  return root;
}

/** Puts pidex with its own index of a root on a PATH, which is returned. */
async function install(folder: string, root: string): Promise<string> {
  const db = join(folder, "index.db");
  const stub = `#!/bin/sh
export PIDEX_ROOTS='${root}' PIDEX_DB='${db}' PIDEX_CONFIG='${folder}'
exec '${process.execPath}' '${BUILT_PIDEX}' "$@"
`;
  writeFileSync(join(folder, "pidex"), stub);
  chmodSync(join(folder, "pidex"), 0o755);
  await pidex(["index", "--root", root, "--db", db]);
  return `${folder}${delimiter}${process.env.PATH}`;
}

test.runIf(has("fish"))("fish shows titles beside ids, and values", async () => {
  const folder = temporaryFolder();
  const env = { ...process.env, PATH: await install(folder, withValues(folder)), HOME: folder };
  const script = join(folder, "script.fish");
  writeFileSync(script, (await pidex(["completions", "fish"])).out);
  const completed = (line: string) =>
    execFileSync("fish", ["--no-config", "-c", `source ${script}; complete -C '${line}'`], {
      encoding: "utf8",
      env,
    })
      .trimEnd()
      .split("\n");
  const shown = completed("pidex show ");
  expect(shown[0]).toBe("@last\tthe most recently active session");
  expect(shown).toContainEqual(expect.stringMatching(/^shop-1\tRound: the tax · shop, \S/));
  expect(completed("pidex list --tag ").sort()).toEqual(["later\t1 session", "to do\t1 session"]);
  expect(completed("pidex show shop-1 ")).toContainEqual(expect.stringMatching(/^e1\t.*Round: the tax/));
});

test("values for zsh escape the colon before descriptions", async () => {
  const folder = temporaryFolder();
  const path = await install(folder, withValues(folder));
  const run = (...argv: string[]) =>
    execFileSync(join(folder, "pidex"), ["completions", "zsh", ...argv], {
      encoding: "utf8",
      env: { ...process.env, PATH: path },
    });
  expect(run("--values", "sessions")).toMatch(/^shop-1:Round: the tax · shop, \S+.*$/m);
  expect(run("--values", "tag", "--prefix", "to")).toBe("to do:1 session\n");
});

test("without an index, and with an unknown session, nothing is offered or created", async () => {
  const folder = temporaryFolder();
  vi.stubEnv("PIDEX_DB", join(folder, "none", "index.db"));
  vi.stubEnv("PIDEX_CONFIG", folder);
  for (const kind of ["sessions", "project", "machine"]) {
    expect(await pidex(["completions", "fish", "--values", kind])).toEqual({ exit: 0, out: "", err: "" });
  }
  expect(existsSync(join(folder, "none"))).toBe(false);
  vi.unstubAllEnvs();
});
