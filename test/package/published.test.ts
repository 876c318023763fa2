/** The package as installed in a project, without the bundled packages. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import manifest from "../../package.json" with { type: "json" };
import { library } from "../../rolldown.config.ts";
import { BUILT_EXTENSION, BUILT_PIDEX } from "../built.ts";
import { openTerminal } from "../terminal.ts";

const HOME = join(import.meta.dirname, "..", "..");
const MODULES = join(HOME, "node_modules");

/** A folder with a project that has pidex installed. */
let project: string;
let installed: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "pidex-test-"));
  installed = join(project, "node_modules", "pidex");
  const dist = join(installed, "dist");
  mkdirSync(dist, { recursive: true });
  const { output, ...input } = library;
  await using bundle = await rolldown({ ...input, cwd: HOME });
  await bundle.write({ ...output, dir: dist });
  execFileSync(process.execPath, [join(HOME, "build", "declarations.ts"), dist], { stdio: "pipe" });
  cpSync(dirname(BUILT_PIDEX), join(dist, "bin"), { recursive: true });
  cpSync(dirname(BUILT_EXTENSION), join(dist, "pi"), { recursive: true });
  const { scripts, ...published } = manifest;
  writeFileSync(join(installed, "package.json"), JSON.stringify({ ...published, devDependencies: {} }));
  mkdirSync(join(project, "node_modules", "@types"));
  for (const name of ["@types/node", "undici-types"]) {
    symlinkSync(join(MODULES, name), join(project, "node_modules", name));
  }
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const CONSUMER = `
import { type Hit, Index, openIndex, PidexError, type SearchOptions, SessionManager } from "pidex";

const options: SearchOptions = { since: new Date(), limit: 5, archived: "only" };
// @ts-expect-error A limit is a number.
const wrong: SearchOptions = { limit: "5" };
// @ts-expect-error There is no such option.
const unknown: SearchOptions = { limits: 5 };

await using index: Index = await openIndex({ db: "index.db", onNotice: (message: string) => console.log(message) });
const { sessions, next } = await index.search("words", options);
const hits: Hit[] = sessions.flatMap((session) => session.hits);
const part: "message" | "thinking" | "call" | "output" | undefined = hits[0]?.part;
const modified: Date | undefined = sessions[0]?.session.modified;
// @ts-expect-error Nothing is \`any\`.
hits[0]?.notThere;
for await (const { entry } of index.entries("@last")) {
  if (entry.type === "message" && entry.message?.role === "assistant") console.log(entry.message.usage?.output);
}
const { rows } = await index.usage({ by: ["month"] });
const cost: number | undefined = rows[0]?.costUsd;
const manager = SessionManager.create(process.cwd());
manager.appendMessage({ role: "user", content: "Hello", timestamp: 0 });
console.log(next, part, modified, cost, wrong, unknown, PidexError.name);
`;

test.each([
  ["nodenext", "nodenext"],
  ["bundler", "esnext"],
])(
  "a strict project with module resolution %s compiles, without skipLibCheck",
  (moduleResolution, module) => {
    writeFileSync(join(project, "consumer.mts"), CONSUMER);
    const compilerOptions = {
      ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noEmit: true },
      ...{ target: "es2024", lib: ["esnext"], types: ["node"], module, moduleResolution },
    };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["consumer.mts"] }),
    );
    const compiler = join(MODULES, "typescript", "bin", "tsc");
    const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  },
);

test("the declarations are one file, without other packages, the driver or code of the programs", () => {
  const declarations = readFileSync(join(installed, "dist", "index.d.ts"), "utf8");
  expect(declarations).not.toMatch(/^(?:import|export) .*from /m);
  expect(declarations).not.toMatch(/\bimport\(/);
  expect(declarations).not.toMatch(/\b(?:better-sqlite3|LiveDatabase|Kysely|Zod\w*)\b/);
});

test("options and results document their fields, and options their defaults", () => {
  const declarations = readFileSync(join(installed, "dist", "index.d.ts"), "utf8");
  const searchOptions = /^(?:export )?type SearchOptions = \{[\s\S]*?^\};/m.exec(declarations)?.[0];
  expect(searchOptions).toMatch(/\/\*\* [^*]*\n {3}\* @default 20 \*\/\s+limit\?: number \| undefined;/);
  const fields = searchOptions?.match(/^ {2}\w+\??:/gm) ?? [];
  expect(fields.length).toBeGreaterThan(20);
  expect(searchOptions?.match(/\/\*\*/g)).toHaveLength(fields.length);
});

test("the published code loads no package that npm does not install with it", () => {
  const dist = join(installed, "dist");
  // Without the page, which runs in browsers and imports nothing by package name.
  const code = [dist, join(dist, "chunks"), join(dist, "bin"), join(dist, "pi")].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".js"))
      .map((name) => readFileSync(join(folder, name), "utf8")),
  );
  const isLoaded = (name: string) => {
    // Also calls of what createRequire returns.
    const loads = new RegExp(
      `(?:\\bfrom|\\bimport|\\b(?:require|import|resolve)\\(|createRequire\\)?\\(.{0,80}\\)\\()\\s*"${name}["/]`,
    );
    return code.some((text) => loads.test(text));
  };
  expect(Object.keys(manifest.dependencies)).toEqual(["better-sqlite3"]);
  expect(isLoaded("better-sqlite3")).toBe(true);
  const optional = Object.keys(manifest.peerDependencies);
  expect(optional).toEqual(["@electric-sql/pglite"]);
  expect(manifest.peerDependenciesMeta).toEqual({ "@electric-sql/pglite": { optional: true } });
  expect(Object.keys(manifest.devDependencies).filter(isLoaded)).toEqual(optional);
});

test("the licenses of the bundled packages are published with the code", () => {
  const published = (...path: string[]) => readFileSync(join(installed, "dist", ...path), "utf8");
  for (const [folder, names] of [
    [".", ["kysely", "re2js", "zod"]],
    ["bin", ["better-sqlite3", "commander", "hono", "preact", "@modelcontextprotocol/server", "zod"]],
  ] as const) {
    const text = published(folder, "licenses.txt");
    for (const name of names) {
      const license = readFileSync(join(MODULES, name, "LICENSE"), "utf8").trim();
      expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
      expect(text).toContain(license);
    }
  }
  expect(published("bin", "page", "licenses.md")).toMatch(/^## preact - /m);
  for (const font of ["inter", "jetbrains-mono"])
    expect(published("bin", "page", "fonts.txt")).toContain(
      readFileSync(join(MODULES, "@fontsource-variable", font, "LICENSE"), "utf8").trim(),
    );
});

test("publint reports nothing", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test("attw finds that the types match the code, for ES modules and for bundlers", () => {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", project], { cwd: installed });
  const attw = join(MODULES, "@arethetypeswrong", "cli", "dist", "index.js");
  const tarball = join(project, `pidex-${manifest.version}.tgz`);
  const { stdout, status } = spawnSync(process.execPath, [attw, tarball, "--profile", "esm-only"], {
    encoding: "utf8",
  });
  expect(stdout).toContain("🟢 (ESM)");
  expect(status, stdout).toBe(0);
});

describe("in a terminal, from the packed files and the driver alone", () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "pidex-packed-")));
    const [{ filename }] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
        cwd: installed,
        encoding: "utf8",
      }),
    );
    execFileSync("tar", ["-xf", filename], { cwd: folder });
    // As npm installs it: the driver, with the packages it needs, and nothing else.
    mkdirSync(join(folder, "node_modules"));
    const driver = realpathSync(join(MODULES, "better-sqlite3"));
    symlinkSync(driver, join(folder, "node_modules", "better-sqlite3"));
    const root = join(folder, "sessions");
    session({ cwd: join(folder, "shop") })
      .user("Ship it 👩‍🚀🚀 today")
      .assistant("Done.")
      .writeUnder(root);
    env = {
      HOME: folder,
      PATH: "/usr/bin:/bin",
      LANG: "C.UTF-8",
      PIDEX_ROOTS: root,
      PIDEX_DB: join(folder, "index.db"),
      XDG_CONFIG_HOME: join(folder, "config"),
    };
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const open = (context: TestContext, ...argv: string[]) => {
    const program = join(folder, "package", "dist", "bin", "pidex.js");
    return openTerminal({
      argv: [process.execPath, program, ...argv],
      env,
      cols: 80,
      rows: 12,
      cwd: folder,
      context,
    });
  };

  test("pidex list measures an emoji in a title", async (context) => {
    const terminal = await open(context, "list");
    const { code } = await terminal.exit;
    const screen = terminal.screen();
    expect([code, screen[0]]).toEqual([
      0,
      expect.stringMatching(/^ID +MODIFIED +MSGS +COST +PROJECT +TITLE$/),
    ]);
    expect(screen[1]).toMatch(/ shop +Ship it 👩‍🚀🚀 today$/u);
  });

  test("the picker draws its list", async (context) => {
    const terminal = await open(context);
    const screen = await terminal.until(/Ship it 👩‍🚀🚀 today .*shop/u);
    expect(screen.slice(0, 4).join("\n")).toMatch(/^pidex {2}/);
    await terminal.until(/Enter resume/);
    terminal.press("ctrl+c");
    expect((await terminal.exit).code).toBe(130);
  });
});
