import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { BUILT_PAGE } from "../../built.ts";

const MOST_BYTES = 300_000;

/** All that the page's views may load, but for what colours code: from `index.html`, whatever names a file. */
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

test("all views together are less than 300 KB on their way, before code is coloured", () => {
  // Another build may lie beside it: only what this one names counts.
  const files = filesOfViews();
  expect(files.length).toBeGreaterThan(4);
  expect(files.some((file) => file.includes("session-view"))).toBe(true);
  expect(files.some((file) => /typescript|python/.test(file))).toBe(false);
  const bytes = files.map((file) => gzipSync(readFileSync(join(BUILT_PAGE, file))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(MOST_BYTES);
});

test("the page names nothing that lies elsewhere", () => {
  const html = readFileSync(join(BUILT_PAGE, "index.html"), "utf8");
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
  expect(addresses.length).toBeGreaterThan(1);
  expect(addresses.filter((address) => !address?.startsWith("/"))).toEqual([]);
  expect(html).not.toMatch(/<script>|<style|style=|onload=/);
});
