import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isSafe } from "../../../bin/format/safe.ts";
import { readSettings, settingsPath } from "../../../bin/picker/settings.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME } from "../cli.ts";

const DEFAULTS = {
  scope: "folder",
  sort: "threaded",
  preview: "auto",
  archived: false,
  subagents: false,
  keys: {},
};

async function read(text: string | Buffer) {
  const path = join(temporaryFolder(), "config.toml");
  writeFileSync(path, text);
  const { settings, complaints } = await readSettings({}, { path });
  return { settings, complaints: complaints.map((each) => each.replace(path, "FILE")) };
}

describe("the file", () => {
  test("lies where settings of users lie", () => {
    expect(settingsPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "linux")).toBe("/x/pidex/config.toml");
    expect(settingsPath({ XDG_CONFIG_HOME: "relative", HOME: "/h" }, "linux")).toBe(
      "/h/.config/pidex/config.toml",
    );
    expect(settingsPath({ HOME: "/h" }, "darwin")).toBe("/h/.config/pidex/config.toml");
    expect(settingsPath({}, "linux")).toBe(join(homedir(), ".config/pidex/config.toml"));
    expect(settingsPath({ APPDATA: "/a", HOME: "/h" }, "win32")).toBe("/a/pidex/config.toml");
    expect(settingsPath({ APPDATA: "/a", HOME: "/h" }, "linux")).toBe("/h/.config/pidex/config.toml");
  });

  test("need not be there, nor its folder, nor be one", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "pidex", "config.toml");
    const nothing = { settings: DEFAULTS, complaints: [], path };
    expect(await readSettings({ XDG_CONFIG_HOME: folder })).toEqual(nothing);
    writeFileSync(join(folder, "pidex"), "a file");
    expect(await readSettings({ XDG_CONFIG_HOME: folder })).toEqual(nothing);
  });

  test("that cannot be read is a complaint", async () => {
    const path = join(temporaryFolder(), "config.toml");
    mkdirSync(path);
    const { settings, complaints } = await readSettings({}, { path });
    expect(settings).toEqual(DEFAULTS);
    expect(complaints).toEqual([expect.stringMatching(/config\.toml: It cannot be read: EISDIR/)]);
  });

  test.runIf(process.getuid?.() !== 0)("that may not be read is a complaint", async () => {
    const path = join(temporaryFolder(), "config.toml");
    writeFileSync(path, "[picker]");
    chmodSync(path, 0);
    expect((await readSettings({}, { path })).complaints).toEqual([expect.stringContaining("EACCES")]);
  });

  test.each(["", "# nothing\r\n", "[picker]\n[keys]\n", "\ufeff[picker]\r\n"])(
    "may say nothing: %j",
    async (text) => {
      expect(await read(text)).toEqual({ settings: DEFAULTS, complaints: [] });
    },
  );
});

test("what it says counts", async () => {
  const { settings, complaints } = await read(`
[picker]
scope = "all"
sort = "best"
preview = "below"
archived = true
subagents = true

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
    sort: "best",
    preview: "below",
    archived: true,
    subagents: true,
    keys: {
      list: { sort: ["ctrl+o"], copy: ["alt+c", "ctrl+y"], pin: [] },
      preview: { copy: ["alt+c", "ctrl+y"], unfold: ["z", "shift+z"] },
    },
  });
});

test("a place's own table has the last word there, wherever it stands", async () => {
  const { settings } = await read('[keys]\ncopy = "alt+c"\n[preview-keys]\ncopy = "c"\n');
  expect(settings.keys).toEqual({ list: { copy: ["alt+c"] }, preview: { copy: ["c"] } });
});

test("a file that is no TOML counts for nothing, and its line is told", async () => {
  expect(await read('[picker]\nscope = "all"\nsort = best\n')).toEqual({
    settings: DEFAULTS,
    complaints: [
      expect.stringMatching(/^FILE, line 3: This is no TOML \(.+\), so nothing of the file counts\.$/),
    ],
  });
  expect((await read(Buffer.from([0xff, 0x00, 0x3d]))).complaints).toHaveLength(1);
});

test.each([
  ['[picker]\nscpoe = "all"', "FILE, line 2: [picker] has no scpoe. Did you mean scope?"],
  ['[picker]\ncolour = "red"', "FILE, line 2: [picker] has no colour."],
  ['[picker]\n\nsort = "newst"', 'FILE, line 3: sort is one of "threaded", "newest", "best", not "newst".'],
  ['[picker]\narchived = "yes"', 'FILE, line 2: archived is one of true, false, not "yes".'],
  ["[picker]\nscope = 1", 'FILE, line 2: scope is one of "folder", "all", not a number.'],
  ['[pikcer]\nscope = "all"', "FILE, line 1: There is no [pikcer]. Did you mean [picker]?"],
  ['scope = "all"', "FILE, line 1: scope stands in no table. It belongs below [picker]."],
  ['rename = "ctrl+x"', "FILE, line 1: rename stands in no table. It belongs below [keys]."],
  ["picker = 3", "FILE, line 1: picker is a table: write [picker]."],
  ['[keys]\nsrot = "ctrl+x"', "FILE, line 2: [keys] has no srot. Did you mean sort?"],
  ['[keys]\nunfold = "ctrl+x"', "FILE, line 2: [keys] has no unfold."],
  ['[keys]\nsort = "ctlr+s"', 'FILE, line 2: "ctlr+s" is no key. Did you mean "ctrl+s"?'],
  ['[keys]\nsort = "C-s"', 'FILE, line 2: "C-s" is no key.'],
  ['[keys]\nsort = "ctrl-s"', 'FILE, line 2: "ctrl-s" is no key. Did you mean "ctrl+s"?'],
  ["[keys]\nsort = 5", 'FILE, line 2: sort is a key such as "ctrl+x", or a list of keys, or [] for none.'],
  ['[keys]\nsort = "ctrl+x"\npin = "ctrl+x"', "FILE, line 3: Ctrl+X is sort already, so it cannot be pin."],
  [
    '[keys]\nsort = "tab"\npin = "ctrl+i"',
    "FILE, line 3: Ctrl+I, the same as Tab to many terminals, is sort already, so it cannot be pin.",
  ],
  ['[keys]\nsort = "ctrl+c"', "FILE, line 2: Ctrl+C is cancel already, so it cannot be sort."],
  ['[keys]\nsort = "S"', "FILE, line 2: S is typed into the query, so it cannot be sort in the list."],
  [
    '[keys]\ncopy = "alt+c"\n[preview-keys]\nunfold = "alt+c"',
    "FILE, line 2: Alt+C is unfold in the preview already, so it cannot be copy.",
  ],
])("%j is told of: %s", async (text, complaint) => {
  expect((await read(text)).complaints).toEqual([complaint]);
});

test("what is right beside what is wrong counts", async () => {
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
    keys: { list: { sort: ["alt+o"], rename: ["ctrl+x"] } },
  });
});

test("what a file holds changes nothing in a terminal that is told of it", async () => {
  const { complaints } = await read(
    '[picker]\n"a\\u001b]0;x\\u0007\\u202e" = 1\nsort = "\\u009b2J\\u202e"\n[keys]\nsort = "\\u001b[A\\u2066"\n',
  );
  expect(complaints).toHaveLength(3);
  expect(complaints.every((each) => isSafe(each) && !each.includes("\n"))).toBe(true);
});

test("the example of docs/picker.md is understood, and says all that can be said", async () => {
  const page = readFileSync(join(HOME, "docs", "picker.md"), "utf8");
  const [, example = ""] = /^```toml\n([\s\S]*?)^```/m.exec(page) ?? [];
  const { settings, complaints } = await read(example);
  expect(complaints).toEqual([]);
  for (const name of Object.keys(DEFAULTS)) {
    if (name !== "keys") expect(example).toMatch(new RegExp(`^${name} = `, "m"));
  }
  expect(Object.keys(settings.keys)).toEqual(expect.arrayContaining(["list", "preview", "tree", "facets"]));
});
