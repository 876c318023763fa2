import fc from "fast-check";
import { expect, test } from "vitest";
import { arrangeWords } from "../../../bin/cli/arrange-words.ts";
import { COMMANDS } from "../../../bin/cli/commands.ts";
import type { Io } from "../../../bin/cli/io.ts";
import type { CommandDefinition } from "../../../bin/cli/option-types.ts";
import { parseCommandLine } from "../../../bin/cli/parse-command-line.ts";
import { buildProgram } from "../../../bin/cli/program.ts";

const io: Io = {
  out: () => undefined,
  err: () => {},
  isTerminal: false,
  showsProgress: false,
  columns: 80,
  style: (_, text) => text,
};

/** The command line as commander parses it; undefined if it rejects it. */
async function byCommander(argv: readonly string[]) {
  const program = buildProgram(io, () => {}, argv[0]);
  let read: { command: string; args: string[]; flags: object } | undefined;
  for (const command of program.commands) {
    command.action(() => {
      read = { command: command.name(), args: command.args, flags: command.opts() };
    });
  }
  await program.parseAsync(arrangeWords(argv), { from: "user" }).catch((error: unknown) => {
    expect(error).toHaveProperty("exitCode");
  });
  return read;
}

const VALUES = [
  "5",
  "0",
  "05",
  "999",
  "1001",
  "0.5",
  "x",
  "a b.db",
  "-",
  "--",
  "",
  "ä",
  "-x",
  "-n5",
  "--limit=5",
];

/** A command, and words of which some are its flags and accepted values. */
const lines = fc
  .constantFrom(...Object.entries<CommandDefinition>(COMMANDS).filter(([name]) => !name.startsWith("hub")))
  .chain(([name, { args = {}, options = [], groups = {} }]) => {
    const definitions = [...options, ...Object.values(groups).flat()];
    const flags = definitions.flatMap(([text]) => text.match(/(?<=^|, )-{1,2}[\w-]+/g) ?? []);
    const choices = [
      ...definitions.flatMap(([, , details]) => details?.choices ?? []),
      ...Object.values(args).flatMap((about) => (typeof about === "string" ? [] : about[1])),
    ];
    const word = fc.oneof(fc.constantFrom(...flags), fc.constantFrom(...VALUES, ...choices));
    return fc.tuple(fc.constant(name), fc.array(word, { maxLength: 5 }));
  });

test("a line that is parsed without commander is parsed as commander parses it", async () => {
  const parsed = new Set<string>();
  await fc.assert(
    fc.asyncProperty(lines, async ([command, words]) => {
      const read = parseCommandLine([command, ...words]);
      if (!read) return;
      parsed.add(command);
      expect(read).toEqual(await byCommander([command, ...words]));
    }),
    { numRuns: 2000 },
  );
  expect(parsed.size).toBeGreaterThan(20);
});

test.each([
  [["list"]],
  [["list", "--json", "-n", "5"]],
  [["search", "till"]],
  [["ls", "--json"]],
  [["grep", "till"]],
  [["stats"]],
  [["show", "@last", "abc", "--full"]],
  [["pin", "a", "b", "c"]],
  [["usage", "daily", "--chart", "--week-start", "sunday"]],
  [["usage", "model", "--chart", "bars"]],
  [["sql", "--timeout", "0.5"]],
  [["files", "*.ts", "--action", "read,edit"]],
  [["list", "--all", "--root", "a", "--db", "b", "--root", "c"]],
  [["search", "--project", "shop", "--root", "a", "--", "-till", "--flat"]],
  [["search", "--flat", "double", "tax", "--limit", "7", "--no-sync", "--db", "x.db"]],
])("%j is parsed without commander", async (argv) => {
  expect(parseCommandLine(argv)).toEqual(await byCommander(argv));
});

test.each([
  [["list", "-h"]],
  [["list", "till"]],
  [["list", "--json", "--ndjson"]],
  [["list", "--all", "-n", "2"]],
  [["list", "--", "x"]],
  [["list", "--here", "--cwd", "x"]],
  [["search", "--root", "-x", "till"]],
  [["spend"]],
  [["stats", "x"]],
  [["usage", "nosuch"]],
  [["hub", "status"]],
  [["__proto__"]],
  [[]],
])("%j is for commander", (argv) => {
  expect(parseCommandLine(argv)).toBeUndefined();
});

test("options of the picker alone open it; others need a command", () => {
  expect(arrangeWords(["--root", "/a", "--db=x"])).toEqual(["pick", "--root", "/a", "--db=x"]);
  expect(arrangeWords(["--all", "--query", "tax"])).toEqual(["pick", "--all", "--query", "tax"]);
  for (const words of [[], ["--help"], ["--json"], ["--root", "/a", "--json"]])
    expect(arrangeWords(words)).toEqual(words);
});
