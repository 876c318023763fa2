import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, user } from "../messages.ts";
import { linesOf, outcomeOf, stage } from "../stage.ts";

const types = (path: string | undefined) => linesOf(path).map(({ type }) => type);

describe.each(implementations)("$name: opening", (it) => {
  const { SessionManager } = it;

  test("a session continues at the end of its file", () => {
    const { write } = stage();
    const draft = session().user("one").assistant("two").thinking("high").label("deadbeef", "x");
    const file = write("a.jsonl", draft);
    const manager = SessionManager.open(file);
    expect(manager.getSessionId()).toBe(draft.id);
    expect(manager.getCwd()).toBe("/home/ada/shop");
    expect(manager.getSessionFile()).toBe(file);
    expect(manager.getSessionDir()).toBe(join(file, ".."));
    expect(manager.getEntries()).toEqual(JSON.parse(JSON.stringify(draft.entries)));
    expect(manager.getLeafId()).toBe(draft.lastId);
    const id = manager.appendMessage(user("three"));
    expect(manager.getEntry(id)?.parentId).toBe(draft.lastId);
    expect(linesOf(file)).toHaveLength(6);
  });

  test("reading a session of the current version does not change its bytes or time", () => {
    const { write } = stage();
    const file = write("a.jsonl", session().user("one").assistant("two"));
    const { mtimeMs, ino } = statSync(file);
    const before = readFileSync(file, "utf8");
    const manager = SessionManager.open(file);
    manager.getTree();
    manager.buildSessionContext();
    manager.branch(manager.getEntries()[0]?.id as string);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(statSync(file)).toMatchObject({ mtimeMs, ino });
  });

  test("an explicit folder and cwd override the file's", () => {
    const { write, folder } = stage();
    const file = write("a.jsonl", session().user("one").assistant("two"));
    const manager = SessionManager.open(file, join(folder, "other"), "/home/bob");
    expect(manager.getSessionDir()).toBe(join(folder, "other"));
    expect(existsSync(join(folder, "other"))).toBe(true);
    expect(manager.getCwd()).toBe("/home/bob");
    expect(manager.getHeader()?.cwd).toBe("/home/ada/shop");
  });

  test("a header without cwd means the process's cwd", () => {
    const { write } = stage();
    const file = write(
      "a.jsonl",
      session({ header: { cwd: undefined } })
        .user("one")
        .assistant("two"),
    );
    expect(SessionManager.open(file).getCwd()).toBe(process.cwd());
  });

  test.each([
    ["a header of over 1 MiB", session({ header: { note: "x".repeat(1 << 20) } })],
    ["over 1 MiB of other lines before the header", session({ before: ["#".repeat(1 << 20)] })],
  ])("%s: the header's cwd counts, also in branched sessions", (_, draft) => {
    const { write } = stage();
    const manager = SessionManager.open(write("a.jsonl", draft.user("one").assistant("two").text()));
    expect(manager.getCwd()).toBe("/home/ada/shop");
    manager.createBranchedSession(manager.getLeafId() as string);
    expect(manager.getHeader()?.cwd).toBe("/home/ada/shop");
  });

  test("a missing path becomes the new session's file", () => {
    const { folder } = stage();
    const file = join(folder, "mine.jsonl");
    const manager = SessionManager.open(file);
    expect(manager.getSessionFile()).toBe(file);
    expect(existsSync(file)).toBe(false);
    expect(manager.getCwd()).toBe(process.cwd());
    manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    expect(types(file)).toEqual(["session", "message", "message"]);
  });

  test("an empty file becomes a session immediately", () => {
    const { write } = stage();
    const file = write("a.jsonl", "");
    const manager = SessionManager.open(file, undefined, "/home/ada/shop");
    expect(linesOf(file)).toEqual([manager.getHeader()]);
    expect(manager.getHeader()).toMatchObject({ cwd: "/home/ada/shop", version: 3 });
    manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    expect(types(file).filter((type) => type === "message")).toHaveLength(2);
    expectDifference(
      "header-of-an-empty-file",
      it,
      types(file).filter((type) => type === "session").length === 1 ? "1 header" : "2 headers",
    );
  });

  test.each([
    ["words", "These are only words.\n"],
    ["JSON that is no entry", '{"a":1}\n'],
    ["an entry before the header", `${JSON.stringify({ type: "message", id: "a" })}\n${session().text()}`],
    [
      "a header without id",
      session({ header: { id: undefined } })
        .user("one")
        .text(),
    ],
    ["only blank lines", "\n\n"],
  ])("a file that is not a session: %s", (_, text) => {
    const { write } = stage();
    const file = write("notes.txt", text);
    const outcome = outcomeOf(() => SessionManager.open(file));
    const isLeft = readFileSync(file, "utf8") === text;
    expectDifference(
      "not-a-session",
      it,
      `${outcome.startsWith("throws: ") ? "throws" : outcome}, the file is ${isLeft ? "unchanged" : "overwritten"}`,
    );
  });

  test("a last line without a newline", () => {
    const { write } = stage();
    const file = write("a.jsonl", session().user("one").assistant("two").cut(1));
    const manager = SessionManager.open(file);
    expect(manager.getEntries()).toHaveLength(2);
    manager.appendMessage(user("three"));
    const again = SessionManager.open(file).getEntries().length;
    expectDifference("no-final-newline", it, `${again} entries after reopening`);
  });

  test("a last line that is torn", () => {
    const { write } = stage();
    const file = write("a.jsonl", session().user("one").assistant("two").user("three").cut(20));
    const torn = readFileSync(file, "utf8").split("\n").at(-1) as string;
    const manager = SessionManager.open(file);
    expect(manager.getEntries()).toHaveLength(2);
    manager.appendMessage(user("four"));
    const again = SessionManager.open(file).getEntries().length;
    expectDifference("torn-line", it, `${again} entries after reopening`);
    expect(readFileSync(file, "utf8")).toContain(torn);
  });

  test("unreadable lines are skipped and stay in the file", () => {
    const { write } = stage();
    const file = write("a.jsonl", session().user("one").raw("{half").raw("").raw("   ").assistant("two"));
    const manager = SessionManager.open(file);
    expect(manager.getEntries()).toHaveLength(2);
    manager.appendMessage(user("three"));
    expect(readFileSync(file, "utf8")).toContain("{half\n\n   \n");
    expect(manager.getEntries()).toHaveLength(3);
  });

  test("entries of unknown types are kept", () => {
    const { write } = stage();
    const draft = session()
      .user("one")
      .assistant("two")
      .entry({ type: "of_tomorrow", what: { a: 1 } });
    const manager = SessionManager.open(write("a.jsonl", draft));
    expect(manager.getEntries().at(-1)).toEqual(draft.entries.at(-1));
    expect(manager.getLeafId()).toBe(draft.lastId);
    expect(manager.buildSessionContext().messages).toHaveLength(2);
  });

  test("a session without a model response yet", () => {
    const { write } = stage();
    const file = write("a.jsonl", session().user("one"));
    const manager = SessionManager.open(file);
    manager.appendMessage(user("two"));
    const early = linesOf(file).length;
    manager.appendMessage(assistant("three"));
    expectDifference(
      "no-answer-yet",
      it,
      `${early} lines before the response, ${linesOf(file).length} after it`,
    );
  });

  test("a header after other lines", () => {
    const { write } = stage();
    const file = write(
      "a.jsonl",
      session({ before: ["# title", ""] })
        .user("one")
        .assistant("two"),
    );
    const manager = SessionManager.open(file);
    expect(manager.getSessionId()).toBe(session().id);
    expect(manager.getEntries()).toHaveLength(2);
  });

  test("a header after the title that some forks write", () => {
    const { write } = stage();
    const text = session({ before: ['{"type":"title","title":"Shop"}'] })
      .user("one")
      .assistant("two")
      .text();
    const file = write("a.jsonl", text);
    const outcome = outcomeOf(() => SessionManager.open(file));
    const isLeft = readFileSync(file, "utf8") === text;
    const word = outcome.startsWith("throws: ") ? "throws" : outcome;
    expectDifference("title-before-header", it, isLeft ? word : "overwrites the file");
  });

  test("a byte order mark", () => {
    const { write } = stage();
    const file = write("a.jsonl", session({ bom: true }).user("one").assistant("two"));
    let outcome = "throws";
    if (outcomeOf(() => SessionManager.open(file)) === "no error")
      outcome = `${SessionManager.open(file).getEntries().length} entries`;
    expectDifference("byte-order-mark", it, outcome);
  });

  test("Windows line ends", () => {
    const { write } = stage();
    const file = write("a.jsonl", session({ newline: "\r\n" }).user("one").assistant("two"));
    const manager = SessionManager.open(file);
    expect(manager.getEntries()).toHaveLength(2);
    manager.appendMessage(user("three"));
    expect(SessionManager.open(file).getEntries()).toHaveLength(3);
  });

  test("a relative path is made absolute", () => {
    const { write } = stage();
    const file = write("a.jsonl", session().user("one").assistant("two"));
    const manager = SessionManager.open(relative(process.cwd(), file));
    expect(manager.getSessionFile()).toBe(file);
    manager.setSessionFile(relative(process.cwd(), file));
    expect(manager.getSessionFile()).toBe(file);
  });

  test("a second header is not an entry", () => {
    const { write } = stage();
    const draft = session()
      .user("one")
      .raw(session({ id: "second" }).lines[0] as string)
      .assistant("two");
    const manager = SessionManager.open(write("a.jsonl", draft));
    expect(manager.getSessionId()).toBe(draft.id);
    expect(manager.getEntries()).toHaveLength(2);
    expect(manager.getEntry("second")).toBeUndefined();
  });

  test("a name that is not a string", () => {
    const { write } = stage();
    const manager = SessionManager.open(
      write("a.jsonl", session().user("one").entry({ type: "session_info", name: 5 })),
    );
    const outcome = outcomeOf(() => manager.getSessionName());
    expectDifference(
      "name-not-a-string",
      it,
      outcome === "no error" ? String(manager.getSessionName()) : "throws",
    );
  });

  test("a cwd that is not a string", () => {
    const { write } = stage();
    const file = write(
      "a.jsonl",
      session({ header: { cwd: 5 } })
        .user("one")
        .assistant("two"),
    );
    let cwd: unknown;
    const outcome = outcomeOf(() => {
      cwd = SessionManager.open(file).getCwd();
    });
    const word = cwd === process.cwd() ? "that of the process" : String(cwd);
    expectDifference("cwd-not-a-string", it, outcome === "no error" ? word : outcome);
  });
});
