import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { BUILT_EXTENSION, BUILT_PIDEX } from "../built.ts";

/** The code in a folder, without the folders in it: the page is for browsers, and loads nothing by name. */
const codeIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(folder, name), "utf8"));

test("what is published loads no package that is only there while pidex is developed", () => {
  const code = [dirname(BUILT_PIDEX), dirname(BUILT_EXTENSION)].flatMap(codeIn);
  const isLoaded = (name: string) => {
    const loads = new RegExp(`(?:\\bfrom|\\bimport|\\b(?:require|import|resolve)\\()\\s*"${name}["/]`);
    return code.some((text) => loads.test(text));
  };
  expect(isLoaded("better-sqlite3")).toBe(true); // as one that is loaded by name looks
  expect(Object.keys(manifest.devDependencies).filter(isLoaded)).toEqual([]);
});

test("pi's own packages are none that npm installs with pidex: pi warns of them, and the picker has pi-tui built in", () => {
  expect(
    Object.keys(manifest.dependencies).filter((name) => /^@(earendil-works|mariozechner)\//.test(name)),
  ).toEqual([]);
});
