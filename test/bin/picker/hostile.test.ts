import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { image, text, thinking, toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { foreignSequences, openTerminal, type TestTerminal } from "../../terminal.ts";
import { pidexAt } from "../cli.ts";

/** Texts that control terminals or look different from what they are. Sessions may contain each of them. */
const ATTACKS = {
  color: "\x1b[31;45;5m",
  cursor: "\x1b[66;6H\x1b[99A",
  clear: "\x1b[2;2J\x1b[3J",
  leave: "\x1b[?1049;47l\x1b[?25;1000h",
  region: "\x1b[3;5r\x1b[?6h",
  asking: "\x1b[6n\x1b[>c\x1b[21t\x1b[?6n",
  keyboard: "\x1b[>31u\x1b[=31u",
  reset: "\x1bc\x1b#8\x1b(0",
  title: "\x1b]0;PWNED\x07\x1b]2;PWNED\x1b\\",
  link: "\x1b]8;;https://evil.example\x07here\x1b]8;;\x07",
  clipboard: "\x1b]52;c;cHduZWQ=\x07\x1b]52;c;?\x07",
  dcs: '\x1bP$q"p\x1b\\',
  apc: "\x1b_Gi=1,a=q;AAAA\x1b\\",
  pm: "\x1b^PWNED\x1b\\\x1bXPWNED\x1b\\",
  c1: "\x9b31;45m\x9d0;PWNED\x9c\x90q\x9c\x85\x8d",
  nul: "\0\x07\b\b\b\b\x7f",
  lines: "\rover\x0b\x0c\u2028\u2029",
  shifted: "\x0e\x0f\x05",
  bidi: "\u202eabc\u2066\u2067\u2069\u200f\u061c",
  hidden: "\u200b\u2060\ufeff\u00ad\ufe0f\u{e0041}\u{e007f}",
  zalgo: `Z${"\u0301\u0489\u20dd".repeat(40)}`,
  surrogates: "\ud83d\ude00\ud800\udfff",
  tabs: "\ta\t\tb\t",
  wide: "漢字한글👩‍👩‍👧‍👦🇩🇪\u{1f3f4}",
  private: "\ue000\u{f0000}\u{10ffff}\ufffe",
};
const ALL = Object.values(ATTACKS).join("");
const SOME = ATTACKS.title + ATTACKS.color + ATTACKS.bidi + ATTACKS.nul;
/** Texts that file names can contain. */
const NAME = "\x1b]0;PWNED\x07\x1b[31;45;5m\x9b31;45m\u202e\r\t\x7f\u2028 'a' \"b\" $(c) `d` \\ -e";

/** Sequences that the picker may write, but never in this form. */
const NEVER = [
  "\x1b[31;45;5m",
  "\x1b[66;6H",
  "\x1b[99A",
  "\x1b[2;2J",
  "\x1b[3J",
  "\x1b[?1049;47l",
  "\x1b[>31u",
];

/** A session with an attack in each of its free texts, between readable words. */
function hostile(attack: string, n: number): Session {
  const evil = (word: string) => `${word}${n} ${attack} ${word}end${n}`;
  const minute = String(n % 60).padStart(2, "0");
  const draft = session({
    id: evil("id"),
    cwd: `/tmp/${evil("cwd")}`,
    timestamp: `2026-01-05T09:${minute}:00.000Z`,
    parentSession: evil("/parent"),
    header: { title: evil("title") },
  });
  draft
    .model(evil("provider"), evil("model"))
    .thinking(evil("level"))
    .user(evil("first needle"), { id: evil("entry") })
    .label(evil("entry"), evil("label"))
    .assistant(
      [
        thinking(evil("needle thought")),
        text(evil("needle answer")),
        toolCall(evil("call"), evil("tool"), { command: evil("needle"), [evil("key")]: evil("value") }),
      ],
      { errorMessage: evil("error"), stopReason: evil("stop") },
    )
    .toolResult(evil("call"), evil("tool"), [text(evil("needle output")), image("aGVsbG8=", evil("image"))], {
      isError: true,
      details: { diff: `-1 ${evil("old")}\n+1 ${evil("new")}` },
    })
    .bash(evil("needle ls"), evil("needle listing"))
    .message({ role: evil("role"), content: [text(evil("needle"))], customType: evil("custom") })
    .message({ role: "compactionSummary", summary: evil("needle summary") })
    .entry({ type: evil("type"), field: evil("field") })
    .custom(evil("extension"), { field: evil("data") })
    .customMessage(evil("extension"), evil("needle message"))
    .compaction(evil("needle compaction"), evil("entry"))
    .branch(evil("entry"))
    .branchSummary(evil("from"), evil("needle branch"))
    .raw(`{"type": ${JSON.stringify(evil("broken"))}, oops ${attack.replaceAll("\n", "")}`)
    .custom("pidex", { tags: [evil("tag")] })
    .name(evil("needle name"))
    .user(evil("needle last"), { timestamp: `2026-02-05T09:${minute}:00.000Z` });
  return draft;
}

const folder = mkdtempSync(join(tmpdir(), "pidex-hostile-tui-"));
const root = join(folder, "root");
const attacks = Object.entries(ATTACKS);

beforeAll(async () => {
  attacks.forEach(([name, attack], n) => {
    hostile(attack, n).write(join(root, `--${name}--`, `${name}.jsonl`));
  });
  const all = hostile(ALL, 90);
  all.name(`zzall ${ALL}`).write(join(root, "--all--", "all.jsonl"));
  session({ id: "evil-path", cwd: `/tmp/${NAME}`, timestamp: "2026-03-01T09:00:00.000Z" })
    .user("path needle")
    .name("zzpath")
    .write(join(root, `--${NAME.replaceAll("/", "")}--`, `${NAME}.jsonl`));
  session({ id: "long", cwd: "/tmp/long", timestamp: "2026-03-02T09:00:00.000Z" })
    .user(`longneedle ${ALL} ${"lorem ipsum ".repeat(850_000)}`)
    .assistant(`many longneedle\n${"\x1b[31;45;5mline\n".repeat(100_000)}`)
    .name("zzlong")
    .write(join(root, "--long--", "long.jsonl"));
  const { exit } = await pidexAt(root, folder)(["index"]);
  expect([0, 3]).toContain(exit); // broken lines are reported
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Opening {
  args?: string[];
  cols?: number;
  rows?: number;
  preview?: string;
  sessions?: string;
}

/** The picker over these sessions, in its own home folder. */
async function open({ args = [], cols = 80, rows = 24, preview = "off", sessions = root }: Opening = {}) {
  const home = temporaryFolder();
  mkdirSync(join(home, "pidex"));
  writeFileSync(join(home, "pidex", "config.toml"), `[picker]\npreview = "${preview}"\n`);
  const db = sessions === root ? join(folder, "index.db") : join(home, "index.db");
  if (sessions !== root) await pidexAt(sessions, home)(["index"]);
  return openTerminal({
    argv: [process.execPath, BUILT_PIDEX, "pick", "--all", "--root", sessions, "--db", db, ...args],
    env: { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, PATH: process.env.PATH, LANG: "C.UTF-8" },
    cols,
    rows,
  });
}

function expectNothingObeyed(terminal: TestTerminal): void {
  const bytes = terminal.bytes();
  expect(foreignSequences(bytes)).toEqual([]);
  expect(NEVER.filter((sequence) => bytes.includes(sequence))).toEqual([]);
}

/** Keys still work, and the terminal is restored. */
async function leave(terminal: TestTerminal): Promise<void> {
  expect(terminal.isAlternate()).toBe(true);
  expectNothingObeyed(terminal);
  terminal.press("ctrl+c");
  expect(await terminal.exit).toEqual({ code: 130 });
  expectNothingObeyed(terminal);
  expect(terminal.isAlternate()).toBe(false);
  expect(terminal.cursorVisible).toBe(true);
  expect(terminal.modes).toMatchObject({
    bracketedPasteMode: false,
    mouseTrackingMode: "none",
    originMode: false,
  });
}

/** Types a query once the picker is open. */
async function search(terminal: TestTerminal, query: string, shows: string | RegExp): Promise<void> {
  await terminal.until("resume");
  terminal.write(query);
  await terminal.until(shows);
}

describe.each([
  { cols: 40, rows: 64, preview: "off" },
  { cols: 160, rows: 64, preview: "right" },
  { cols: 80, rows: 64, preview: "below" },
])("at $cols columns, preview $preview", ({ preview, ...size }) => {
  test("sessions and their hits are drawn as plain text", async () => {
    const terminal = await open({ ...size, preview });
    await terminal.until((screen) => screen.filter((row) => row.includes("needle name")).length > 20);
    if (preview !== "off") await terminal.until("lorem ipsum");
    terminal.press("ctrl+s");
    await terminal.until("newest");
    terminal.write("needle");
    await terminal.until(/^ +(?:user|agent|output|bash|custom|summary|name) .*needle/m);
    terminal.press("ctrl+end");
    await terminal.until(/ (?!1 of)\d+ of \d\d/);
    terminal.press("alt+n", "alt+n");
    if (preview === "below") await terminal.until(/── (\d+ of )?\d+ hits? /);
    terminal.write(" output");
    await terminal.until("needle output");
    await leave(terminal);
  });
});

test("paths are drawn as plain text", async () => {
  const terminal = await open({ cols: 420, rows: 40 });
  await terminal.until("zzpath");
  terminal.press("alt+u");
  await terminal.until(/--␛\]0;PWNED␇␛\[31;45;5m<9b>31;45m<202e>.*-e--\/.*-e\.jsonl/);
  await leave(terminal);
});

test("a session is drawn as plain text, folded and expanded, with all branches", async () => {
  const terminal = await open({ rows: 60, cols: 100 });
  await search(terminal, "zzall", "1 of 1");
  terminal.press("ctrl+v");
  await terminal.until("needle last90");
  terminal.press("g");
  await terminal.until("first needle90");
  terminal.press("e");
  await terminal.until("expanded");
  terminal.press("a");
  await terminal.until("all branches");
  for (const words of ["needle thought90", "needle listing90", "needle compaction90", "data90"]) {
    terminal.press("g");
    await terminal.until("first needle90");
    while (!terminal.screen().join("\n").includes(words)) {
      const before = terminal.screen().join("\n");
      // A page drawn between two checks may be missed: starts again at the end.
      terminal.press(before.includes("named zzall") ? "g" : "pageDown");
      await terminal.until((screen) => screen.join("\n") !== before);
    }
  }
  terminal.press("n", "n", "N");
  await leave(terminal);
});

test("ten megabytes and a hundred thousand lines are shown like any other session", async () => {
  const terminal = await open({ cols: 80, rows: 24 });
  await search(terminal, "longneedle", /user +.*longneedle/);
  terminal.press("ctrl+v");
  await terminal.until("1 of 2 hits");
  terminal.press("n");
  await terminal.until("2 of 2 hits");
  terminal.press("e");
  await terminal.until("expanded");
  terminal.press("G");
  await terminal.until("named zzlong");
  terminal.press("ctrl+t");
  await terminal.until("longneedle ␛[31;45;5m");
  await leave(terminal);
});

test("a tree is drawn as plain text, also with all entries", async () => {
  const terminal = await open({ rows: 50, cols: 100 });
  await search(terminal, "zzall", "1 of 1");
  terminal.press("ctrl+t");
  await terminal.until("first needle90");
  terminal.press("a");
  await terminal.until("all entries");
  await terminal.until(/output .*needle output90/);
  terminal.press("g", "L");
  await terminal.until("Label for");
  terminal.press("escape");
  await terminal.until("Esc back");
  await leave(terminal);
});

describe("for a session that can be changed", () => {
  async function openOne() {
    const sessions = temporaryFolder();
    const path = join(sessions, "--one--", "one.jsonl");
    hostile(SOME, 7).name(`zzone ${SOME}zzend`).write(path);
    const terminal = await open({ sessions, cols: 150 });
    await terminal.until("zzone ␛]0;PWNED");
    const lastEntry = () => JSON.parse(readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "");
    return { terminal, lastEntry };
  }

  test("prompts and messages are drawn as plain text", async () => {
    const { terminal, lastEntry } = await openOne();
    terminal.press("ctrl+r");
    await terminal.until("Name: zzone ␛]0;PWNED");
    terminal.press("enter");
    await terminal.until("name unchanged"); // symbols are only drawn, not saved
    terminal.press("ctrl+r");
    await terminal.until("Name: ");
    terminal.press("end");
    terminal.write("!");
    await terminal.until("zzend!");
    terminal.press("enter");
    await terminal.until("renamed to zzone");
    expect(lastEntry()).toMatchObject({ type: "session_info", name: expect.stringMatching(/zzend!$/) });

    terminal.press("ctrl+l");
    await terminal.until("Label for “needle last7");
    terminal.write("\x1b[200~pasted \x1b]0;PWNED\x07\x1b[31;45;5m\x9b2J\u202e label\x1b[201~");
    terminal.press("enter");
    await terminal.until("labeled pasted");
    expect(lastEntry()).toMatchObject({ type: "label", label: expect.stringMatching(/^pasted .* label$/) });

    terminal.press("ctrl+d");
    await terminal.until("Move to trash: “zzone ␛]0;PWNED");
    terminal.press("escape");
    await terminal.until("not deleted");
    terminal.press("enter");
    await terminal.until(/the session's folder no longer exists: \S.* · Alt\+M move · Ctrl\+V read/);
    terminal.press("f1");
    await terminal.until("Keys in the list");
    terminal.press("f1");
    await leave(terminal);
  });

  test("values to filter by and completions are drawn as plain text, and can be selected", async () => {
    const { terminal } = await openOne();
    terminal.press("ctrl+g");
    // No results: NUL in a query counts as a space.
    await terminal.until(/cwdend7 +0 sessions$/m);
    terminal.press("enter");
    await terminal.until(/› project:".*cwdend7/);
    for (const field of ["project:", "tag:", "label:", "model:", "provider:", "tool:", "name:", "cwd:"]) {
      terminal.press("ctrl+u");
      terminal.write(field);
      await terminal.until(([, query, rule = ""]) => query === `› ${field}` && rule.includes("␛[31;45;5m"));
      terminal.press("shift+tab");
      await terminal.until(
        ([, query = ""]) => query.startsWith(`› ${field}`) && query.includes("␛[31;45;5m"),
      );
    }
    await leave(terminal);
  });
});

test("typed and pasted text is drawn as plain text", async () => {
  const terminal = await open({ rows: 12 });
  await terminal.until("Enter resume");
  for (const attack of Object.values(ATTACKS)) {
    terminal.write(`\x1b[200~zz${attack}all${"\r\n"}x\x1b[201~`);
    terminal.press("ctrl+u");
  }
  terminal.write("\x1b[200~pasted\x1b[201~");
  await terminal.until("› pasted");
  terminal.press("ctrl+u");
  terminal.write("re:zz(all|\x1b[200~\u202e\x9b\x1b[31;45;5m|)[\x1b[201~");
  await terminal.until(/expression|pattern|regular/i);
  terminal.press("ctrl+u");
  terminal.write("re:zz.ll");
  await terminal.until("1 of 1");
  terminal.press("ctrl+u");
  terminal.write("since:\u202enever ");
  await terminal.until("is not a date");
  await leave(terminal);
});

test("a query from the command line is drawn as plain text, from the first frame on", async () => {
  const terminal = await open({ args: ["--query", ALL.replaceAll("\0", "")] });
  await terminal.until("Enter resume");
  await terminal.until(/^› .*/m);
  await leave(terminal);
});

describe("--print", () => {
  // `id` and `cwd` are printed the same way as `path`.
  test.each(["path", "name", "command"])("%s is one line without control characters", async (what) => {
    const home = temporaryFolder();
    const output = join(home, "output");
    const argv = [
      "pick",
      "--all",
      "--root",
      root,
      "--db",
      join(folder, "index.db"),
      "--print",
      what,
      "--query",
    ];
    const shell = `"$0" "$@" > '${output}'`;
    const terminal = await openTerminal({
      argv: ["sh", "-c", shell, process.execPath, BUILT_PIDEX, ...argv, "zzall"],
      env: { HOME: home, PATH: process.env.PATH, LANG: "C.UTF-8" },
    });
    await terminal.until("1 of 1");
    terminal.press("enter");
    expect(await terminal.exit).toEqual({ code: 0 });
    const out = readFileSync(output, "utf8");
    expect(out).toMatch(/^[^\n]+\n$/);
    expect(foreignSequences(out)).toEqual([]);
    expect(out).not.toContain("\x1b");
  });
});
