import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getResumeCommand } from "../bin/actions/resume.ts";
import { quoteForPowerShell, quoteForShell } from "../src/shell-word.ts";
import { temporaryFolder } from "./temporary.ts";

/** How each shell parses a command line; bash and zsh also interactively, with `!` as history. */
const SHELLS: Record<string, [program: string, ...args: string[]]> = {
  dash: ["dash", "-s"],
  fish: ["fish", "--no-config"],
  bash: ["bash", "--norc", "--noprofile", "-i"],
  "bash with every option that changes words": [
    "bash",
    ...["--norc", "--noprofile", "-O", "extglob", "-O", "globstar", "-O", "nullglob", "-i"],
  ],
  zsh: ["zsh", "-d", "-f", "-i"],
  "zsh with every option that changes words": [
    "zsh",
    ...[
      "-d",
      "-f",
      "-i",
      "-o",
      "extendedglob",
      "-o",
      "rcquotes",
      "-o",
      "magicequalsubst",
      "-o",
      "shwordsplit",
    ],
  ],
};

const isInstalled = (program: string) => spawnSync(program, ["-c", "true"]).status === 0;

/** Words that shells are known to misread, and parts of them. */
const HOSTILE = [
  "",
  "x\\' ; touch PWNED ; #",
  "x' ; touch PWNED ; #",
  "x'\\'' ; touch PWNED ; '",
  'x"; touch PWNED; "',
  "$(touch PWNED)",
  "`touch PWNED`",
  "(touch PWNED)",
  "\\",
  "\\\\",
  "ends in a backslash\\",
  "\\'",
  "''",
  "it's",
  "!!",
  "it's !x !! !$",
  "~",
  "~root",
  "a~b",
  "a=~",
  "=ls",
  "%self",
  "%n%%s",
  "-x",
  "--",
  "*",
  "?",
  "[a-z]*",
  "{a,b}",
  "{1..3}",
  "^x^y",
  "#",
  "$HOME",
  "$'\\x41'",
  "a\tb",
  "a\nb",
  "\n",
  "a\n\n",
  "\ntouch PWNED\n",
  "\r\ntouch PWNED",
  "\x1b[31mred\x07\x7f",
  "\u202eabc\u2066",
  "\u0085\u2028\u2029\ufeff",
  "书店 🧺 👨‍👩‍👧",
  "é 7",
  "\x017",
];

const pieces = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.constantFrom(..."'\"\\$`!~=%@:^*?[]{}()<>|&;# \t\n\r-07nux".split("")),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);
const words = fc
  .array(pieces, { maxLength: 6 })
  .map((parts) => parts.join("").replaceAll("\0", "").toWellFormed());

/** Passes lines to a shell's standard input from a file, because fish can't read from a socket. */
function runLines(
  [program, ...args]: [string, ...string[]],
  lines: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): string {
  const input = join(temporaryFolder(), "input");
  writeFileSync(input, `${lines.join("\n")}\nexit 0\n`);
  const stdin = openSync(input, "r");
  try {
    const { stdout, error } = spawnSync(program, args, {
      ...options,
      encoding: "utf8",
      stdio: [stdin, "pipe", "pipe"],
    });
    expect(error).toBeUndefined();
    return stdout;
  } finally {
    closeSync(stdin);
  }
}

/** The words that a program run by a shell receives: one line of a script per word. */
function readBack([program, ...args]: [string, ...string[]], all: readonly string[]): string[] {
  const folder = temporaryFolder();
  const print = join(folder, "print");
  writeFileSync(print, '#!/bin/sh\nprintf \'%s\\0\' "$#" "$@" >> "$OUT"\n', { mode: 0o755 });
  mkdirSync(join(folder, "cwd"));
  const out = join(folder, "out");
  writeFileSync(out, "");
  runLines(
    [program, ...args],
    all.map((word) => `${print} ${quoteForShell(word)}`),
    {
      cwd: join(folder, "cwd"),
      env: { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", OUT: out, HISTFILE: "" },
    },
  );
  expect(readdirSync(join(folder, "cwd"))).toEqual([]); // no other command ran
  expect(existsSync(join(folder, "PWNED"))).toBe(false);
  const read = spawnSync("cat", [out], { encoding: "utf8" }).stdout.split("\0").slice(0, -1);
  expect(read.filter((_, at) => at % 2 === 0)).toEqual(all.map(() => "1")); // each a word
  return read.filter((_, at) => at % 2 === 1);
}

describe.each(Object.entries(SHELLS))("%s", (_, argv) => {
  test.runIf(isInstalled(argv[0]))("parses hostile words byte for byte, and runs nothing in them", () => {
    expect(readBack(argv, HOSTILE)).toEqual(HOSTILE);
  });

  test.runIf(isInstalled(argv[0]))("parses any words byte for byte", () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 20, maxLength: 40 }), (all) => {
        expect(readBack(argv, all)).toEqual(all);
      }),
      { numRuns: 8 },
    );
  });

  test.runIf(argv.includes("-i") && isInstalled(argv[0]))(
    "treats unquoted exclamation marks as history here",
    () => {
      const options = { cwd: temporaryFolder(), env: { PATH: process.env.PATH, HISTFILE: "" } };
      expect(runLines(argv, ["echo one", "echo !!"], options)).toMatch(/^echo one$/m);
    },
  );

  test.runIf(isInstalled(argv[0]))(
    "the command of a hostile session changes to its folder and only runs its agent",
    () => {
      const folder = temporaryFolder();
      const names = [
        "x\\' ; touch PWNED ; #",
        "it's \\ !x",
        "-",
        "-x",
        "+1",
        "~",
        "$(touch PWNED)",
        "line\nfeed",
        "書\u202e\x1b[31m",
        "ends\n",
      ].map((name) => name.replaceAll("/", ""));
      for (const name of names) mkdirSync(join(folder, name));
      const agent = join(folder, "agent");
      writeFileSync(agent, '#!/bin/sh\nprintf \'%s\\0\' "$(pwd; echo .)" "$@" >> "$OUT"\n', { mode: 0o755 });
      const out = join(folder, "..", `${folder.slice(folder.lastIndexOf("/") + 1)}-out`);
      writeFileSync(out, "");
      // Relative ones too: a header may say anything.
      const all = names.flatMap((name) => [join(folder, name), name].map((cwd) => ({ name, cwd })));
      const path = "/s/a \\' ; touch PWNED ; #.jsonl";
      const lines = all.map(({ cwd }) => `cd ${folder}\n${getResumeCommand({ cwd, path }, agent).line}`);
      runLines(argv, lines, {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: "/nowhere", LANG: "C.UTF-8", OUT: out, HISTFILE: "" },
      });
      const ran = spawnSync("cat", [out], { encoding: "utf8" }).stdout.split("\0").slice(0, -1);
      expect(readdirSync(folder).sort()).toEqual([...names, "agent"].sort());
      expect(ran).toEqual(all.flatMap(({ name }) => [`${folder}/${name}\n.`, "--session", path]));
    },
  );
});

test("a word is one line of printable characters unless it ends in a newline", () => {
  fc.assert(
    fc.property(words, (word) => {
      const quoted = quoteForShell(word);
      if (!word.endsWith("\n")) expect(quoted).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test("plain words and paths are not quoted", () => {
  for (const word of ["pi", "--session", "/home/ada/shop-2/a_b.jsonl", "a@b", "x,y", "C:/x"]) {
    expect(quoteForShell(word)).toBe(word);
  }
  expect(quoteForShell("/home/ada/a b")).toBe("'/home/ada/a b'");
});

test("on Windows words are quoted for PowerShell: its five quotes doubled, backslashes unchanged", () => {
  expect(quoteForPowerShell("C:\\Users\\ada\\a b")).toBe("'C:\\Users\\ada\\a b'");
  expect(quoteForPowerShell("x'; calc; '")).toBe("'x''; calc; '''");
  expect(quoteForPowerShell("x’; calc; ‘‚‛")).toBe("'x’’; calc; ‘‘‚‚‛‛'");
  expect(quoteForPowerShell("a,b")).toBe("'a,b'"); // otherwise an array
  expect(quoteForPowerShell("a\x1bb'")).toBe("('a'+[char]27+'b''')");
  expect(quoteForPowerShell("pi")).toBe("pi");
  expect(quoteForPowerShell("")).toBe("''");
});
