import fc from "fast-check";
import { expect, test } from "vitest";
import type { Io } from "../../../bin/cli/io.ts";
import { buildProgram } from "../../../bin/cli/program.ts";
import { joinJsonFields } from "../../../bin/cli/select-fields.ts";
import { parseSimpleCommandLine } from "../../../bin/cli/simple-command-line.ts";

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
  await program.parseAsync(joinJsonFields(argv), { from: "user" }).catch((error: unknown) => {
    expect(error).toHaveProperty("exitCode");
  });
  return read;
}

const WORDS = [
  ...["--json", "--ndjson", "--here", "--all", "--oldest", "--text", "--flat", "--exact", "--facets"],
  ...["--named", "--labeled", "--pinned", "--no-named", "--no-sync", "--sync", "-n", "--limit", "-n5"],
  ...[
    "5",
    "0",
    "05",
    "999",
    "1000",
    "1001",
    "id,title",
    "x",
    "--db",
    "a b.db",
    "-",
    "--",
    "--cursor",
    "--cwd",
    "--root",
    "--project",
    "--model",
    "",
    "ä",
    "-x",
  ],
];

test("a plain line parses as commander parses it", async () => {
  const line = fc.tuple(
    fc.constantFrom("list", "search"),
    fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }),
  );
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(line, async ([command, words]) => {
      const read = parseSimpleCommandLine([command, ...words]);
      if (!read) return;
      plain++;
      expect(read).toEqual(await byCommander([command, ...words]));
    }),
    { numRuns: 500 },
  );
  expect(plain).toBeGreaterThan(20);
});

test.each([
  [["list"]],
  [["list", "--json", "-n", "5"]],
  [["search", "till"]],
  [["list", "--all", "--root", "a", "--db", "b", "--root", "c"]],
  [["search", "--project", "shop", "--root", "a", "--", "-till", "--flat"]],
  [["search", "--flat", "double", "tax", "--limit", "7", "--no-sync", "--db", "x.db"]],
])("%j is plain", async (argv) => {
  expect(parseSimpleCommandLine(argv)).toEqual(await byCommander(argv));
});

test.each([
  [["list", "-h"]],
  [["list", "till"]],
  [["list", "--json", "--ndjson"]],
  [["list", "--", "x"]],
  [["list", "--here", "--cwd", "x"]],
  [["search", "--root", "-x", "till"]],
  [["stats"]],
  [["__proto__"]],
  [[]],
])("%j is for commander", (argv) => {
  expect(parseSimpleCommandLine(argv)).toBeUndefined();
});
