import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { image, text, thinking, toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { pidexAt, type Surface } from "../cli.ts";

/** A terminal title, colors, CSI as one character, a bidi override, a carriage return, NUL. */
const EVIL = "\x1b]0;pwn\x07\x1b[31m\x9b2J\u202e\u2066\r\x00\x7f\x85\u2028\ud800";
const evil = (word: string) => `${word}${EVIL}${word}`;
/** In file names, everything that file systems allow. */
const EVIL_NAME = EVIL.replaceAll("\x00", "").replaceAll("/", "").replaceAll("\ud800", "");

/** Characters that must not be printed: C0 except newline and tab, DEL, C1, bidi controls, line separators. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** A session in which every string that may have any value is hostile. */
function hostileSession() {
  const fields = { evil: evil("field") };
  const hostile = session({
    id: evil("id"),
    cwd: `/tmp/${evil("cwd")}`,
    parentSession: evil("/parent"),
    header: { title: evil("title") },
  });
  hostile
    .model(evil("provider"), evil("model"))
    .thinking(evil("level"))
    .user(evil("hello needle"), { id: evil("entry") })
    .label(evil("entry"), evil("label"))
    .assistant(
      [
        thinking(evil("needle thought")),
        text(evil("needle answer")),
        toolCall(evil("call"), evil("tool"), { command: evil("needle"), [evil("key")]: evil("value") }),
      ],
      { errorMessage: evil("error"), stopReason: evil("stop") },
    )
    .toolResult(
      evil("call"),
      evil("tool"),
      [text(evil("needle output")), image("aGVsbG8=", evil("image/png"))],
      {
        isError: true,
        details: fields,
      },
    )
    .bash(evil("needle ls"), evil("needle listing"))
    .message({ role: evil("role"), content: [text(evil("needle"))], customType: evil("custom") })
    .message({ role: "custom", customType: evil("custom"), content: evil("needle custom") })
    .message({ role: "system", content: evil("system"), sections: [fields] })
    .message({ role: "compactionSummary", summary: evil("needle summary") })
    .message({ role: "branchSummary", summary: evil("needle summary") })
    .entry({ type: evil("type"), ...fields })
    .custom(evil("extension"), fields)
    .customMessage(evil("extension"), evil("needle message"))
    .compaction(evil("needle compaction"), evil("entry"))
    .branchSummary(evil("from"), evil("needle branch"))
    .contextEdit(evil("entry"), evil("edit"))
    .usage(evil("kind"), { input: 5 }, { note: evil("needle note") })
    .entry({ type: "session_summary", summary: evil("needle session") })
    .raw(`{"type": ${JSON.stringify(evil("broken"))}, oops ${EVIL.replaceAll("\n", "")}`)
    .raw(JSON.stringify({ type: "message", id: 7, message: { role: "user", content: 7 } }))
    .name(evil("needle name"))
    .message({ role: "user", content: evil("needle last") }, { timestamp: evil("time") });
  return hostile;
}

const folder = mkdtempSync(join(tmpdir(), "pidex-hostile-"));
const root = join(folder, "root");
const run = pidexAt(root, folder);
const path = join(root, `--${EVIL_NAME}--`, `${EVIL_NAME}.jsonl`);

beforeAll(async () => {
  hostileSession().write(path);
  writeFileSync(join(root, `${EVIL_NAME}.jsonl`), `{"type":"x${EVIL_NAME}"}\n`);
  mkdirSync(join(root, "empty"));
  await run(["index"]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COMMANDS = [
  ["index"],
  ["list"],
  ["list", "--text"],
  ["search", "needle", "--hits", "100"],
  ["search", "needle", "--flat"],
  ["search", "--substring", "needle"],
  ["files", "needle"],
  ["search", "needle", "--facets"],
  ["search", "needle", "--role", evil("role")],
  ["search", evil("nothing such")],
  ["show", "@last"],
  ["show", "@last", "--full"],
  ["show", "@last", "--all", "--full"],
  ["show", "@last", "--context"],
  ["show", "@last", evil("entry")],
  ["show", "@last", evil("nosuch")],
  ["show", evil("nosuch")],
  ["show", evil("id")],
  ["tree", "@last"],
  ["tree", "@last", "--all"],
  ["labels"],
  ["labels", "@last"],
  ["stats"],
  ["stats", "--problems"],
  ["usage"],
  ["usage", "model", "--by", "session"],
  ["usage", "stop", "--by", "project"],
  ["usage", "tool", "--csv"],
  ["usage", "kind", "--chart"],
  ["usage", "--explain"],
  ["usage", "--explain", "--csv"],
  ["usage", "--session", evil("nosuch")],
  ["spend", "@last"],
  ["spend", "@last", "--explain"],
  ["sql", "SELECT * FROM sessions, labels"],
  ["resume", "@last"],
  ["resume", "@last", "--run"],
  ["resume", "@last", "--agent", evil("agent")],
  ["list", "--since", evil("never")],
  ["list", "--cursor", evil("cursor")],
  ["list", `--${evil("flag")}`],
  [evil("command")],
];

describe.each(COMMANDS.map((command) => ({ command, named: command.join(" ").replaceAll(EVIL, "☠") })))(
  "$named",
  ({ command }) => {
    test.each([
      ["a pipe", {}],
      ["a terminal", { columns: 80 }],
      ["a narrow terminal", { columns: 30 }],
      ["a colorful terminal", { columns: 200, colored: true }],
    ])("prints no control sequence from %s", async (_, surface: Surface) => {
      const { exit, err, out: answer } = await run(command, surface);
      const out = answer.replaceAll("\r\n", "\n"); // CSV lines end with CRLF
      expect(out + err).not.toBe("");
      expect([0, 1, 2, 3]).toContain(exit);
      // Only our own styles may be taken away: what is left after that must be clean.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: our styles are made of them
      const plain = (out + err).replace(/\x1b\[(?:[0-9]|22|23|3[0-9]|39)m/g, "");
      expect(FORBIDDEN.exec(surface.colored ? plain : out + err)).toBeNull();
    });
  },
);

test("the text around control characters is shown, and they become symbols", async () => {
  const { out } = await run(["show", "@last", "--full", "--all"], { columns: 80 });
  const shown = "␛]0;pwn␇␛[31m<9b>2J<202e><2066>";
  for (const word of ["hello needle", "needle thought", "needle answer", "needle output", "needle listing"]) {
    expect(out).toContain(word + shown);
  }
  for (const heading of ["tool", "role", "type", "custom extension"])
    expect(out).toContain(`\n${heading}${shown}`);
  const { sessions } = JSON.parse((await run(["search", "needle", "--hits", "100", "--json"])).out);
  expect(sessions[0].hits.length).toBeGreaterThan(10);
});

describe("JSON", () => {
  test.each(COMMANDS.filter(([name]) => !name?.startsWith("command")).map((command) => [command]))(
    "%# has no control characters, and the same values in a pipe and on a terminal",
    async (command) => {
      for (const flag of ["--json", "--ndjson"]) {
        const values = [];
        for (const surface of [{}, { columns: 80 }]) {
          const { out, err } = await run([...command, flag], surface);
          expect(FORBIDDEN.exec(out + err)).toBeNull();
          values.push(parseJsonOutput(out));
        }
        expect(values[0]).toEqual(values[1]);
      }
    },
  );

  test("contains every string of the file unchanged", async () => {
    const { sessions } = JSON.parse((await run(["list", "--json"])).out);
    const { entries } = JSON.parse((await run(["show", "@last", "--json", "--all"])).out);
    expect(sessions[0].path).toBe(path);
    expect(sessions[0].cwd.isWellFormed()).toBe(true);
    const inFile = readFileSync(path, "utf8").split("\n").slice(1).flatMap(parseLine).flatMap(extractStrings);
    const printed = entries.map(({ entry }: { entry: unknown }) => entry).flatMap(extractStrings);
    expect(printed).toEqual(inFile);
    expect(printed).toContain(evil("needle last"));
  });
});

/** The values of an output as JSON; the text itself if it is not JSON. Scores depend on the time, so they are rounded. */
function parseJsonOutput(out: string): unknown {
  const revive = (key: string, value: unknown) =>
    key === "score" && typeof value === "number" ? Number(value.toPrecision(6)) : value;
  for (const text of [out, `[${out.trim().replaceAll("\n", ",")}]`]) {
    try {
      return JSON.parse(text, revive);
    } catch {
      // not JSON, or one value per line
    }
  }
  return out;
}

/** The entry on a line; none if it is not JSON. */
function parseLine(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** All strings in a value, in order. */
function extractStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(extractStrings);
}
