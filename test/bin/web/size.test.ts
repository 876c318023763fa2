import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { BUILT_PAGE } from "../../built.ts";

const MAX_BYTES = 300_000;

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
  const bytes = files.map((file) => gzipSync(readFileSync(join(BUILT_PAGE, file))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(MAX_BYTES);
});

test("the page mentions no other origins", () => {
  const html = readFileSync(join(BUILT_PAGE, "index.html"), "utf8");
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
  expect(addresses.length).toBeGreaterThan(1);
  expect(addresses.filter((address) => !address?.startsWith("/"))).toEqual([]);
  expect(html).not.toMatch(/<script>|<style|style=|onload=/);
});
