/** Makes the pictures of docs/pictures of a demo root, of the picker and of the page: `npm run screenshots`, names to make only some. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeDemo } from "../../bin/demo/write-demo.ts";
import { PAGE_PICTURES, takePages } from "./page.ts";
import { type Scene, scene } from "./scene.ts";
import { toSvg } from "./svg.ts";

interface Picture {
  /** The file's name, without `.svg`. */
  name: string;
  /** What stands in the window's bar. */
  title: string;
  /** Arguments of pidex. */
  argv: string[];
  cols: number;
  rows: number;
  /** What is done before the picture is taken. */
  steps(scene: Scene): Promise<void>;
}

/** Types as a person does, and waits until what was found is shown. */
const look = async (scene: Scene, query: string): Promise<void> => {
  await scene.until("1/300"); // all is indexed
  scene.type(query);
  await scene.until(
    ([heading = "", line = ""]) => line.trimEnd().endsWith(query) && /1\/\d\d?\s*$/.test(heading),
  );
};

const PICTURES: Picture[] = [
  {
    name: "picker",
    title: "pidex",
    argv: ["pick", "--all"],
    cols: 124,
    rows: 30,
    async steps(scene) {
      await look(scene, "double tax");
      scene.key("alt+n");
      await scene.until("AssertionError: expected");
    },
  },
  {
    name: "reading",
    title: "pidex",
    argv: ["pick", "--all"],
    cols: 100,
    rows: 28,
    async steps(scene) {
      await look(scene, "gross project:shop");
      scene.key("ctrl+v");
      await scene.until("There it is");
      scene.key("e");
      await scene.until("-  return roundToCents(gross + taxOf");
    },
  },
  {
    name: "tree",
    title: "pidex",
    argv: ["pick", "--all"],
    cols: 100,
    rows: 22,
    async steps(scene) {
      await look(scene, "order history index");
      scene.key("ctrl+t");
      await scene.until("summary ## Tried");
    },
  },
];

const NOW = new Date("2026-11-20T16:00:00.000Z");
const PIDEX = join(import.meta.dirname, "..", "..", "bin", "pidex.ts");

async function take(picture: Picture, folder: string, root: string): Promise<string> {
  const home = join(folder, "home", "ada");
  const env = {
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
  const argv = [process.execPath, PIDEX, ...picture.argv] as const;
  const shown = await scene({ argv, env, cols, rows, cwd: join(home, "shop") });
  try {
    await picture.steps(shown);
    return toSvg(shown.terminal, { title: picture.title });
  } finally {
    await shown.close();
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter(
  (name) => ![...PICTURES, ...PAGE_PICTURES].some((picture) => picture.name === name),
);
if (unknown.length > 0) throw new Error(`there is no picture named ${unknown.join(", ")}`);

const folder = mkdtempSync(join(tmpdir(), "pidex-pictures-"));
try {
  const { root } = writeDemo(folder, { now: NOW });
  const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.includes(name);
  for (const picture of PICTURES.filter(isWanted)) {
    const svg = await take(picture, folder, root);
    writeFileSync(join(import.meta.dirname, `${picture.name}.svg`), svg);
    console.log(`docs/pictures/${picture.name}.svg  ${(svg.length / 1024).toFixed(0)} kB`);
  }
  const pages = PAGE_PICTURES.filter(isWanted);
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
