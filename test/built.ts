/**
 * Bundles the command line and its page as published, once before the tests: the picker's tests start it dozens of times, which
 * takes three times as long from source.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { build as buildPage } from "vite";
import { commandLine, library, piExtension } from "../rolldown.config.ts";
import { CHROMIUM } from "./bin/web/chromium.ts";
import { reportMissingPeers } from "./peer/peers.ts";

const HOME = join(import.meta.dirname, "..");
const DIST = join(HOME, "node_modules", ".cache", "built");
const FOLDER = join(DIST, "bin");

/** The built program. */
export const BUILT_PIDEX = join(FOLDER, "pidex.js");

const NO_BROWSER = `
  !! Chromium was not found: all tests of the page in a browser are SKIPPED. Install one, or set PIDEX_CHROMIUM to one.
`;

/** The built page. */
export const BUILT_PAGE = join(FOLDER, "page");

/** The extension that pi loads. */
export const BUILT_EXTENSION = join(DIST, "pi", "extension.js");

export default async function build(): Promise<void> {
  reportMissingPeers();
  if (!CHROMIUM) console.error(NO_BROWSER);
  const { output, ...input } = commandLine;
  const bundle = await rolldown({ ...input, cwd: HOME });
  // Not deleted first: another test run may be using it.
  await bundle.write({ ...output, dir: FOLDER, cleanDir: false });
  await bundle.close();
  await buildHealthProcess();
  await buildPiExtension();
  const page = { outDir: BUILT_PAGE, emptyOutDir: false };
  await buildPage({ configFile: join(HOME, "vite.config.ts"), build: page });
}

/** The published package is an ES module package; below `node_modules` the folder needs its own package.json. */
async function buildPiExtension(): Promise<void> {
  const { output, ...input } = piExtension;
  const bundle = await rolldown({ ...input, cwd: HOME });
  await bundle.write({ ...output, dir: dirname(BUILT_EXTENSION), cleanDir: false });
  await bundle.close();
  writeFileSync(join(dirname(BUILT_EXTENSION), "package.json"), '{ "type": "module" }\n');
}

/**
 * The process that doctor checks a database in. It is started by path, and below `node_modules` Node would not treat the file
 * as an ES module.
 */
async function buildHealthProcess(): Promise<void> {
  const { output, input, ...options } = library;
  const name = "health-process";
  const bundle = await rolldown({
    ...options,
    cwd: HOME,
    input: { [name]: (input as Record<string, string>)[name] as string },
  });
  await bundle.write({ ...output, format: "cjs", dir: DIST, cleanDir: false });
  await bundle.close();
}
