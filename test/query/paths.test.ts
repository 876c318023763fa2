import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findMatchingPaths } from "../../query/paths.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { databaseIn } from "../indexer/index-at.ts";
import { temporaryFolder } from "../temporary.ts";
import { failure } from "./opened-queries.ts";

const HOME = process.env.HOME || homedir();

const PATHS = [
  "/home/ada/shop/src/tax.ts",
  "/home/ada/shop/src/cart/tax.test.ts",
  "/home/ada/shop/src",
  "/home/ada/shop/README.md",
  "/home/ada/shop/app/[slug]/page.tsx",
  "/home/ada/shop/app/s/page.tsx",
  "/home/ada/shop/.github/ci.yml",
  "/home/bob/blog/src/post.py",
  "/home/bob/blog/srcs/post.py",
  "/x/mytax.ts",
  "/x/Makefile",
  "/x/caf\u00e9.md",
  "/x/a\\b.ts",
  "C:\\Users\\ada\\shop\\src\\tax.ts",
  "\\\\server\\share\\notes.md",
  "src/tax.ts",
  "~/notes/plan.md",
  `${HOME}/notes/plan.md`,
  join(process.cwd(), "query", "paths.ts"),
] as const;

/** Returns a function that matches patterns against `PATHS` in a database. */
async function pathMatcher() {
  const db = await databaseIn(temporaryFolder());
  const insert = db.writer.prepare("INSERT INTO path (id, path) VALUES (?, ?)");
  PATHS.forEach((path, n) => void insert.run(n + 1, path));
  return async (pattern: string): Promise<string[]> =>
    (await findMatchingPaths(new SqliteStore(db.reader, { roots: [] }), pattern)).map(
      (id) => PATHS[id - 1] as string,
    );
}

const TAX = [PATHS[0], PATHS[13], PATHS[15]];

describe("a pattern", () => {
  test.each<[string, readonly string[]]>([
    // The end of a path, by whole names.
    ["tax.ts", TAX],
    ["src/tax.ts", TAX],
    ["src\\tax.ts", [PATHS[13]]],
    ["shop/src/tax.ts", [PATHS[0], PATHS[13]]],
    ["src//x/../tax.ts", TAX],
    ["src", [PATHS[0], PATHS[1], PATHS[2], PATHS[7], PATHS[13], PATHS[15]]],
    ["shop/src", [PATHS[0], PATHS[1], PATHS[2], PATHS[13]]],
    ["/home/ada/shop/src", PATHS.slice(0, 3)],
    ["a\\b.ts", [PATHS[12]]],
    ["src/cart", [PATHS[1]]],
    ["SRC/cart", [PATHS[1]]],
    ["/home/bob", [PATHS[7], PATHS[8]]],
    ["shop/src/tax.ts/x", []],
    ["nosuch.ts", []],
    // One path.
    ["/home/ada/shop/src/tax.ts", [PATHS[0]]],
    ["/home/ada/shop/./x/../src/tax.ts", [PATHS[0]]],
    ["/shop/src/tax.ts", []],
    ["C:\\Users\\ada\\shop\\src\\tax.ts", [PATHS[13]]],
    ["C:/Users/ada/shop/src/tax.ts", [PATHS[13]]],
    ["\\\\server\\share\\notes.md", [PATHS[14]]],
    ["//server/share/notes.md", [PATHS[14]]],
    ["~/notes/plan.md", [PATHS[16], PATHS[17]]],
    [`${HOME}/notes/plan.md`, [PATHS[17]]],
    ["./query/paths.ts", [PATHS[18]]],
    [`../${process.cwd().split("/").at(-1)}/query/paths.ts`, [PATHS[18]]],
    // Folders.
    ["src/", [PATHS[0], PATHS[1], PATHS[2], PATHS[7], PATHS[13], PATHS[15]]],
    ["/home/ada/shop/src/", [PATHS[0], PATHS[1], PATHS[2]]],
    ["C:\\Users\\", [PATHS[13]]],
    ["~/notes/", [PATHS[16], PATHS[17]]],
    [".", [PATHS[18]]],
    ["./query/", [PATHS[18]]],
    ["query/..", []],
    // Globs.
    ["*.py", [PATHS[7], PATHS[8]]],
    ["tax.*", [...TAX.slice(0, 1), PATHS[1], ...TAX.slice(1)]],
    ["src/**/*.ts", [PATHS[0], PATHS[1], PATHS[13], PATHS[15]]],
    ["src/*.{ts,py}", [PATHS[0], PATHS[7], PATHS[13], PATHS[15]]],
    ["/home/*/blog/**", [PATHS[7], PATHS[8]]],
    ["/*/mytax.ts", [PATHS[9]]],
    ["blog/src*/", [PATHS[7], PATHS[8]]],
    ["*.yml", [PATHS[6]]],
    ["shop/*/ci.yml", [PATHS[6]]],
    ["C:\\Users\\*\\**\\*.ts", [PATHS[13]]],
    ["~/*/plan.md", [PATHS[16], PATHS[17]]],
    ["./q*/paths.ts", [PATHS[18]]],
    // A literal name with glob characters is found as well as what the glob matches.
    ["[slug]/page.tsx", [PATHS[4], PATHS[5]]],
    ["app/[[]slug]/page.tsx", [PATHS[4]]],
    // Ignoring case, if there is no exact match.
    ["makefile", [PATHS[10]]],
    ["TAX.TS", TAX],
    ["/HOME/ADA/**/*.MD", [PATHS[3]]],
    ["c:\\users\\ada\\shop\\src\\TAX.ts", [PATHS[13]]],
    ["CAFE\u0301.md", [PATHS[11]]],
  ])("%s matches the expected paths", async (pattern, paths) => {
    expect(await (await pathMatcher())(pattern)).toEqual(paths);
  });

  test("/ matches every absolute path of either kind, and * every path", async () => {
    const matching = await pathMatcher();
    expect(await matching("/")).toEqual(PATHS.filter((path) => /^[/\\]/.test(path)));
    expect(await matching("*")).toEqual(PATHS);
  });

  test("with exact matches has no others", async () => {
    const db = await databaseIn(temporaryFolder());
    db.writer.exec("INSERT INTO path VALUES (1, '/a/Makefile'), (2, '/b/makefile')");
    expect(await findMatchingPaths(new SqliteStore(db.reader, { roots: [] }), "makefile")).toEqual([2]);
    expect(await findMatchingPaths(new SqliteStore(db.reader, { roots: [] }), "MAKEFILE")).toEqual([1, 2]);
  });

  test("is never SQL", async () => {
    const matching = await pathMatcher();
    for (const pattern of ["' OR 1=1 --", "%", "_", '"', "/x/'; DROP TABLE path; --", "/x/_akefile"]) {
      expect(await matching(pattern)).toEqual([]);
    }
    expect(await matching("tax.ts")).toEqual(TAX);
  });

  test("with a lone surrogate matches what SQLite stored for it", async () => {
    const db = await databaseIn(temporaryFolder());
    db.writer.prepare("INSERT INTO path VALUES (1, ?)").run("/a/\ud800.ts".toWellFormed());
    expect(await findMatchingPaths(new SqliteStore(db.reader, { roots: [] }), "\ud800.ts")).toEqual([1]);
  });

  test.each([
    ["nothing", ""],
    ["a NUL", "a\0b"],
    ["a path longer than any", "a/".repeat(3000)],
    ["a glob that long", "*a".repeat(501)],
  ])("that is %s is rejected", async (_, pattern) => {
    const db = await databaseIn(temporaryFolder());
    const error = await failure(findMatchingPaths(new SqliteStore(db.reader, { roots: [] }), pattern));
    expect([error.code, error.hint]).toEqual(["BAD_OPTION", expect.stringContaining("tax.ts")]);
  });
});
