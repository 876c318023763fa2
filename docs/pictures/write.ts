/** Makes the pictures of the pages, docs/pictures/*.svg, of a demo root: `npm run screenshots`, names to make only some. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeDemo } from "../../bin/demo/write-demo.ts";
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

/** A command that writes and ends. */
const toItsEnd = async (scene: Scene): Promise<void> => {
  const code = await scene.ended();
  if (code !== 0) throw new Error(`pidex ended with ${code}:\n${scene.lines().join("\n")}`);
};

const PICTURES: Picture[] = [
  { name: "list", title: "pidex list", argv: ["list", "-n", "18"], cols: 110, rows: 20, steps: toItsEnd },
  {
    name: "search",
    title: "pidex search double tax since:30d",
    argv: ["search", "double", "tax", "since:30d"],
    cols: 110,
    rows: 17,
    steps: toItsEnd,
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
const unknown = wanted.filter((name) => !PICTURES.some((picture) => picture.name === name));
if (unknown.length > 0) throw new Error(`there is no picture named ${unknown.join(", ")}`);

const folder = mkdtempSync(join(tmpdir(), "pidex-pictures-"));
try {
  const { root } = writeDemo(folder, { now: NOW });
  for (const picture of PICTURES) {
    if (wanted.length > 0 && !wanted.includes(picture.name)) continue;
    const svg = await take(picture, folder, root);
    writeFileSync(join(import.meta.dirname, `${picture.name}.svg`), svg);
    console.log(`docs/pictures/${picture.name}.svg  ${(svg.length / 1024).toFixed(0)} kB`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
