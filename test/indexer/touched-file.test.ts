import { posix as node } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { looksLikePath, resolvePath } from "../../indexer/touched-file.ts";

const posix = "/home/ada/shop";
const windows = "C:\\Users\\ada\\till";

describe("a path is resolved", () => {
  test.each<[string, string, string | null]>([
    ["src/a.ts", posix, "/home/ada/shop/src/a.ts"],
    ["./src//a.ts", posix, "/home/ada/shop/src/a.ts"],
    ["../blog/./b.md", posix, "/home/ada/blog/b.md"],
    ["../../../../../etc/hosts", posix, "/etc/hosts"],
    ["/var/log/../tmp//x/", posix, "/var/tmp/x"],
    [".", posix, "/home/ada/shop"],
    ["/", posix, "/"],
    ["..", "/", "/"],
    ["a b/ü.ts", posix, "/home/ada/shop/a b/ü.ts"],
    ["back\\slash", posix, "/home/ada/shop/back\\slash"],
    ["~/notes/../a.md", posix, "~/a.md"],
    ["~", posix, "~"],
    ["~/../eve", posix, "~/../eve"],
    ["~ada", posix, "/home/ada/shop/~ada"],
    ["a.ts", "~/shop", "~/shop/a.ts"],
    ["file:///home/ada/a%20b.ts", posix, "/home/ada/a b.ts"],
    ["file://localhost/tmp/x", posix, "/tmp/x"],
    ["file:///C:/till/a.ts", windows, "C:\\till\\a.ts"],
    ["src\\a.ts", windows, "C:\\Users\\ada\\till\\src\\a.ts"],
    ["src/a.ts", windows, "C:\\Users\\ada\\till\\src\\a.ts"],
    ["c:/till/./a.ts", windows, "C:\\till\\a.ts"],
    ["..\\..\\..\\..\\x", windows, "C:\\x"],
    ["/c/Users/ada", windows, "C:\\Users\\ada"],
    ["/tmp/x.log", windows, "/tmp/x.log"],
    ["~\\x\\y", windows, "~/x/y"],
    ["\\\\server\\share\\x", windows, "\\\\server\\share\\x"],
    ["//server/share/x", windows, "\\\\server\\share\\x"],
    ["D:\\x\\..\\y", posix, "D:\\y"],
    ["src/../a.ts", "", "a.ts"],
    ["../a.ts", "", "../a.ts"],
    ["/a/./b", "", "/a/b"],
  ])("%j in %j is %j", (written, cwd, path) => {
    expect(resolvePath(written, cwd)).toBe(path);
  });

  test.each([
    ["", posix],
    [".", ""],
    ["https://shop.example/a.ts", posix],
    ["file://server/a.ts", posix],
    ["file:///a%zz", posix],
    ["a\0b", posix],
  ])("%j in %j is not a path", (written, cwd) => {
    expect(resolvePath(written, cwd)).toBeNull();
  });

  test("text longer than any path is not a path, before or after resolving", () => {
    expect(resolvePath("a".repeat(4097), "")).toBeNull();
    expect(resolvePath("a".repeat(4090), posix)).toBeNull();
    expect(resolvePath("a".repeat(4096), "")).toHaveLength(4096);
  });

  test("lone surrogates are replaced as SQLite does", () => {
    expect(resolvePath("a\ud83d", posix)).toBe(resolvePath("a\udc00", posix));
  });

  const steps = fc.array(fc.constantFrom("src", "..", ".", "", "b c", "C:", "~", ".x.ts", "ü"), {
    maxLength: 8,
  });

  test("idempotently", () => {
    const style = fc.constantFrom([posix, "/"], ["~/x", "/"], [windows, "\\"]);
    fc.assert(
      fc.property(steps, style, (steps, [cwd = "", separator]) => {
        const once = resolvePath(steps.join(separator), cwd);
        if (once !== null) expect(resolvePath(once, cwd)).toBe(once);
      }),
      { numRuns: 800 },
    );
  });

  test("as Node resolves it", () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const written = steps.join("/");
        fc.pre(written !== "" && !/^(?:~|C:)/.test(written));
        expect(resolvePath(written, posix)).toBe(node.resolve(posix, written));
      }),
      { numRuns: 800 },
    );
  });
});

describe("a word", () => {
  test.each([
    "a.ts",
    "src/a",
    ".env",
    "../x",
    "/tmp/x",
    "C:\\x.ts",
    "C:/x",
    "~/x",
    "a b.md",
    "app/[id]/page.tsx",
  ])("%j looks like a path", (word) => {
    expect(looksLikePath(word)).toBe(true);
  });

  test.each([
    "",
    "src",
    "-n.ts",
    "--file=a.ts",
    "/dev/null",
    "https://a.example/b.ts",
    "*.ts",
    "src/?.ts",
    "1.5",
    "20",
    "/",
    "..",
    "./",
    "HEAD:src/a.ts",
    "$HOME/a.ts",
    "a|b.ts",
    "\\.ts",
    "a\n/b",
    "a\0/b",
  ])("%j does not", (word) => {
    expect(looksLikePath(word)).toBe(false);
  });
});
