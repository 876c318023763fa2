import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { type Scene, scene } from "../../docs/pictures/scene.ts";

/** Runs JavaScript in a pseudo-terminal of 30 columns and 5 rows. */
async function running(code: string): Promise<Scene> {
  const argv = [process.execPath, "-e", code] as const;
  const env = { PATH: process.env.PATH ?? "" };
  const shown = await scene({ argv, env, cols: 30, rows: 5, cwd: tmpdir() });
  onTestFinished(() => shown.close());
  return shown;
}

const ECHO = `
  process.stdin.setRawMode(true);
  process.stdin.on("data", (data) => {
    if (data.toString() === "q") process.exit(3);
    process.stdout.write(JSON.stringify(data.toString()) + "\\r\\n");
  });
  process.stdout.on("resize", () => process.stdout.write("now " + process.stdout.columns + "\\r\\n"));
  process.stdout.write("ready\\r\\n");
`;

test("what is typed and pressed arrives, and what comes of it is seen", async () => {
  const shown = await running(ECHO);
  await shown.until("ready");
  shown.type("tax");
  await shown.until('"tax"');
  shown.key("ctrl+t");
  await shown.until('"\\u0014"');
  shown.key("shift+tab");
  await shown.until((lines) => lines.at(3) === '"\\u001b[Z"');
  expect(shown.lines()).toEqual(["ready", '"tax"', '"\\u0014"', '"\\u001b[Z"', ""]);
  expect(() => shown.key("ctrl+tax")).toThrow("there is no key named ctrl+tax");
  shown.type("q");
  expect(await shown.ended()).toBe(3);
});

test("the program hears of another size", async () => {
  const shown = await running(ECHO);
  await shown.until("ready");
  shown.resize(40, 6);
  await shown.until("now 40");
  expect(shown.lines()).toHaveLength(6);
});

test("the terminal answers what the program asks it", async () => {
  const shown = await running(`
    process.stdin.setRawMode(true);
    process.stdin.once("data", (data) => {
      process.stdout.write("\\r\\nat " + JSON.stringify(data.toString()) + "\\r\\n");
      process.exit();
    });
    process.stdout.write("abc\\x1b[6n");
  `);
  await shown.until('at "\\u001b[1;4R"');
});

test("who waits for what a program never shows hears how it ended, and sees the screen", async () => {
  const shown = await running('console.log("nothing here"); process.exitCode = 7');
  await expect(shown.until("double tax")).rejects.toThrow(
    /ended with 7 before: "double tax"[\s\S]*\| nothing here/,
  );
});
