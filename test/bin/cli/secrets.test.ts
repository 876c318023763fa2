import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import { SecretFindingJson } from "../../../query/secrets/secret-answers.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { anySample, ESCAPES } from "../../query/secrets/samples.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { cellsOf, linesOf, PI, pidex, pidexAt, type Surface, strict } from "../cli.ts";

const GITHUB = `gh${"p_"}${"aB3".repeat(12)}`;
const STRIPE = `sk_${"live_"}${"4eC39H".repeat(4)}`;

/** Runs pidex over sessions; also returns the folder with the sessions and the index. */
function over(...sessions: Session[]) {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const paths = sessions.map((each) => each.writeUnder(root));
  return { run: pidexAt(root, folder), folder, path: paths[0] as string };
}

const leaky = () =>
  session()
    .user(`use ${GITHUB}`)
    .assistant("done")
    .tool("bash", { command: "env" }, `KEY=${STRIPE} ${GITHUB}`);

describe("pidex secrets", () => {
  it("groups secrets by kind, with their locations, and exits with 1", async () => {
    const { run } = over(leaky());
    const { exit, out, err } = await run(["secrets"], { columns: 80 });
    expect(exit).toBe(1);
    expect(
      linesOf(out).map((line) => line.replace(/[-0-9a-f]{13} {2}[0-9a-f]{8}/, "SESSION  ENTRY")),
    ).toEqual([
      "GitHub Token  github",
      "  ghp_… (40)  2 locations",
      "    SESSION  ENTRY  message.content[0].text  line 2",
      "    SESSION  ENTRY  message.content[0].text  line 5",
      "",
      "Stripe Live Secret Key  stripe",
      "  sk_l… (32)  1 location",
      "    SESSION  ENTRY  message.content[0].text  line 5",
      "",
    ]);
    expect(err).toContain("docs/secrets.md");
  });

  it("prints one line per finding in a pipe, and the documented JSON", async () => {
    const { run, path } = over(leaky());
    const piped = await run(["secrets"]);
    expect(piped.exit).toBe(1);
    expect(cellsOf(piped.out).map((cells) => [...cells.slice(0, 4), cells[5]])).toEqual([
      ["github", "1", "ghp_… (40)", `${path}:2`, "message.content[0].text"],
      ["stripe", "2", "sk_l… (32)", `${path}:5`, "message.content[0].text"],
      ["github", "1", "ghp_… (40)", `${path}:5`, "message.content[0].text"],
    ]);
    const json = await run(["secrets", "--json"]);
    const lines = await run(["secrets", "--ndjson"]);
    const { schema, secrets } = JSON.parse(json.out);
    expect(schema).toBe(1);
    expect(linesOf(lines.out).map((line) => JSON.parse(line))).toEqual(
      secrets.map((secret: object) => ({ schema: 1, ...secret })),
    );
    for (const secret of secrets) strict(SecretFindingJson).parse(secret);
    expect([json.exit, lines.exit]).toEqual([1, 1]);
  });

  it("exits with 0 if there are none, as in the fixtures", async () => {
    const nothing = await pidexAt(PI, temporaryFolder())(["secrets"]);
    expect(nothing).toEqual({ exit: 0, out: "", err: "no secrets found\n" });
    const { exit, out } = await over(session().user("hello")).run(["secrets", "--json"]);
    expect([exit, JSON.parse(out)]).toEqual([0, { schema: 1, secrets: [] }]);
  });

  it("can be limited to sessions, a kind and a number, and lists the known kinds", async () => {
    const { run } = over(leaky(), session({ id: "quiet", cwd: "/home/ada/till" }).user("hello"));
    expect((await run(["secrets", "quiet"])).exit).toBe(0);
    expect(cellsOf((await run(["secrets", "--kind", "stripe"])).out)).toHaveLength(1);
    expect(cellsOf((await run(["secrets", "-n", "1"])).out)).toHaveLength(1);
    const unknown = await run(["secrets", "--kind", "gold"]);
    expect(unknown.exit).toBe(2);
    expect(unknown.err).toContain("The kinds are 1password, anthropic,");
    expect((await run(["secrets", "nosuch"])).exit).toBe(3);
  });

  it("reports unreadable files", async () => {
    const { run, path } = over(session().user(GITHUB));
    await run(["index"]);
    rmSync(path);
    const { exit, err } = await run(["secrets", "--no-sync"]);
    expect(exit).toBe(0);
    expect(err).toContain(`${path} cannot be read`);
  });
});

const nine = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { minLength: 9, maxLength: 9 });

describe("pidex show --redact", () => {
  const forms: string[][] = [
    [],
    ["--full"],
    ["--all"],
    ["--json"],
    ["--ndjson"],
    ["--context"],
    ["--context", "--json"],
  ];
  const surfaces: Surface[] = [{}, { columns: 60, colored: true }];

  it("prints no secret in any format, and pidex finds all of them", async () => {
    await fc.assert(
      fc.asyncProperty(nine(anySample), nine(fc.constantFrom("", ...ESCAPES)), async (samples, signs) => {
        const texts = samples.map(({ text }, n) => `${signs[n]}${text}${signs[8 - n]}`);
        const [a, b, c, d, e, f, g, h, i] = texts as [string, ...string[]];
        const story = session({ header: { note: i } })
          .user(`${a}\nand more`)
          .name(`about ${b}`)
          .assistant([
            { type: "thinking", thinking: `hm ${c}` },
            {
              type: "toolCall",
              id: "c1",
              name: "bash",
              arguments: { command: `run "${d}"`, env: { K: `${e}` } },
            },
          ])
          .toolResult("c1", "bash", `out\n${f}\n`, { details: { raw: `${g}` } })
          .custom("kept", { [`x ${h}`]: 1 })
          .assistant("done");
        const { run, folder } = over(story);
        const secrets = samples.flatMap(({ secret }) => secret.split("\n"));
        const outputs: string[] = [];
        for (const [n, form] of forms.entries()) {
          const { exit, out } = await run(["show", "@last", "--redact", ...form], surfaces[n % 2]);
          expect(exit).toBe(0);
          outputs.push(out);
        }
        for (const [n, form] of forms.entries()) {
          const file = join(folder, `export-${n}`);
          const { exit, err } = await run(["show", "@last", "--export", file, ...form]);
          expect([exit, err]).toEqual([
            0,
            expect.stringMatching(/^Exported to .*, secrets masked in \d+ locations\n$/),
          ]);
          outputs.push(readFileSync(file, "utf8"));
        }
        for (const output of outputs) for (const secret of secrets) expect(output).not.toContain(secret);
        const scanned = await run(["secrets", "--ndjson"]);
        const found = linesOf(scanned.out).map((line) => JSON.parse(line));
        for (const { kind } of samples) expect(found.some((each) => each.kind === kind)).toBe(true);
        expect(new Set(found.map(({ line }) => line))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
        for (const secret of secrets) expect(scanned.out).not.toContain(secret);
      }),
      { numRuns: Number(process.env.PIDEX_RUNS ?? 20) },
    );
  });

  it("masks single entries too, and does not change JSON syntax, ids and locations", async () => {
    const { run } = over(leaky());
    const plain = JSON.parse((await run(["show", "@last", "--json"])).out);
    const redacted = JSON.parse((await run(["show", "@last", "--json", "--redact"])).out);
    expect(redacted).toEqual(
      JSON.parse(
        JSON.stringify(plain).replaceAll(GITHUB, "[redacted github]").replaceAll(STRIPE, "[redacted stripe]"),
      ),
    );
    const { id } = plain.entries[0].entry;
    for (const form of [[], ["--json"], ["--ndjson"]]) {
      const { out } = await run(["show", "@last", id, "--redact", ...form]);
      expect(out).toContain("use [redacted github]");
      expect(out).not.toContain(GITHUB);
    }
  });

  it("masks nothing by default", async () => {
    const { run } = over(leaky());
    expect((await run(["show", "@last"])).out).toContain(GITHUB);
    expect((await run(["show", "@last", "--no-redact"])).out).toContain(GITHUB);
  });
});

describe("pidex show --export", () => {
  it("writes the output to a new file that only its owner can read", async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const { run, folder } = over(leaky());
    const file = join(folder, "out.md");
    const printed = await run(["show", "@last", "--redact"]);
    const { exit, out, err } = await run(["show", "@last", "--export", file], {
      columns: 80,
      colored: true,
    });
    expect([exit, out]).toEqual([0, ""]);
    const size = statSync(file).size;
    expect(err).toBe(`Exported to ${file} (${size} B), secrets masked in 4 locations\n`); // the title contains one too
    expect(readFileSync(file, "utf8")).toBe(printed.out);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    process.umask(0o277);
    await run(["show", "@last", "--export", `${file}2`]);
    expect(statSync(`${file}2`).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("keeps secrets with --no-redact, and reports it", async () => {
    const { run, folder } = over(leaky());
    const file = join(folder, "out.json");
    const { err } = await run(["show", "@last", "--export", file, "--no-redact", "--json"]);
    expect(err).toContain("secrets not masked");
    const printed = await run(["show", "@last", "--json"]);
    expect(readFileSync(file, "utf8")).toBe(printed.out);
  });

  it("replaces a file only with --force, and never the target of a link", async () => {
    const { run, folder } = over(leaky());
    const file = join(folder, "out.md");
    writeFileSync(file, "mine", { mode: 0o644 });
    const refused = await run(["show", "@last", "--export", file]);
    expect(refused.exit).toBe(2);
    expect(refused.err).toContain("already exists");
    expect(refused.err).toContain("--force");
    expect(readFileSync(file, "utf8")).toBe("mine");
    const link = join(folder, "link");
    symlinkSync(file, link);
    expect((await run(["show", "@last", "--export", link])).exit).toBe(2);
    expect((await run(["show", "@last", "--export", link, "--force"])).exit).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect((await run(["show", "@last", "--export", file, "--force"])).exit).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("[redacted github]");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("leaves no file behind when it fails", async () => {
    const { run, folder } = over(leaky());
    await run(["index"]);
    const before = readdirSync(folder);
    expect((await run(["show", "nosuch", "--export", join(folder, "a")])).exit).toBe(3);
    expect((await run(["show", "@last", "nosuch", "--export", join(folder, "a")])).exit).toBe(3);
    expect((await run(["show", "@last", "--export", join(folder, "none", "a")])).exit).toBe(1);
    mkdirSync(join(folder, "b"));
    expect((await run(["show", "@last", "--export", join(folder, "b"), "--force"])).exit).toBe(1);
    expect(readdirSync(folder)).toEqual([...before, "b"].sort());
  });

  it("leaves no file behind when killed by a signal", async () => {
    const story = session();
    for (let n = 0; n < 150; n++) story.user(`${n} ${GITHUB} ${"some words and more ".repeat(2000)}`);
    const { run, folder } = over(story);
    await run(["index"]);
    const out = join(folder, "out");
    mkdirSync(out);
    const where = ["--root", join(folder, "sessions"), "--db", join(folder, "index.db")];
    const argv = [BUILT_PIDEX, "show", "@last", "--export", join(out, "x"), ...where];
    const killWhileWriting = async (signal: NodeJS.Signals) => {
      const child = spawn(process.execPath, argv, { stdio: "ignore" });
      const ended = once(child, "exit");
      await waitUntil("it writes", () => readdirSync(out).some((name) => statSync(join(out, name)).size > 0));
      child.kill(signal);
      return ended;
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      let ended = await killWhileWriting(signal);
      // Under load, the export can be complete before the signal arrives.
      while (ended[0] === 0) {
        rmSync(join(out, "x"));
        ended = await killWhileWriting(signal);
      }
      expect(ended).toEqual(signal === "SIGHUP" ? [null, signal] : [130, null]);
      expect(readdirSync(out)).toEqual([]);
    }
  });

  it.skipIf(process.getuid?.() === 0)("says that a folder cannot be written", async () => {
    const { run, folder } = over(leaky());
    const locked = join(folder, "locked");
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    const { exit, err } = await run(["show", "@last", "--export", join(locked, "a")]);
    expect(exit).toBe(1);
    expect(err).toContain("cannot be written");
    expect(existsSync(join(locked, "a"))).toBe(false);
  });
});

it("the help lists what show can mask", async () => {
  const { out } = await pidex(["show", "--help"]);
  for (const option of ["--redact", "--no-redact", "--export <file>", "--force"])
    expect(out).toContain(option);
});
