import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { highlightLines, loadHighlighter } from "../../../bin/web/page/highlight/highlight.ts";
import { findFileLanguage, findLanguage, LANGUAGES } from "../../../bin/web/page/highlight/languages.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME } from "../cli.ts";
import { describeInBrowser, openPage } from "./browser.ts";

test("highlighting does not change the code", async () => {
  const own = readFileSync(join(HOME, "bin/web/page/highlight/highlight.ts"), "utf8");
  const samples = [
    ["typescript", own],
    ["python", 'def f(a):\n    """doc\n    more"""\n    return {"a": 1}\n'],
    ["bash", "for f in *.ts; do echo \"$f\" | sed 's/a/b/'; done\n"],
  ] as const;
  for (const [language, code] of samples) {
    const highlighter = await loadHighlighter(language);
    const lines = highlightLines(highlighter, code, language, 10_000);
    expect(lines.map((line) => line.map(([text]) => text).join("")).join("\n")).toBe(code);
    expect(new Set(lines.flatMap((line) => line.map(([, kind]) => kind))).size).toBeGreaterThan(2);
  }
});

test("highlighting never changes code, and its kinds are valid class names", async () => {
  const highlighter = await loadHighlighter("json");
  const text = fc.string({
    unit: fc.constantFrom(..."{}[]\":,01 \n\\/*ab\u202e'<é".split("")),
    maxLength: 80,
  });
  fc.assert(
    fc.property(text, (code) => {
      const lines = highlightLines(highlighter, code, "json", 10_000);
      expect(lines.map((line) => line.map(([part]) => part).join("")).join("\n")).toBe(code);
      for (const [, kind] of lines.flat()) if (kind !== undefined) expect(kind).toMatch(/^[a-z-]+$/);
    }),
  );
});

test("lines beyond the time limit, and lines that are too long, are not highlighted", async () => {
  const highlighter = await loadHighlighter("json");
  const code = Array.from({ length: 100 }, () => '{"a": 1}').join("\n");
  expect(highlightLines(highlighter, code, "json", 0)).toEqual(code.split("\n").map((line) => [[line]]));
  const long = `"${"x".repeat(5000)}"`;
  expect(highlightLines(highlighter, long, "json", 10_000)).toEqual([[[long]]]);
});

test("every language can be loaded", async () => {
  for (const language of LANGUAGES) await loadHighlighter(language);
});

test("languages are found by name, alias and file name", () => {
  expect(["ts", "TypeScript", "py", "sh", "yml", "c++", "Dockerfile"].map(findLanguage)).toEqual([
    "typescript",
    "typescript",
    "python",
    "bash",
    "yaml",
    "cpp",
    "docker",
  ]);
  expect(
    ["/a/b.tsx", "C:\\x\\y.RS", "Makefile", "a/.env", "x.unknown", "noending", ""].map(findFileLanguage),
  ).toEqual(["tsx", "rust", "make", "ini", undefined, undefined, undefined]);
  expect(["constructor", "__proto__", "x".repeat(100), "", undefined].map(findLanguage)).toEqual(
    Array(5).fill(undefined),
  );
});

describeInBrowser("in a browser", () => {
  test("code is highlighted in a worker, without violating the page's content security policy", async () => {
    const root = join(temporaryFolder(), "root");
    session({ id: "colors" }).user("how?").assistant("```ts\nconst rate = 0.19;\n```").writeUnder(root);
    const { page } = await openPage(root, { path: "/session/colors" });
    await page.locator(".code-keyword", { hasText: "const" }).waitFor();
    expect(await page.locator(".code-block code").textContent()).toBe("const rate = 0.19;");
  });
});
