/**
 * Writes the pictures in docs/pictures, of the picker and the page with sample sessions: `npm run screenshots`. Arguments are
 * the names of the pictures to write; default: all.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import xterm from "@xterm/headless";
import { writeDemo } from "../../bin/demo/write-demo.ts";
import { TestTerminal } from "../../test/test-terminal.ts";
import { PAGE_PICTURES, takePages } from "./page.ts";
import { toSvg } from "./svg.ts";

interface Picture {
  /** The file's name, without `.svg`. */
  name: string;
  cols: number;
  rows: number;
  /** Brings the terminal to the screen to draw. */
  steps(terminal: TestTerminal): Promise<void>;
}

/** Types a query and waits for its results. */
const search = async (terminal: TestTerminal, query: string): Promise<void> => {
  await terminal.until("1 of 300"); // everything is indexed
  terminal.write(query);
  await terminal.until(
    ([heading = "", line = ""]) => line.trimEnd().endsWith(query) && /1 of \d\d?\s*$/.test(heading),
  );
};

const PICTURES: Picture[] = [
  {
    name: "picker",
    cols: 120,
    rows: 36,
    async steps(terminal) {
      await search(terminal, "double tax");
      await terminal.until("There it is: gross already");
    },
  },
  {
    name: "reading",
    cols: 120,
    rows: 36,
    async steps(terminal) {
      await search(terminal, "gross project:shop");
      terminal.press("ctrl+v");
      await terminal.until("There it is");
      terminal.press("e");
      await terminal.until("-  return roundToCents(gross + taxOf");
    },
  },
  {
    name: "tree",
    cols: 120,
    rows: 36,
    async steps(terminal) {
      await search(terminal, "order history index");
      terminal.press("ctrl+t");
      await terminal.until(/^── The order history .*\d prompts/m);
    },
  },
];

const NOW = new Date("2026-11-20T16:00:00.000Z");
const PIDEX = join(import.meta.dirname, "..", "..", "bin", "pidex.ts");

async function take(picture: Picture, folder: string, root: string): Promise<string> {
  const home = join(folder, "home", "ada");
  const env = {
    COLORTERM: "truecolor",
    HOME: home,
    PATH: process.env.PATH ?? "",
    LANG: "C.UTF-8",
    TZ: "UTC",
    PIDEX_ROOTS: root,
    PIDEX_DB: join(folder, "index.db"),
    PICTURES_NOW: NOW.toISOString(),
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "clock.ts")).href}`,
  };
  const { cols, rows } = picture;
  const argv = [process.execPath, PIDEX, "pick", "--all"] as const;
  const screen = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  await using terminal = new TestTerminal({ argv, env, cols, rows, cwd: join(home, "shop"), screen });
  await picture.steps(terminal);
  return toSvg(screen, { title: "pidex" });
}

const names = process.argv.slice(2);
const unknown = names.filter(
  (name) => ![...PICTURES, ...PAGE_PICTURES].some((picture) => picture.name === name),
);
if (unknown.length > 0) throw new Error(`there is no picture named ${unknown.join(", ")}`);

const folder = mkdtempSync(join(tmpdir(), "pidex-pictures-"));
try {
  const { root } = writeDemo(folder, { now: NOW });
  const isSelected = ({ name }: { name: string }) => names.length === 0 || names.includes(name);
  for (const picture of PICTURES.filter(isSelected)) {
    const svg = await take(picture, folder, root);
    writeFileSync(join(import.meta.dirname, `${picture.name}.svg`), svg);
    console.log(`docs/pictures/${picture.name}.svg  ${(svg.length / 1024).toFixed(0)} kB`);
  }
  const pages = PAGE_PICTURES.filter(isSelected);
  const db = join(folder, "page.db");
  if (pages.length > 0) {
    for (const [name, png] of await takePages(pages, { root, db, now: NOW })) {
      writeFileSync(join(import.meta.dirname, name), png);
      console.log(`docs/pictures/${name}  ${(png.length / 1024).toFixed(0)} kB`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
