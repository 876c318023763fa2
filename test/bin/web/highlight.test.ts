import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { highlight, load } from "../../../bin/web/page/highlight/highlight.ts";
import { LANGUAGES, languageOf, languageOfFile } from "../../../bin/web/page/highlight/languages.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME } from "../cli.ts";
import { browsing, inBrowser } from "./browser.ts";

test("code in colours is the same code", async () => {
  const own = readFileSync(join(HOME, "bin/web/page/highlight/highlight.ts"), "utf8");
  const samples = [
    ["typescript", own],
    ["python", 'def f(a):\n    """doc\n    more"""\n    return {"a": 1}\n'],
    ["bash", "for f in *.ts; do echo \"$f\" | sed 's/a/b/'; done\n"],
  ] as const;
  for (const [language, code] of samples) {
    const made = await load(language);
    const lines = highlight(made, code, language, 10_000);
    expect(lines.map((line) => line.map(([text]) => text).join("")).join("\n")).toBe(code);
    expect(new Set(lines.flatMap((line) => line.map(([, kind]) => kind))).size).toBeGreaterThan(2);
  }
});

test("whatever the code is, it is the same in colours, and its kinds are names of classes", async () => {
  const made = await load("json");
  const text = fc.string({
    unit: fc.constantFrom(..."{}[]\":,01 \n\\/*ab\u202e'<é".split("")),
    maxLength: 80,
  });
  fc.assert(
    fc.property(text, (code) => {
      const lines = highlight(made, code, "json", 10_000);
      expect(lines.map((line) => line.map(([part]) => part).join("")).join("\n")).toBe(code);
      for (const [, kind] of lines.flat()) if (kind !== undefined) expect(kind).toMatch(/^[a-z-]+$/);
    }),
  );
});

test("what is not reached in time, and lines that are too long, stay in one colour", async () => {
  const made = await load("json");
  const code = Array.from({ length: 100 }, () => '{"a": 1}').join("\n");
  expect(highlight(made, code, "json", 0)).toEqual(code.split("\n").map((line) => [[line]]));
  const long = `"${"x".repeat(5000)}"`;
  expect(highlight(made, long, "json", 10_000)).toEqual([[[long]]]);
});

test("each language can be loaded", async () => {
  for (const language of LANGUAGES) await load(language);
});

test("languages go by the names that people and files give them", () => {
  expect(["ts", "TypeScript", "py", "sh", "yml", "c++", "Dockerfile"].map(languageOf)).toEqual([
    "typescript",
    "typescript",
    "python",
    "bash",
    "yaml",
    "cpp",
    "docker",
  ]);
  expect(
    ["/a/b.tsx", "C:\\x\\y.RS", "Makefile", "a/.env", "x.unknown", "noending", ""].map(languageOfFile),
  ).toEqual(["tsx", "rust", "make", "ini", undefined, undefined, undefined]);
  expect(["constructor", "__proto__", "x".repeat(100), "", undefined].map(languageOf)).toEqual(
    Array(5).fill(undefined),
  );
});

inBrowser("in a browser", () => {
  test("code comes in colours, from a thread, and the page's policy is kept", async () => {
    const root = join(temporaryFolder(), "root");
    session({ id: "colours" }).user("how?").assistant("```ts\nconst rate = 0.19;\n```").writeUnder(root);
    const { page } = await browsing(root, { path: "/session/colours" });
    await page.locator(".code-keyword", { hasText: "const" }).waitFor();
    expect(await page.locator(".code-block code").textContent()).toBe("const rate = 0.19;");
  });
});
