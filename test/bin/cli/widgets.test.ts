import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../temporary.ts";
import { openTerminal, type TestTerminal } from "../../terminal.ts";
import { pidex } from "../cli.ts";

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

/** A stub of the picker: prints its query, and prints a result if it gets Enter and not another key. */
const PICKER = `#!/bin/sh
printf '%s\\n' "$@" > "$HOME/argv"
was=$(stty -g </dev/tty)
stty raw -echo </dev/tty
printf '\\033[?1049h\\033[Hchoose' >/dev/tty
key=$(dd bs=1 count=1 2>/dev/null | od -An -tx1 | tr -d ' ')
printf '\\033[?1049l' >/dev/tty
stty "$was" </dev/tty
if [ "$key" != 0d ]; then exit 130; fi
printf '%s\\n' "cd '/tmp/a b' 2>/dev/null; echo ran-$((40 + 2)) 'é'"
`;

interface Shell {
  argv: [string, ...string[]];
  /** A file in the home folder with commands that the shell runs first. */
  start: string;
  prompt: string;
}

const SHELLS: Record<string, Shell> = {
  bash: { argv: ["bash", "--noprofile", "--rcfile", "start", "-i"], start: "start", prompt: "PS1='ready> '" },
  zsh: { argv: ["zsh", "-d", "-i"], start: ".zshrc", prompt: "PS1='ready> '" },
  fish: {
    argv: ["fish", "-i"],
    start: ".config/fish/config.fish",
    prompt: "set fish_greeting; function fish_prompt; echo -n 'ready> '; end",
  },
};

describe.each(Object.entries(SHELLS))("in %s", (name, { argv, start, prompt }) => {
  /** A shell in a terminal, with the widget and the stub of pidex. */
  async function open(more = ""): Promise<{ terminal: TestTerminal; argv: () => string[] }> {
    const home = temporaryFolder();
    writeFileSync(join(home, "pidex"), PICKER);
    chmodSync(join(home, "pidex"), 0o755);
    const { out, exit } = await pidex(["completions", "--widget", name]);
    expect(exit).toBe(0);
    mkdirSync(join(home, ".config", "fish"), { recursive: true });
    writeFileSync(join(home, start), `${prompt}\n${more}\n${out}`);
    const PATH = `${home}${delimiter}${process.env.PATH}`;
    const terminal = await openTerminal({ argv, cwd: home, env: { HOME: home, PATH, LANG: "C.UTF-8" } });
    await terminal.until("ready>");
    return { terminal, argv: () => readFileSync(join(home, "argv"), "utf8").split("\n").slice(0, -1) };
  }

  test.runIf(has(name))(
    "Ctrl+X S searches for the typed text, and inserts the command for the selection",
    async () => {
      const { terminal, argv } = await open();
      terminal.write('-x "tax bug" $HOME');
      await terminal.until('ready> -x "tax bug" $HOME');
      terminal.press("ctrl+x", "s");
      await terminal.until("choose");
      expect(terminal.isAlternate()).toBe(true);
      expect(argv()).toEqual(["pick", "--print", "command", '--query=-x "tax bug" $HOME']);
      terminal.press("enter");
      await terminal.until(/^ready> cd '\/tmp\/a b' 2>\/dev\/null; echo ran-42 'é'$/m);
      expect(terminal.isAlternate()).toBe(false);
      terminal.write(" ! ");
      await terminal.until("ran-42 'é' !"); // so the cursor is at the end
      expect(terminal.screen().join("\n")).not.toMatch(/^ran-42/m);
      terminal.press("enter");
      await terminal.until(/^ran-42 é !$/m);
    },
  );

  test.runIf(has(name))("Esc does not change the line", async () => {
    const { terminal, argv } = await open();
    terminal.write("echo tax");
    await terminal.until("ready> echo tax");
    terminal.press("ctrl+x", "s");
    await terminal.until("choose");
    expect(argv().at(-1)).toBe("--query=echo tax");
    terminal.press("escape");
    await terminal.until(() => !terminal.isAlternate() && terminal.screen().includes("ready> echo tax"));
    terminal.write("es");
    await terminal.until("ready> echo taxes");
    terminal.press("enter");
    await terminal.until(/^taxes$/m);
  });

  test.runIf(has(name))(
    "an empty line searches for everything, also with Ctrl+X Ctrl+S and in vi mode",
    async () => {
      // Ctrl+S must not pause the terminal's output.
      const vi = {
        bash: "stty -ixon; set -o vi",
        zsh: "unsetopt flow_control; bindkey -v",
        fish: "fish_vi_key_bindings",
      }[name];
      const { terminal, argv } = await open(vi);
      terminal.press("ctrl+x", "ctrl+s");
      await terminal.until("choose");
      expect(argv().at(-1)).toBe("--query=");
      terminal.press("enter");
      await terminal.until("echo ran-42 'é'");
    },
  );

  test.runIf(has(name))("a non-interactive shell runs the script silently", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "script"), (await pidex(["completions", name, "--widget"])).out);
    const { stdout, stderr, status } = spawnSync(name, [join(home, "script")], {
      encoding: "utf8",
      env: { HOME: home, PATH: process.env.PATH },
    });
    expect({ stdout, stderr, status }).toEqual({ stdout: "", stderr: "", status: 0 });
  });
});
