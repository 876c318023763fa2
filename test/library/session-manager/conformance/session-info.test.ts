import { utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Session, session } from "../../../../fixtures/builder.ts";
import { folderName } from "../../../../fixtures/names.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { chat, fields, type Info } from "../listed.ts";
import { stage } from "../stage.ts";

describe.each(implementations)("$name: a session in a list", (it) => {
  const { SessionManager } = it;

  /** The listed fields of one session. */
  async function listed(make: (cwd: string) => Session): Promise<ReturnType<typeof fields> | undefined> {
    const { cwd, writeHome } = stage();
    writeHome(make(cwd));
    const infos = await SessionManager.list(cwd);
    expect(infos.length).toBeLessThan(2);
    return infos[0] && fields(infos[0]);
  }

  test("every field", async () => {
    const { cwd, writeHome } = stage();
    const draft = session({
      cwd,
      parentSession: "/old/a.jsonl",
      timestamp: "2026-01-05T09:00:00.000Z",
      step: 10,
    });
    draft.user([
      { type: "text", text: "first" },
      { type: "image", data: "" },
      { type: "text", text: "line\nbreak" },
    ]);
    draft.tool("read", { path: "a.ts" }, "output", { say: "I look" }).name(" Shop ").user("second");
    const path = writeHome(draft);
    const [info] = await SessionManager.list(cwd);
    expect(fields(info as Info)).toEqual({
      path,
      id: draft.id,
      cwd,
      name: "Shop",
      parentSessionPath: "/old/a.jsonl",
      created: new Date("2026-01-05T09:00:00.000Z"),
      modified: new Date("2026-01-05T09:00:50.000Z"),
      messageCount: 4,
      firstMessage: "first line\nbreak",
      allMessagesText: "first line\nbreak I look second",
    });
  });

  test("its fields", async () => {
    const { cwd, writeHome } = stage();
    writeHome(chat({ cwd, parentSession: "/old/a.jsonl" }));
    const [info] = await SessionManager.list(cwd);
    const names = new Set([...Object.keys(info as Info), "allMessagesText"]);
    const hasAll = Object.keys(fields(info as Info)).every((name) => names.delete(name));
    expect(hasAll).toBe(true);
    expectDifference(
      "fields-of-a-listed-session",
      it,
      names.size > 0 ? "pi's fields and more" : "pi's fields",
    );
  });

  test("the parent that version 1 called branchedFrom", async () => {
    const draft = (cwd: string) => session({ cwd, version: 1, header: { branchedFrom: "/old/a.jsonl" } });
    expectDifference("list-branched-from", it, String((await listed(draft))?.parentSessionPath));
  });

  test("without a name, a parent, a cwd and messages", async () => {
    const draft = (cwd: string) =>
      session({ cwd, header: { timestamp: "2026-01-05T09:00:00.000Z" } }).thinking("high");
    expect(await listed(draft)).toMatchObject({
      name: undefined,
      parentSessionPath: undefined,
      messageCount: 0,
      firstMessage: "(no messages)",
      allMessagesText: "",
      modified: new Date("2026-01-05T09:00:00.000Z"),
    });
    const { cwd, write } = stage();
    write(`agent/sessions/${folderName(cwd)}/a.jsonl`, session({ header: { cwd: undefined } }).user("one"));
    expect((await SessionManager.list(cwd))[0]).toMatchObject({ cwd: "" });
  });

  test("modified: a message's own time, else its entry's, the newest", async () => {
    const draft = (cwd: string) =>
      session({ cwd })
        .message(
          { role: "user", content: "one", timestamp: Date.UTC(2026, 5, 1) },
          { timestamp: "2026-01-01T00:00:00.000Z" },
        )
        .message(
          { role: "assistant", content: "two", timestamp: "no number" },
          { timestamp: "2026-05-01T00:00:00.000Z" },
        )
        .message({ role: "toolResult", content: "three", timestamp: Date.UTC(2027, 0, 1) })
        .thinking("high", { timestamp: "2027-01-01T00:00:00.000Z" });
    expect((await listed(draft))?.modified).toEqual(new Date("2026-06-01T00:00:00.000Z"));
    const second = (cwd: string) =>
      draft(cwd).message(
        { role: "user", content: "four", timestamp: null },
        { timestamp: "2026-07-01T00:00:00.000Z" },
      );
    expect((await listed(second))?.modified).toEqual(new Date("2026-07-01T00:00:00.000Z"));
  });

  test("modified: the file's time if no entry has a valid one", async () => {
    const { cwd, writeHome } = stage();
    const draft = session({ cwd }).message(
      { role: "user", content: "one", timestamp: -5 },
      { timestamp: "no time" },
    );
    draft.lines[0] = JSON.stringify({ ...draft.header, timestamp: "no time" });
    utimesSync(writeHome(draft), 1_767_600_000, 1_767_600_000);
    const [info] = await SessionManager.list(cwd);
    expect(info?.modified).toEqual(new Date(1_767_600_000_000));
    expect(info?.created.getTime()).toBeNaN();
  });

  test.each([
    [
      "a message's",
      (draft: Session) =>
        draft.raw(
          '{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x","timestamp":1e400}}',
        ),
    ],
    [
      "an entry's",
      (draft: Session) =>
        draft.message(
          { role: "user", content: "x", timestamp: null },
          { timestamp: "+999999-01-01T00:00:00.000Z" },
        ),
    ],
    [
      "another entry's",
      (draft: Session) => draft.message({ role: "user", content: "x", timestamp: null }, { timestamp: 5 }),
    ],
  ])("%s time outside the range of Date does not throw", async (_, add) => {
    expect(await listed((cwd) => add(chat({ cwd })))).toMatchObject({
      messageCount: 3,
      allMessagesText: "one two x",
    });
  });

  test("messageCount counts every message; the text is of users and assistants only", async () => {
    const draft = (cwd: string) =>
      session({ cwd })
        .bash("ls", "a")
        .message({ role: "custom", content: "no" })
        .assistant("two")
        .toolResult("t", "read", "no")
        .user("three")
        .compaction("no", null)
        .customMessage("x", "no");
    expect(await listed(draft)).toMatchObject({
      messageCount: 5,
      firstMessage: "three",
      allMessagesText: "two three",
    });
  });

  test("the first message is the first with text", async () => {
    const draft = (cwd: string) =>
      session({ cwd })
        .user("")
        .user([{ type: "image", data: "" }])
        .user([])
        .assistant("a")
        .user("b");
    expect(await listed(draft)).toMatchObject({ firstMessage: "b", allMessagesText: "a b", messageCount: 5 });
  });

  test("thinking and tool calls are not text, and blocks without text leave an empty string", async () => {
    const draft = (cwd: string) =>
      session({ cwd })
        .user("one")
        .assistant([
          { type: "thinking", thinking: "no" },
          { type: "text", text: "a" },
          { type: "toolCall", id: "t", name: "no", arguments: {} },
          { type: "text", text: "b" },
        ]);
    expect((await listed(draft))?.allMessagesText).toBe("one a b");
  });

  test("the last name counts, and an empty one clears it", async () => {
    expect((await listed((cwd) => chat({ cwd }).name("first").name(" second\nline ")))?.name).toBe(
      "second\nline",
    );
    expect((await listed((cwd) => chat({ cwd }).name("first").name("  ")))?.name).toBeUndefined();
    expect((await listed((cwd) => chat({ cwd }).name("first").name(undefined)))?.name).toBeUndefined();
  });

  test("line separators within a message", async () => {
    const info = await listed((cwd) => session({ cwd }).user("a\u2028b"));
    expectDifference("list-line-separators", it, `${info?.messageCount} messages: ${info?.firstMessage}`);
  });

  test("all branches are counted", async () => {
    const draft = (cwd: string) => {
      const draft = session({ cwd }).user("one");
      return draft.branch(null).user("two");
    };
    expect(await listed(draft)).toMatchObject({ messageCount: 2, allMessagesText: "one two" });
  });

  test("old versions are not upgraded", async () => {
    expect(await listed((cwd) => session({ cwd, version: 1 }).user("one").assistant("two"))).toMatchObject({
      messageCount: 2,
      allMessagesText: "one two",
    });
  });

  test("unreadable lines, a torn last line, a missing newline", async () => {
    expect(await listed((cwd) => chat({ cwd }).raw("{half").raw("").user("three"))).toMatchObject({
      messageCount: 3,
    });
    expect(await listed((cwd) => chat({ cwd }).user("three").cut(10))).toMatchObject({ messageCount: 2 });
    expect(await listed((cwd) => chat({ cwd }).user("three").cut(1))).toMatchObject({ messageCount: 3 });
    expect(
      await listed((cwd) => session({ cwd, before: ["# title"], newline: "\r\n" }).user("one")),
    ).toMatchObject({ messageCount: 1 });
  });

  test.each([
    ["list-content-null", (draft: Session) => draft.message({ role: "user", content: null })],
    ["list-content-odd", (draft: Session) => draft.message({ role: "assistant", content: { text: "x" } })],
    [
      "list-block-null",
      (draft: Session) => draft.message({ role: "assistant", content: [null, { type: "text", text: "b" }] }),
    ],
    ["list-message-absent", (draft: Session) => draft.entry({ type: "message" })],
    ["list-name-not-a-string", (draft: Session) => draft.entry({ type: "session_info", name: 5 })],
    ["list-line-null", (draft: Session) => draft.raw("null")],
  ] as const)("a session with something unusual: %s", async (what, add) => {
    const info = await listed((cwd) => add(chat({ cwd })));
    expectDifference(
      what,
      it,
      info ? `${info.messageCount} messages: ${info.allMessagesText}` : "not listed",
    );
  });

  test("a message without content counts, and has no text", async () => {
    expect(await listed((cwd) => chat({ cwd }).message({ role: "user" }))).toMatchObject({
      messageCount: 3,
      allMessagesText: "one two",
    });
  });

  test("a header without an id is listed", async () => {
    const info = await listed((cwd) => chat({ cwd, header: { id: undefined } }));
    expectDifference("list-id-absent", it, JSON.stringify(info ? { id: info.id } : "not listed"));
  });
});
