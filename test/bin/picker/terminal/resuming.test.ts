import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../../../terminal.ts";
import { expectRestored, openInShell } from "./in-shell.ts";
import {
  buildIndex,
  getCount,
  openPicker,
  SHELL_PIDEX,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

test("Enter resumes: pi runs in the session's folder, with the terminal to itself, and its exit code is pidex's", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  home.program(
    "pi",
    `echo "$@" > "$HOME/args"; pwd -P > "$HOME/folder"; stty -a > "$HOME/during"; echo "pi is here"; read -r line; exit 7`,
  );
  const terminal = await openInShell(home, SHELL_PIDEX);
  await terminal.until((screen) => getCount(screen) === "1/4");
  await terminal.until(/^› .*\n.*kettles/m);
  terminal.press("down", "enter");
  await terminal.until("pi is here");
  expect(terminal.isAlternate()).toBe(false);
  expect(terminal.cursorVisible).toBe(true);
  terminal.write("typed\r");
  await expectRestored(terminal, home, 7);
  expect(readFileSync(join(home.folder, "args"), "utf8")).toBe(`--session ${kettles.path}\n`);
  expect(readFileSync(join(home.folder, "folder"), "utf8")).toBe(`${kettles.session.cwd}\n`);
  expect(readFileSync(join(home.folder, "during"), "utf8")).toBe(
    readFileSync(join(home.folder, "before"), "utf8"),
  );

  // Also from the full-screen preview.
  const reading = await openPicker(home);
  reading.press("ctrl+v");
  await reading.until("Esc back");
  reading.press("enter");
  await reading.until("pi is here");
  reading.press("enter");
  expect(await reading.exit).toEqual({ code: 7 });
  expect(readFileSync(join(home.folder, "args"), "utf8")).toBe(`--session ${prices.path}\n`);
});

test("if pi is not installed, or the folder is gone, the picker says so and stays open", async () => {
  const home = new TestHome();
  const { kettles } = writeSampleSessions(home);
  const picker = await openPicker(home);
  picker.press("enter");
  await picker.until(/\npi is not on your PATH\b/);
  home.program("pi", "exit 0");
  rmSync(kettles.session.cwd, { recursive: true });
  picker.press("down");
  await picker.until(/^› Write about kettles/m);
  picker.press("enter");
  await picker.until(/\nthe session's folder no longer exists: \S+\/blog\b/);
  expect(picker.isAlternate()).toBe(true);
  picker.press("up");
  await picker.until(/^› Which prices/m);
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
});

test("--print prints the selection to the shell, and the picker is drawn on the terminal", async () => {
  const home = new TestHome();
  const { checkout } = writeSampleSessions(home);
  const { id, cwd } = checkout.session;
  const expected = {
    path: checkout.path,
    id,
    cwd,
    command: `cd ${cwd} && pi --session ${checkout.path}`,
    name: "Checkout tax",
  };
  const each = Object.keys(expected).map(
    (what) => `printf '%s\\n' "[$(${SHELL_PIDEX} pick --print ${what} --query=rounded)]" >> "$HOME/printed"`,
  );
  await buildIndex(home);
  const shell = await openTerminal({
    argv: [
      "bash",
      "--norc",
      "-c",
      `${each.join("; ")}; x=$(${SHELL_PIDEX} pick --print path); echo "left with $? [$x]"`,
    ],
    env: home.env,
    cwd: home.folder,
    cols: 90,
  });
  for (const what of Object.keys(expected)) {
    await shell.until(
      (screen) => getCount(screen) === "1/1" && /^Enter select/.test(screen.at(-1) ?? ""),
      what,
    );
    shell.press("enter");
    await shell.until(() => !shell.isAlternate(), "the end");
  }
  await shell.until((screen) => getCount(screen) === "1/4" && /^Enter select/.test(screen.at(-1) ?? ""));
  shell.press("escape");
  await shell.until("left with 130 []");
  expect(readFileSync(join(home.folder, "printed"), "utf8").split("\n")).toEqual([
    ...Object.values(expected).map((text) => `[${text}]`),
    "",
  ]);
});
