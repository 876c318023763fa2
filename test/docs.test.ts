import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Io } from "../bin/cli/io.ts";
import { main } from "../bin/cli/main.ts";
import { buildProgram } from "../bin/cli/program.ts";
import { updateJsonPage } from "../docs/write.ts";
import { signIn } from "./bin/web/serve.ts";
import { BUILT_PIDEX } from "./built.ts";
import { openTerminal } from "./terminal.ts";

const home = join(import.meta.dirname, "..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync(join(home, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
  "skills/pidex/SKILL.md",
];

/** The code blocks of a page in one language. */
function blocks(page: string, language: string): string[] {
  const text = readFileSync(join(home, page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code]) => code as string,
  );
}

/** The words of a command line, with quotes and comments as in a shell. */
function words(line: string): string[] {
  return [...line.replace(/\s#.*$/, "").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}

/** Whether a command opens a full-screen view. */
const opensThePicker = (line: string) => /^pidex(?: (?:pick|demo)\b|\s*(?:#|$))/.test(line);

/** Whether a command serves agents until they disconnect. The tests of bin/mcp cover it. */
const answersAgents = (line: string) => /^pidex mcp\b/.test(line);

/** Whether a command serves the page until it is stopped. */
const serves = (line: string) => /^pidex (?:serve\b|demo\b.*--serve\b)/.test(line);

/** A terminal that records its output. */
function ioInto(written: string[]): Io {
  return {
    out(text) {
      written.push(text);
      return undefined;
    },
    err: (text) => void written.push(text),
    isTerminal: true,
    showsProgress: false,
    columns: 80,
    style: (_, text) => text,
  };
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pidex-docs-"));
  process.env.TZ = "UTC"; // pages contain dates in this time zone
  process.env.PI_CODING_AGENT_DIR = join(folder, "agent");
  process.env.XDG_DATA_HOME = join(folder, "data");
  process.env.PIDEX_CONFIG = join(folder, "config"); // pages change settings
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sessions and an index for one docs page, because some commands write. */
function freshWorld(page: string): void {
  const own = join(folder, page.replaceAll("/", "-"));
  cpSync(join(home, "fixtures/roots"), join(own, "roots"), { recursive: true, preserveTimestamps: true });
  process.env.PIDEX_ROOTS = ["pi", "atomic", "flat"].map((name) => join(own, "roots", name)).join(":");
  process.env.PIDEX_DB = join(own, "index.db");
}

describe.each(pages)("%s", (page) => {
  beforeAll(() => freshWorld(page));

  const commands = blocks(page, "sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => /^pidex( |$)/.test(line) && !answersAgents(line));

  it.each(commands.filter((line) => opensThePicker(line) && !serves(line)))(
    "%s opens the picker",
    async (line) => {
      const argv = [process.execPath, BUILT_PIDEX, ...words(line).slice(1)] as const;
      const terminal = await openTerminal({ argv, cwd: folder });
      await terminal.until(/Enter (resume|select)/);
      terminal.press("ctrl+c");
      expect(await terminal.exit).toEqual({ code: 130 });
    },
  );

  it.each(commands.filter(serves))("%s serves the page", async (line) => {
    const argv = [BUILT_PIDEX, ...words(line).slice(1), "--no-open"];
    const child = spawn(process.execPath, argv, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    for await (const link of createInterface({ input: child.stdout })) {
      expect((await fetch(link)).status).toBe(200);
      expect((await signIn(link)).status).toBe(200);
      child.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
  });

  it.each(commands.filter((line) => !opensThePicker(line) && !serves(line)))("%s", async (line) => {
    const written: string[] = [];
    const exit = await main(words(line).slice(1), ioInto(written));
    expect(exit, written.join("")).toBe(0);
  });

  const samples = blocks(page, "text").flatMap((block) => block.split(/^(?=\$ pidex)/m));
  it.each(samples)("%s", async (sample) => {
    const [line = "", ...answer] = sample.trimEnd().split("\n");
    const written: string[] = [];
    expect(await main(words(line).slice(2), ioInto(written))).toBe(0);
    expect(written.join("").trimEnd()).toBe(answer.join("\n"));
  });

  const examples = blocks(page, "ts").map((code) => ({
    code,
    body: code.replace(/^(?:import .*\n|\n)+/, ""),
  }));
  it.each(examples.map(({ code, body }) => ({ code, line: body.slice(0, body.indexOf("\n")) })))(
    "the example that begins with $line",
    async ({ code }) => {
      const file = join(folder, `example-${Math.abs(hash(code))}.ts`);
      writeFileSync(
        file,
        code.replace('from "pidex"', `from ${JSON.stringify(join(home, "library/index.ts"))}`),
      );
      await import(file);
    },
  );

  it("links only to pages, files and headings that exist", () => {
    const text = readFileSync(join(home, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    for (const [, link = "", anchor] of links) {
      const target = link === "" ? join(home, page) : join(home, dirname(page), link);
      expect(() => readdirOrRead(target)).not.toThrow();
      if (anchor !== undefined) expect(anchors(target), link).toContain(anchor);
    }
  });
});

/** The anchors of a page's headings, as GitHub names them. */
function anchors(path: string): string[] {
  const text = readFileSync(path, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) | 0;
  return sum;
}

function readdirOrRead(path: string): void {
  if (path.endsWith("/")) readdirSync(path);
  else readFileSync(path);
}

it("the skill is short, and has the name and description that agents require", () => {
  const text = readFileSync(join(home, "skills/pidex/SKILL.md"), "utf8");
  expect(text.split("\n").length).toBeLessThan(100);
  const [, name, description] = /^---\nname: (.*)\ndescription: (.*)\n---\n/.exec(text) ?? [];
  expect(name).toBe("pidex"); // must equal the skill's folder name
  expect(description).toMatch(/\bUse before\b/);
  expect(description?.length).toBeLessThan(1024);
  expect(description).not.toContain(": "); // YAML would parse it as a key
});

it("docs/reliability.md names only tests that exist", () => {
  const text = readFileSync(join(home, "docs/reliability.md"), "utf8");
  const named = [...text.matchAll(/`([\w/.-]+(?:\.test\.ts|\/|\/README\.md))`/g)].map(
    ([, path]) => path as string,
  );
  expect(named.length).toBeGreaterThan(30);
  for (const path of named) expect(() => readdirOrRead(join(home, "test", path))).not.toThrow();
});

describe("pages for contributors", () => {
  const decisions = readdirSync(join(home, "docs/decisions")).map((name) => `docs/decisions/${name}`);
  const existing = globSync("**", { cwd: home, exclude: (path) => basename(path) === "node_modules" }).map(
    (path) => `/${path.replaceAll(sep, "/")}`,
  );

  it.each(["AGENTS.md", "CONTRIBUTING.md", ...decisions])(
    "%s names only files and folders that exist",
    (page) => {
      const text = readFileSync(join(home, page), "utf8");
      const names = text.matchAll(/`(\w[\w/.-]*(?:\/|\.(?:tsx?|css|md|json|yml)))`/g);
      const missing = [...names].flatMap(([, name]) => {
        const end = `/${name?.replace(/\/$/, "")}`;
        return existing.some((path) => path.endsWith(end)) ? [] : [name];
      });
      expect(missing).toEqual([]);
    },
  );
});

it("docs/json.md is up to date with npm run docs", () => {
  const page = readFileSync(join(home, "docs/json.md"), "utf8");
  expect(page).toBe(updateJsonPage(page));
});

it("docs/cli.md has every command", () => {
  const text = readFileSync(join(home, "docs/cli.md"), "utf8");
  for (const command of buildProgram(ioInto([]), () => {}).commands)
    expect(text).toContain(`### ${command.name()}\n`);
});

describe.skipIf(process.platform === "win32")("the files of docs/service.md", () => {
  const [unit, agent] = blocks("docs/service.md", "sh")
    .filter((block) => block.includes("<<EOF"))
    .map((block) => ({ block, text: () => writtenBy(block) }));

  /** Runs a block with a here-document in its own home folder, and returns the written file. */
  function writtenBy(block: string): string {
    const own = mkdtempSync(join(folder, "home-"));
    chmodSync(BUILT_PIDEX, 0o755); // as npm creates it
    symlinkSync(BUILT_PIDEX, join(own, "pidex"));
    const env = { HOME: own, PATH: `${own}:${dirname(process.execPath)}:/usr/bin:/bin` };
    execFileSync("sh", ["-ec", block.slice(0, block.indexOf("EOF\n", block.indexOf("<<EOF\n") + 6) + 4)], {
      env,
    });
    const [, path] = /^cat > ~\/(\S+)/m.exec(block) ?? [];
    return readFileSync(join(own, path as string), "utf8");
  }

  function expectToWatch([node, script, command, ...options]: string[]): void {
    expect([node, script].map((path) => realpathSync(path as string))).toEqual(
      [process.execPath, BUILT_PIDEX].map((path) => realpathSync(path)),
    );
    const found = buildProgram(ioInto([]), () => {}).commands.find((each) => each.name() === command);
    expect(found?.parseOptions(options).unknown).toEqual([]);
    expect(command).toBe("watch");
  }

  it("start pidex watch by systemd", () => {
    expectToWatch(words(/^ExecStart=(.*)$/m.exec(unit?.text() ?? "")?.[1] ?? ""));
  });

  it("start pidex watch by launchd", () => {
    const [, argv = ""] = /<array>([\s\S]*)<\/array>/.exec(agent?.text() ?? "") ?? [];
    expectToWatch([...argv.matchAll(/<string>(.*)<\/string>/g)].map(([, word]) => word as string));
  });
});

it("docs/problems.md has every problem code", () => {
  const source = readFileSync(join(home, "src/session/problems.ts"), "utf8");
  const codes = [...source.matchAll(/\| "(\w+)"/g)].map(([, code]) => code as string);
  const text = readFileSync(join(home, "docs/problems.md"), "utf8");
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) expect(text).toContain(`| \`${code}\` |`);
});

it("docs/library.md has every error code", () => {
  const source = readFileSync(join(home, "src/errors.ts"), "utf8");
  const codes = [...source.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code as string);
  const text = readFileSync(join(home, "docs/library.md"), "utf8");
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) expect(text).toContain(`\`${code}\``);
});
