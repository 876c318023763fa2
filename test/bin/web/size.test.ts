import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { BUILT_PAGE } from "../../built.ts";

const MAX_BYTES = 300_000;
/** What a page in English loads of the fonts, which the browser keeps. */
const MAX_FONT_BYTES = 100_000;

/** All files that the views may load, without highlighting: starting at `index.html`, every file that is mentioned. */
function filesOfViews(): string[] {
  const assets = readdirSync(join(BUILT_PAGE, "assets"));
  const seen = new Set<string>(["index.html"]);
  for (const file of seen) {
    const text = readFileSync(join(BUILT_PAGE, file), "utf8");
    for (const name of assets) {
      if (text.includes(name) && !name.startsWith("highlight-worker-")) seen.add(join("assets", name));
    }
  }
  return [...seen];
}

test("all views together are less than 300 KB compressed, without highlighting", () => {
  // The folder may contain files of another build.
  const files = filesOfViews();
  expect(files.length).toBeGreaterThan(4);
  expect(files.some((file) => file.includes("session-view"))).toBe(true);
  expect(files.some((file) => /typescript|python/.test(file))).toBe(false);
  const sizeOf = (some: string[]) =>
    some.reduce((sum, file) => sum + gzipSync(readFileSync(join(BUILT_PAGE, file))).length, 0);
  const fonts = files.filter((file) => file.endsWith(".woff2"));
  expect(sizeOf(files.filter((file) => !fonts.includes(file)))).toBeLessThan(MAX_BYTES);
  const latin = fonts.filter((file) => /-latin-wght/.test(file));
  expect(latin.length).toBe(2);
  expect(sizeOf(latin)).toBeLessThan(MAX_FONT_BYTES);
});

test("the page mentions no other origins", () => {
  const html = readFileSync(join(BUILT_PAGE, "index.html"), "utf8");
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
  expect(addresses.length).toBeGreaterThan(1);
  expect(addresses.filter((address) => !address?.startsWith("/"))).toEqual([]);
  expect(html).not.toMatch(/<script>|<style|style=|onload=/);
});
