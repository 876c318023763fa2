import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlob } from "../../query/glob.ts";
import { escapeGlob, isGlob } from "../../query/paths.ts";

describe("a glob", () => {
  test.each([
    ["*.ts", "tax.ts"],
    ["*.ts", ".ts"],
    ["*", ".env"],
    ["src/*/a", "src/.github/a"],
    ["t?x.ts", "t😀x.ts"],
    ["[a-c]x", "bx"],
    ["[!a-c]x", "dx"],
    ["[^a]x", "bx"],
    ["[]]", "]"],
    ["[!]]", "a"],
    ["[a-]", "-"],
    ["[[]slug]", "[slug]"],
    ["*.{ts,js}", "a.js"],
    ["{src,test/{a,b}}/*", "test/b/x"],
    ["{a,}b", "b"],
    ["{a", "{a"],
    ["a}", "a}"],
    ["a,b", "a,b"],
    ["[a", "[a"],
    ["{a,[}]}", "}"],
    ["**/a", "a"],
    ["**/a", "x/y/a"],
    ["a/**/b", "a/b"],
    ["a/**/b", "a/x/y/b"],
    ["a/**", "a/b/c"],
    ["a**", "abc"],
    ["[+-9]", "5"],
    ["{[!/,]}", "a"],
    ["{**/x,y}", "a/b/x"],
    ["/home/*/x", "/home/ada/x"],
    ["**", "/a/b"],
  ])("%s matches %s", (glob, path) => {
    expect(compileGlob(glob)(path)).toBe(true);
  });

  test.each([
    ["*.ts", "tax.tsx"],
    ["*.ts", "src/tax.ts"],
    ["src/*", "src/a/b"],
    ["?", "/"],
    ["[!a]", "/"],
    ["[a/]b", "/b"],
    ["[+-9]", "/"],
    ["[/]", "/"],
    ["[z-a]", "m"],
    ["[!]", "a"],
    ["[a-c]", "B"],
    ["{a,b}", "a,b"],
    ["a/**", "a"],
    ["a/**/b", "ab"],
    ["a/**/b", "a/xb"],
    ["**/a", "xa"],
    ["a**", "a/b"],
    ["a.ts", "axts"],
    ["", "a"],
    ["*(a)", "aa"],
  ])("%s does not match %s", (glob, path) => {
    expect(compileGlob(glob)(path)).toBe(false);
  });

  test("escaped from a text matches only that text", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "/", "*", "?", "[", "]", "{", "}", ",", "!", "-", "😀"),
    });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const is = compileGlob(escapeGlob(one));
        expect([is(one), is(other)]).toEqual([true, one === other]);
        expect(isGlob(one)).toBe(/[*?[{]/.test(one));
      }),
    );
  });

  test("agrees with node for names that do not begin with a dot", () => {
    const name = fc.constantFrom("a", "b", "*", "?", "a*", "*b*", "**", "{a,b*}", "[ab]", "[!a]", "?{,b}");
    const globs = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 3 });
    const paths = fc.array(word, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
    fc.assert(
      fc.property(globs, fc.array(paths, { maxLength: 5 }), (glob, some) => {
        const matches = compileGlob(glob);
        for (const path of some) expect([path, matches(path)]).toEqual([path, posix.matchesGlob(path, glob)]);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["stars", `${"*a".repeat(450)}b`],
    ["folders", `${"**/".repeat(300)}b`],
    ["choices", "{a,*}".repeat(200)],
    ["groups in groups", `${"{".repeat(450)}*${"}".repeat(450)}`],
    ["classes", "[!b-z]".repeat(150)],
    ["open brackets", "[{".repeat(450)],
  ])(
    "of nothing but %s costs no more than its length times the path's",
    (_, glob) => {
      const matches = compileGlob(glob);
      // Takes milliseconds; backtracking would not end.
      for (let n = 0; n < 200; n++) matches(`${"a".repeat(100)}${n}/${"a/".repeat(100)}c`);
    },
    20_000,
  );
});
