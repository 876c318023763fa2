import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PALETTES } from "../../../../bin/format/themes.ts";
import type { TestTerminal } from "../../../terminal.ts";
import { openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

/** The color of the heading's scope. */
const scopeColor = (picker: TestTerminal) => picker.cell(0, 8).foreground;

test("auto asks the terminal for its background; without an answer, its own colors stay", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home);
  expect(picker.bytes()).toContain("\x1b]11;?\x07");
  expect(scopeColor(picker)).toBe(6);
  picker.write("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
  await picker.until(() => scopeColor(picker) === PALETTES.light.cyan, "the colors for a light background");
  expect(picker.screen()[1]).toBe("›"); // the answer is not typed

  const dark = await openPicker(home, { env: { COLORFGBG: "15;0" } });
  expect(scopeColor(dark)).toBe(PALETTES.dark.cyan);
  expect(dark.bytes()).not.toContain("\x1b]11;?");
});

test("a theme is chosen in the settings, with F2 and in the palette", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  home.settings('# mine\n[picker]\ntheme = "ascii" # for now\nmouse = false\n');
  const picker = await openPicker(home, { cols: 90, ready: /Enter resume {3}/ });
  expect(picker.screen().join("")).toMatch(/^[\x20-\x7e]*$/);
  expect(picker.screen()[3]).toMatch(/^> Which prices/);
  picker.press("f2");
  await picker.until(/\ntheme: auto, saved in config\.toml$/);
  await picker.until(/^› Which prices/m);
  picker.press("ctrl+k");
  picker.write("theme: contrast");
  await picker.until(/^› theme: contrast$/m);
  picker.press("enter");
  await picker.until(/\ntheme: contrast, saved in config\.toml$/);
  expect(scopeColor(picker)).toBeUndefined();
  expect(picker.cell(0, 18)).toMatchObject({ dim: false });
  const file = join(home.folder, "config", "pidex", "config.toml");
  expect(readFileSync(file, "utf8")).toBe('# mine\n[picker]\ntheme = "contrast" # for now\nmouse = false\n');
  const later = await openPicker(home, { cols: 90 });
  expect(scopeColor(later)).toBeUndefined();
  // It is not saved in a file that cannot be changed, which is said.
  writeFileSync(file, "[picker\n");
  later.press("f2");
  await later.until(/config\.toml, line 1: invalid TOML/);
  expect(readFileSync(file, "utf8")).toBe("[picker\n");
});
