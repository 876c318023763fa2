import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { arrangeWords } from "../../../bin/cli/arrange-words.ts";
import { COMMANDS, type CommandName } from "../../../bin/cli/commands.ts";
import { EXAMPLES } from "../../../bin/cli/examples.ts";
import { createProcessIo } from "../../../bin/cli/io.ts";
import { type CommandDefinition, GROUPS } from "../../../bin/cli/option-types.ts";
import { PIPED_COLUMNS } from "../../../bin/cli/piped-columns.ts";
import { buildProgram } from "../../../bin/cli/program.ts";
import { temporaryFolder } from "../../temporary.ts";
import { BROKEN, cellsOf, linesOf, PI, pidex, pidexAt } from "../cli.ts";

describe("help", () => {
  test("help is printed without a command, and by help", async () => {
    const { exit, out, err } = await pidex([]);
    expect([exit, err]).toEqual([0, ""]);
    for (const argv of [["--help"], ["help"]]) expect((await pidex(argv)).out).toBe(out);
    const help = await pidex(["help", "list"]);
    expect(help).toEqual(await pidex(["list", "--help"]));
    expect(help.exit).toBe(0);
  });
  test("help fits 80 columns, in one line for each command", async () => {
    for (const name of ["", ...Object.keys(COMMANDS)]) {
      const { out } = await pidex([...name.split(" ").filter(Boolean), "--help"], { columns: 80 });
      expect(linesOf(out).filter((line) => line.length > 80)).toEqual([]);
      if (name !== "") expect(out).toMatch(/^Examples:\n {2}# \S.*\n {2}\$ .*pidex/m);
    }
    const { out } = await pidex(["--help"], { columns: 80 });
    for (const [name, { description, group }] of Object.entries<CommandDefinition>(COMMANDS)) {
      if (name.includes(" ")) expect(group).toBeUndefined();
      else
        expect(linesOf(out).filter((line) => /^ {2}(\S+) +(.*)/.test(line))).toContainEqual(
          expect.stringMatching(new RegExp(`^ {2}${name} +${RegExp.escape(description)}$`)),
        );
    }
    expect(GROUPS.map((group) => out.indexOf(`\n${group}:\n`))).toEqual(
      GROUPS.map((group) => out.indexOf(`\n${group}:\n`)).sort((a, b) => a - b),
    );
    expect(out).not.toContain("Commands:");
  });

  test("on a narrow terminal, help is wrapped between words, except commands to copy", async () => {
    for (const name of ["", ...Object.keys(COMMANDS)]) {
      const { out } = await pidex([...name.split(" ").filter(Boolean), "--help"], { columns: 40 });
      const wide = linesOf(out).filter((line) => line.length > 40 && !/^ {2}\$ |^Usage: /.test(line));
      expect(wide).toEqual([]);
    }
  });

  test("help lists the columns of output in a pipe", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "root");
    cpSync(PI, root, { recursive: true });
    cpSync(BROKEN, root, { recursive: true });
    const run = pidexAt(root, folder);
    const columnsOf = (name: CommandName, option = "") => PIPED_COLUMNS[name]?.[option] ?? [];
    for (const [line, columns] of [
      ["list", columnsOf("list")],
      ["search tax", columnsOf("search")],
      ["search tax --facets", columnsOf("search", "--facets")],
      ["files *.ts", columnsOf("files")],
      ["labels", columnsOf("labels")],
      ["tag 019c4bef till", columnsOf("tag")],
      ["tags", columnsOf("tags")],
      ["stats --problems", columnsOf("stats", "--problems")],
      ["usage model", columnsOf("usage")],
      ["usage daily --explain", columnsOf("usage", "--explain")],
      ["spend 019c4bef", columnsOf("spend")],
      ["spend 019c4bef --explain", columnsOf("spend", "--explain")],
      ["sql --schema", columnsOf("sql", "--schema")],
      ["pin 019c4bef --dry-run", columnsOf("pin", "--dry-run")],
      ["pin 019c4bef", columnsOf("pin")],
      ["fork 019c4bef --dry-run", columnsOf("fork", "--dry-run")],
      [`move 019c4bef ${folder} --dry-run`, columnsOf("move", "--dry-run")],
      ["delete 019c4bef --yes --dry-run", columnsOf("delete")],
    ] as const) {
      const [row = []] = cellsOf((await run(line.split(" "))).out);
      expect([line, row.length]).toEqual([line, columns.length]);
      const help = (await pidex([line.split(" ")[0] ?? "", "--help"])).out;
      expect(help.replace(/\s+/g, " ")).toContain(columns.slice(0, 4).join(", "));
    }
  });

  test.each(Object.entries(EXAMPLES).flatMap(([name, examples]) => examples.map(([line]) => [line, name])))(
    "the example %s is valid",
    async (line, name) => {
      const words = shellWords(/pidex(?: [^|)<]*)?/.exec(line)?.[0] ?? "").slice(1);
      if (words.length === 0) expect(name).toBe("pick");
      else expect(await parsed(words)).toBe(name);
    },
  );
});

/** The words of a command line, with quotes as in a shell. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}

const IO = createProcessIo();

/** The name of the command that a line runs. */
async function parsed(words: string[]): Promise<string> {
  let called = "";
  const program = buildProgram(IO, (name) => {
    called = name;
  });
  await program.parseAsync(arrangeWords(words), { from: "user" });
  return called;
}

describe("suggestions", () => {
  test.each([
    ["lits", "list"],
    ["serach", "search"],
    ["usgae", "usage"],
    ["completion", "completions"],
    ["cost", "usage or spend"],
    ["less", "show"],
    ["view", "show"],
    ["find", "search"],
    ["remove", "delete"],
    ["ps", "list"],
  ])("%s: %s", async (word, suggestion) => {
    const message = `pidex: unknown command '${word}' (did you mean ${suggestion}?)`;
    for (const argv of [[word], ["help", word], [word, "--help"], [word, "--json", "x"]]) {
      const { exit, err } = await pidex(argv);
      expect([exit, linesOf(err)[0]]).toEqual([2, message]);
    }
  });

  test.each(["nope", "xyz", "li", "foobar", "__proto__", "constructor"])("none for %s", async (word) => {
    const [first, second] = linesOf((await pidex([word])).err);
    expect(first).toBe(`pidex: unknown command '${word}'`);
    expect(second).toBe(`  To search for it: pidex search ${word}`);
  });

  test("options of a command, and of other programs", async () => {
    const first = async (...argv: string[]) => linesOf((await pidex(argv)).err)[0];
    expect(await first("list", "--limti", "3")).toBe(
      "pidex: unknown option '--limti' (did you mean --limit?)",
    );
    expect(await first("list", "--after", "7d")).toBe(
      "pidex: unknown option '--after' (did you mean --since?)",
    );
    expect(await first("stats", "--after", "7d")).toBe("pidex: unknown option '--after'");
    expect(await first("hub", "memebrs")).toBe(
      "pidex: unknown command 'hub memebrs' (did you mean hub members?)",
    );
    expect(await first("list", "-x")).toBe("pidex: unknown option '-x'");
    expect(await first("show", "@last", "--limit", "3")).toBe(
      "pidex: unknown option '--limit' (did you mean --tail?)",
    );
    expect(await first("usage", "--header")).toBe("pidex: unknown option '--header' (did you mean --csv?)");
  });

  test("times in place of a dimension", async () => {
    const first = async (...argv: string[]) => linesOf((await pidex(argv)).err)[0];
    expect(await first("usage", "2025-11")).toBe(
      "pidex: unknown dimension '2025-11' (did you mean --since 2025-11?)",
    );
    expect(await first("usage", "3 days ago")).toBe(
      "pidex: unknown dimension '3 days ago' (did you mean --since '3 days ago'?)",
    );
    expect(await first("usage", "modle")).toMatch(
      /^pidex: unknown dimension 'modle' \(did you mean model\?\)$/,
    );
  });
});

describe("aliases and options before the command", () => {
  test("an alias is the command", async () => {
    const where = ["--root", PI, "--db", join(temporaryFolder(), "index.db")];
    for (const [name, { aliases = [] }] of Object.entries<CommandDefinition>(COMMANDS)) {
      for (const alias of aliases) {
        expect(await pidex([alias, "--help"])).toEqual(await pidex([name, "--help"]));
        expect((await pidex([name, "--help"])).out).toContain(`Aliases:\n  pidex ${alias}\n`);
      }
    }
    expect(await pidex(["ls", ...where])).toEqual(await pidex(["list", ...where]));
    expect(await pidex(["grep", "tax", ...where])).toEqual(await pidex(["search", "tax", ...where]));
    expect(await pidex(["cat", "@last", ...where])).toEqual(await pidex(["show", "@last", ...where]));
  });

  test("options before the command count as if they followed it", async () => {
    const where = ["--root", PI, "--db", join(temporaryFolder(), "index.db")];
    const list = await pidex(["list", "-n", "2", "--json", ...where]);
    expect(list.exit).toBe(0);
    expect(await pidex([...where, "--json", "-n", "2", "list"])).toEqual(list);
    expect(await pidex(["--json", ...where, "ls", "-n2"])).toEqual(list);
    expect(await pidex([`--root=${PI}`, ...where.slice(2), "--json", "list", "-n", "2"])).toEqual(list);
    expect(await pidex(["--bogus", "list"])).toEqual(await pidex(["list", "--bogus"]));
    expect((await pidex(["--json", "hub", "status", "--help"])).out).toContain("pidex hub status");
    expect((await pidex(["--help", "list"])).out).toBe((await pidex(["--help"])).out);
  });
});
