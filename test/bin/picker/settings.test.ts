import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getConfigPath } from "../../../bin/config/config-file.ts";
import { readSettings } from "../../../bin/picker/settings.ts";
import { isSafe } from "../../safe.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME } from "../cli.ts";

const DEFAULTS = {
  scope: "folder",
  sort: "threaded",
  preview: "auto",
  theme: "auto",
  archived: false,
  subagents: false,
  mouse: true,
  history: true,
  keys: {},
};

async function read(text: string | Buffer) {
  const path = join(temporaryFolder(), "config.toml");
  writeFileSync(path, text);
  const { settings, problems } = await readSettings({}, { path });
  return { settings, complaints: problems.map((each) => each.replace(path, "FILE")) };
}

describe("the file", () => {
  test("is in the user's configuration folder", () => {
    expect(getConfigPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "linux")).toBe("/x/pidex/config.toml");
    expect(getConfigPath({ XDG_CONFIG_HOME: "relative", HOME: "/h" }, "linux")).toBe(
      "/h/.config/pidex/config.toml",
    );
    expect(getConfigPath({ HOME: "/h" }, "darwin")).toBe("/h/.config/pidex/config.toml");
    expect(getConfigPath({}, "linux")).toBe(join(homedir(), ".config/pidex/config.toml"));
    expect(getConfigPath({ APPDATA: "/a", HOME: "/h" }, "win32")).toBe("/a/pidex/config.toml");
    expect(getConfigPath({ APPDATA: "/a", HOME: "/h" }, "linux")).toBe("/h/.config/pidex/config.toml");
  });

  test("may be missing, with or without its folder", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "pidex", "config.toml");
    const nothing = { settings: DEFAULTS, problems: [], path };
    expect(await readSettings({ XDG_CONFIG_HOME: folder })).toEqual(nothing);
    writeFileSync(join(folder, "pidex"), "a file");
    expect(await readSettings({ XDG_CONFIG_HOME: folder })).toEqual(nothing);
  });

  test("is reported if it cannot be read", async () => {
    const path = join(temporaryFolder(), "config.toml");
    mkdirSync(path);
    const { settings, problems } = await readSettings({}, { path });
    expect(settings).toEqual(DEFAULTS);
    expect(problems).toEqual([expect.stringMatching(/config\.toml: could not be read: EISDIR/)]);
  });

  test.runIf(process.getuid?.() !== 0)("is reported if permissions don't allow reading it", async () => {
    const path = join(temporaryFolder(), "config.toml");
    writeFileSync(path, "[picker]");
    chmodSync(path, 0);
    expect((await readSettings({}, { path })).problems).toEqual([expect.stringContaining("EACCES")]);
  });

  test.each(["", "# nothing\r\n", "[picker]\n[keys]\n", "\ufeff[picker]\r\n"])(
    "may be empty: %j",
    async (text) => {
      expect(await read(text)).toEqual({ settings: DEFAULTS, complaints: [] });
    },
  );
});

test("all settings are read", async () => {
  const { settings, complaints } = await read(`
[picker]
scope = "all"
sort = "relevance"
preview = "below"
theme = "light"
archived = true
subagents = true
mouse = false
history = false

[keys]
sort = "Ctrl+O"
copy = ["alt+c", "ctrl+y"]
pin = []

[preview-keys]
unfold = ["z", "Z"]
`);
  expect(complaints).toEqual([]);
  expect(settings).toEqual({
    scope: "all",
    sort: "relevance",
    preview: "below",
    theme: "light",
    archived: true,
    subagents: true,
    mouse: false,
    history: false,
    keys: {
      list: { sort: ["ctrl+o"], copy: ["alt+c", "ctrl+y"], pin: [] },
      preview: { copy: ["alt+c", "ctrl+y"], pin: [], unfold: ["z", "shift+z"] },
    },
  });
});

test("a mode's own table takes precedence, whatever the order", async () => {
  const { settings } = await read('[keys]\ncopy = "alt+c"\n[preview-keys]\ncopy = "c"\n');
  expect(settings.keys).toEqual({ list: { copy: ["alt+c"] }, preview: { copy: ["c"] } });
});

test("a file that is not TOML is ignored and reported with its line", async () => {
  expect(await read('[picker]\nscope = "all"\nsort = best\n')).toEqual({
    settings: DEFAULTS,
    complaints: [expect.stringMatching(/^FILE, line 3: invalid TOML \(.+\); the file was ignored$/)],
  });
  expect((await read(Buffer.from([0xff, 0x00, 0x3d]))).complaints).toHaveLength(1);
});

test.each([
  ['[picker]\nscpoe = "all"', "FILE, line 2: unknown setting scpoe in [picker]; did you mean scope?"],
  ['[picker]\ncolor = "red"', "FILE, line 2: unknown setting color in [picker]"],
  [
    '[picker]\n\nsort = "newst"',
    'FILE, line 3: sort must be one of "threaded", "newest", "relevance", not "newst"',
  ],
  ['[picker]\narchived = "yes"', 'FILE, line 2: archived must be one of true, false, not "yes"'],
  ["[picker]\nscope = 1", 'FILE, line 2: scope must be one of "folder", "all", not a number'],
  ['[pikcer]\nscope = "all"', "FILE, line 1: unknown table [pikcer]; did you mean [picker]?"],
  ['scope = "all"', "FILE, line 1: scope must be below [picker]"],
  ['rename = "ctrl+x"', "FILE, line 1: rename must be below [keys]"],
  ["picker = 3", "FILE, line 1: picker must be a table; write [picker]"],
  ['[keys]\nsrot = "ctrl+x"', "FILE, line 2: unknown action srot in [keys]; did you mean sort?"],
  ['[keys]\nunfold = "ctrl+x"', "FILE, line 2: unknown action unfold in [keys]"],
  ['[keys]\nsort = "ctlr+s"', 'FILE, line 2: unknown key "ctlr+s"; did you mean "ctrl+s"?'],
  ['[keys]\nsort = "C-s"', 'FILE, line 2: unknown key "C-s"'],
  ['[keys]\nsort = "ctrl-s"', 'FILE, line 2: unknown key "ctrl-s"; did you mean "ctrl+s"?'],
  ["[keys]\nsort = 5", 'FILE, line 2: sort must be a key such as "ctrl+x", a list of keys, or [] for none'],
  [
    '[keys]\nsort = "ctrl+x"\npin = "ctrl+x"',
    "FILE, line 3: Ctrl+X cannot be bound to pin, because it is already bound to sort",
  ],
  [
    '[keys]\nsort = "tab"\npin = "ctrl+i"',
    "FILE, line 3: Ctrl+I (which many terminals send as Tab) cannot be bound to pin, because it is already bound to sort",
  ],
  [
    '[keys]\nsort = "ctrl+c"',
    "FILE, line 2: Ctrl+C cannot be bound to sort, because it is already bound to cancel",
  ],
  [
    '[keys]\nsort = "S"',
    "FILE, line 2: S cannot be bound to sort in the list, because letters are typed there",
  ],
  [
    '[keys]\ncopy = "alt+c"\n[preview-keys]\nunfold = "alt+c"',
    "FILE, line 2: Alt+C cannot be bound to copy, because it is already bound to unfold in the preview",
  ],
])("%j is reported: %s", async (text, complaint) => {
  expect((await read(text)).complaints).toEqual([complaint]);
});

test("valid settings beside invalid ones apply", async () => {
  const { settings, complaints } = await read(`
[picker]
scope = "al"
sort = "newest"
[keys]
sort = ["ctlr+s", "alt+o"]
rename = "ctrl+x"
pin = "ctrl+x"
[nonsense]
`);
  expect(complaints).toHaveLength(4);
  expect(settings).toEqual({
    ...DEFAULTS,
    sort: "newest",
    keys: { list: { sort: ["alt+o"], rename: ["ctrl+x"] }, preview: { rename: ["ctrl+x"] } },
  });
});

test("text from the file is escaped in messages", async () => {
  const { complaints } = await read(
    '[picker]\n"a\\u001b]0;x\\u0007\\u202e" = 1\nsort = "\\u009b2J\\u202e"\n[keys]\nsort = "\\u001b[A\\u2066"\n',
  );
  expect(complaints).toHaveLength(3);
  expect(complaints.every((each) => isSafe(each) && !each.includes("\n"))).toBe(true);
});

test("the example in docs/picker.md is valid and contains every setting", async () => {
  const page = readFileSync(join(HOME, "docs", "picker.md"), "utf8");
  const [, example = ""] = /^```toml\n([\s\S]*?)^```/m.exec(page) ?? [];
  const { settings, complaints } = await read(example);
  expect(complaints).toEqual([]);
  for (const name of Object.keys(DEFAULTS)) {
    if (name !== "keys") expect(example).toMatch(new RegExp(`^${name} = `, "m"));
  }
  expect(Object.keys(settings.keys)).toEqual(expect.arrayContaining(["list", "preview", "tree", "facets"]));
});
