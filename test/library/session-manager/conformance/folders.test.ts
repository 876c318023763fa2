import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { type Session, type SessionOptions, session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, user } from "../messages.ts";
import { outcomeOf, setVariable, stage } from "../stage.ts";

const chat = (options: SessionOptions): Session => session(options).user("one").assistant("two");

describe.each(implementations)("$name: session folders", (it) => {
  const { SessionManager, getDefaultSessionDir, loadEntriesFromFile } = it;

  test("the folder of a project is its path with dashes, and is created", () => {
    const { agent, folder } = stage();
    const dir = getDefaultSessionDir("/home/ada/my shop:2");
    expect(dir).toBe(join(agent, "sessions", "--home-ada-my shop-2--"));
    expect(existsSync(dir)).toBe(true);
    expect(getDefaultSessionDir("/a", join(folder, "mine"))).toBe(join(folder, "mine/sessions/--a--"));
  });

  test("PI_CODING_AGENT_DIR is read at each call, and may start with ~", () => {
    const { folder, cwd } = stage();
    setVariable("PI_CODING_AGENT_DIR", join(folder, "second"));
    expect(SessionManager.create(cwd).getSessionDir()).toContain(join(folder, "second/sessions"));
    setVariable("PI_CODING_AGENT_DIR", "~/third");
    expect(SessionManager.create(cwd).getSessionDir()).toContain(join(folder, "third/sessions"));
    setVariable("PI_CODING_AGENT_DIR", "");
    expect(SessionManager.create(cwd).getSessionDir()).toContain(join(folder, ".pi/agent/sessions"));
  });

  test("a relative working directory", () => {
    const { agent } = stage();
    const manager = SessionManager.create("shop");
    const isWhole = manager.getCwd() === join(process.cwd(), "shop");
    expect(manager.getHeader()?.cwd).toBe(manager.getCwd());
    expectDifference("relative-cwd", it, isWhole ? "absolute" : "as given");
    expectDifference(
      "folder-of-a-relative-cwd",
      it,
      relative(join(agent, "sessions"), getDefaultSessionDir("shop")).replace(
        process.cwd().slice(1).replaceAll("/", "-"),
        "here",
      ),
    );
  });

  test("paths that start with ~ or file://", async () => {
    const { cwd, folder, write } = stage();
    const file = write("flat/a.jsonl", chat({ cwd }));
    const paths = ["~/flat/a.jsonl", pathToFileURL(file).href];
    const loaded = paths.map((path) => loadEntriesFromFile(path).length);
    const listed = await Promise.all(
      ["~/flat", pathToFileURL(join(folder, "flat")).href].map((dir) => SessionManager.list(cwd, dir)),
    );
    const forked = paths.map((path) => outcomeOf(() => SessionManager.forkFrom(path, cwd)).split(":")[0]);
    expectDifference(
      "tilde-and-urls",
      it,
      [...loaded, ...listed.map(({ length }) => length), ...forked].join(" "),
    );
    if (it.name === "pidex") {
      expect(paths.map((path) => SessionManager.open(path).getSessionFile())).toEqual([file, file]);
      const manager = SessionManager.create("~/shop", "~/flat");
      expect([manager.getCwd(), manager.getSessionDir()]).toEqual([cwd, join(folder, "flat")]);
    }
  });

  test("a relative session folder", () => {
    const { cwd, folder } = stage();
    const dir = join(folder, "sessions");
    const manager = SessionManager.create(cwd, relative(process.cwd(), dir));
    expect(existsSync(dir)).toBe(true);
    const isWhole = manager.getSessionDir() === dir;
    expectDifference("relative-session-dir", it, isWhole ? "absolute" : "as given");
  });

  test("a custom folder is created, and new sessions go there", () => {
    const { cwd, folder } = stage();
    const dir = join(folder, "deep/er");
    const manager = SessionManager.create(cwd, dir);
    expect(existsSync(dir)).toBe(true);
    expect(manager.getSessionDir()).toBe(dir);
    manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    expect(join(manager.getSessionFile() as string, "..")).toBe(dir);
  });

  test("whether a session is in the default folder", () => {
    const { cwd, folder, home } = stage();
    const managers = [
      SessionManager.create(cwd),
      SessionManager.create(cwd, `${home}/`),
      SessionManager.create(cwd, join(folder, "x")),
      SessionManager.inMemory(cwd),
    ];
    const words = managers.map((manager) =>
      "usesDefaultSessionDir" in manager ? manager.usesDefaultSessionDir() : "not available",
    );
    expectDifference(
      "uses-default-session-dir",
      it,
      [...new Set(words.map(String))].length === 1 ? String(words[0]) : words.join(" "),
    );
  });
});
