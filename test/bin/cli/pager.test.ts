import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openTerminal } from "../../terminal.ts";
import { pidexAt } from "../cli.ts";

/** Runs a command on a terminal with 10 rows, and returns what is on its screen at the end. */
async function createRunner() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  mkdirSync(root);
  const work = session({ id: "long" });
  for (let n = 1; n <= 300; n++) work.user(`prompt ${n}`);
  work.writeUnder(root);
  await pidexAt(root, folder)(["index"]); // so that no progress is on the screen
  return async (argv: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const terminal = await openTerminal({
      argv: [process.execPath, BUILT_PIDEX, ...argv, "--root", root, "--db", join(folder, "index.db")],
      env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: "1", ...env },
      cols: 100,
      rows: 10,
    });
    const { code } = await terminal.exit;
    return { code, text: terminal.bytes().replaceAll("\r\n", "\n") };
  };
}

test("output longer than the terminal goes to the pager, without it to the terminal", async () => {
  const run = await createRunner();
  const shown = await run(["show", "long"], { PAGER: "grep 'prompt 29[0-9]'" });
  expect(shown.text.trimEnd().split("\n")).toEqual(Array.from({ length: 10 }, (_, n) => `prompt ${290 + n}`));
  expect(shown.code).toBe(0);
  const preferred = await run(["tree", "long"], { PAGER: "grep nothing", PIDEX_PAGER: "tail -n 1" });
  expect(preferred.text).toMatch(/^● \S+ user +prompt 300 +[\d: -]+\n$/);
  for (const argv of [["--no-pager"], []]) {
    const { code, text } = await run(["show", "long", ...argv], {
      PAGER: argv.length > 0 ? "grep nothing" : "cat",
    });
    expect(text).toContain("prompt 1\n");
    expect(text).toContain("prompt 300\n");
    expect(code).toBe(0);
  }
  expect((await run(["list"], { PAGER: "grep nothing" })).text).toMatch(/prompt 1\n$/); // fits on the screen
});

test.each([["files", "*.ts"], ["labels"], ["tags"], ["stats"], ["trash"], ["usage", "model"]])(
  "pidex %s opens long output in the pager",
  async (...command) => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const tags = Array.from({ length: 12 }, (_, n) => `tag-${n}`);
    const work = session({ id: "long" }).custom("pidex", { tags });
    for (const tag of tags) {
      work.assistant("Done.", { model: tag, usage: { input: 1 } });
      work.tool("read", { path: `${tag}.ts` }, "");
      work.label(work.lastId, tag);
    }
    work.writeUnder(root);
    const data = join(folder, "data");
    const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: data, NO_COLOR: "1" };
    const start = (argv: readonly string[], pager: string) =>
      openTerminal({
        argv: [process.execPath, BUILT_PIDEX, ...argv, "--root", root, "--db", join(folder, "i.db")],
        env: { ...env, PAGER: pager },
        cols: 100,
        rows: 5,
      });
    if (command[0] === "trash") {
      for (let n = 0; n < 8; n++)
        session({ id: `gone-${n}` })
          .user("Hello.")
          .writeUnder(root);
      const ids = Array.from({ length: 8 }, (_, n) => `gone-${n}`);
      await (await start(["delete", ...ids, "--yes"], "cat")).exit;
    }
    const shown = await start(command, "sed 's/^/paged: /'");
    await shown.exit;
    expect(shown.bytes()).toContain("paged: ");
    const direct = await start(["--no-pager", ...command], "sed 's/^/paged: /'");
    await direct.exit;
    expect(direct.bytes()).not.toContain("paged: ");
  },
);

test("--no-pager is accepted before a command without a pager", async () => {
  const folder = temporaryFolder();
  const run = pidexAt(folder, folder);
  expect((await run(["--no-pager", "index"])).exit).toBe(0);
  expect((await run(["index", "--no-pager"])).exit).toBe(2);
});

test("a pager that quits early ends the command without an error", async () => {
  const { code, text } = await (await createRunner())(["show", "long", "--all"], { PAGER: "head -n 1" });
  expect(text).toBe("prompt 1\n");
  expect(code).toBe(0);
});

test("output goes to the terminal with a note if the pager cannot be run", async () => {
  const { code, text } = await (await createRunner())(["show", "long"], { PAGER: "no-such-pager -x" });
  expect(text).toMatch(/^note: cannot run the pager no-such-pager: .*ENOENT/m);
  expect(text).toContain("prompt 1\n");
  expect(text).toContain("prompt 300\n");
  expect(code).toBe(0);
});

test("less gets the options that show colors and leave the text on the screen, unless LESS is set", async () => {
  const run = await createRunner();
  const print = "node -e console.log(process.env.LESS)";
  expect((await run(["show", "long"], { PAGER: print })).text).toBe("FRX\n");
  expect((await run(["show", "long"], { PAGER: print, LESS: "S" })).text).toBe("S\n");
});
