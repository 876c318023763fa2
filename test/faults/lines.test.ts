/** Faults in the lines of a session file. */
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { text, toolCall } from "../../fixtures/blocks.ts";
import type { Session } from "../../fixtures/builder.ts";
import { listFolder } from "../../library/session-list.ts";
import { findSessionFile } from "../../src/session/writing/find-sessions.ts";
import { broken, collectFaults, expectReported, type Fault, type Json } from "./run-faults.ts";

const { add, run } = collectFaults();

/** Lines between two intact ones. */
const around =
  (...lines: string[]) =>
  ({ id }: { id: string }): Session => {
    const draft = broken({ id }).user("said before");
    for (const line of lines) draft.raw(line);
    return draft.assistant("said after");
  };

const entry = (id: string, message: string) =>
  `{"type":"message","id":"${id}","parentId":null,"timestamp":"2026-01-06T10:00:00.000Z","message":${message}}`;
const user = (content: string) => entry("u", `{"role":"user","content":"${content}"}`);

/** A faulty line between two intact ones. */
const line = (wrong: string, code: string, entries = 2): Fault => ({
  make: around(wrong),
  problems: [[code, wrong]],
  entries,
});

describe("a line that is not an entry is reported, and affects no other:", () => {
  const { names, getResult } = add({
    null: line("null", "not_an_entry"),
    "a list": line("[]", "not_an_entry"),
    "a text": line('"x"', "not_an_entry"),
    "a number": line("1", "not_an_entry"),
    true: line("true", "not_an_entry"),
    "cut off": line('{"type":"message","id":"x', "malformed_line"),
    "two objects in one": line('{"type":"custom"}{"type":"custom"}', "malformed_line"),
    "NUL bytes, as left by a system crash": line("\0".repeat(5_000), "malformed_line"),
    "a NUL byte within a text": line('{"type":"custom","a":"x\0y"}', "malformed_line"),
    "a byte order mark in mid-file": line('\ufeff{"type":"custom","id":"x"}', "malformed_line"),
    "NaN, which is not JSON": line(
      entry("n", '{"role":"assistant","usage":{"input":NaN}}'),
      "malformed_line",
    ),
    "100,000 lists in each other": line("[".repeat(100_000) + "]".repeat(100_000), "not_an_entry"),
    "100,000 unclosed brackets": line("[".repeat(100_000), "malformed_line"),
    "a second header": line('{"type":"session","id":"other","cwd":"/"}', "second_header"),
    "a byte order mark at the start": {
      make: (at) => `\ufeff${around()(at).text()}`,
      problems: [["byte_order_mark", 0]],
      entries: 2,
    },
    "CRLF line endings, which are not a problem": {
      make: ({ id }) => broken({ id, newline: "\r\n" }).user("said before").assistant("said after"),
      entries: 2,
    },
  });

  test.each(names)("%s", (name) => expectReported(getResult(name)));
});

describe("a file is not a session, which is reported at its location, if it contains", () => {
  const utf16 = (at: { id: string }) => Buffer.from(`\ufeff${around()(at).text()}`, "utf16le");
  const { names, getResult } = add({
    nothing: { make: () => "" },
    "only NUL bytes": { make: () => Buffer.alloc(70_000), problems: [["torn_line", 0]] },
    "CR line endings": {
      make: (at) => around()(at).text().replaceAll("\n", "\r"),
      problems: [["torn_line", 0]],
    },
    "UTF-16": {
      make: utf16,
      problems: [
        ["malformed_line", 0],
        ["malformed_line", Buffer.from("before", "utf16le")],
        ["malformed_line", Buffer.from("after", "utf16le")],
        ["torn_line", -1],
      ],
    },
    "entries without a header": {
      make: (at) => `${around()(at).lines.slice(1).join("\n")}\n`,
      problems: [["no_header", 0]],
    },
  });

  test.each(names)("%s", (name) => {
    const { at, fault } = getResult(name);
    // The last byte of UTF-16 is a line of its own: the second half of a newline.
    const size = utf16(at).length;
    const problems = fault.problems?.map(([code, where]): [string, number | string | Buffer] => [
      code,
      where === -1 ? size - 1 : where,
    ]);
    expectReported({ ...getResult(name), fault: { ...fault, ...(problems && { problems }) } });
  });
});

describe("a header does not affect other sessions if", () => {
  const header = (fields: Record<string, unknown>, problem?: string): Fault => ({
    make: ({ id }) => broken({ id, header: fields }).user("said before").assistant("said after"),
    ...(problem !== undefined && { problems: [[problem, 0]] }),
    entries: 2,
  });
  const { names, getResult } = add({
    "the folder is a URL of another computer": header({ cwd: "file://host/x" }),
    "the folder is an invalid URL": header({ cwd: "file://%" }),
    "the folder is in another user's home": header({ cwd: "~nobody/x" }),
    "the folder has a NUL byte": header({ cwd: "/a\0b" }),
    "the folder is 100,000 letters long": header({ cwd: `/${"x".repeat(100_000)}` }),
    "the folder is a number": header({ cwd: 5 }, "invalid_field"),
    "the id is a number": header({ id: 5 }, "invalid_field"),
    "the parent is a folder": header({ parentSession: "/home/ada/broken" }),
    "the time is invalid": header({ timestamp: "yesterday" }),
    "the version is a word": header({ version: "NaN" }),
    "the version is of the future": header({ version: 1e308 }),
  });

  test.each(names)("%s", (name) => expectReported(getResult(name)));

  test("an invalid folder is accepted in lists of a working directory, with and without the index", async () => {
    const { path, folder } = getResult("the folder is a number").at;
    for (const db of [join(folder, "index.db"), "/dev/null/none.db"]) {
      const sessions = await listFolder(dirname(path), { cwd: "/home/ada/broken", db });
      expect(sessions.map(({ id }) => id)).toContain("older");
    }
    expect(findSessionFile(dirname(path), "older", "/home/ada/broken")).toContain("older");
  });
});

describe("invalid text:", () => {
  const bytes = (...wrong: number[]): Fault => ({
    make: (at) => {
      const draft = around(user("said @@ odd"))(at).bytes();
      const place = draft.indexOf("@@");
      return Buffer.concat([draft.subarray(0, place), Buffer.from(wrong), draft.subarray(place + 2)]);
    },
    problems: [["invalid_utf8", " odd"]],
    entries: 3,
  });
  const torn = (kept: number): Fault => ({
    make: (at) => {
      const draft = around()(at).user("said at last 🎈").bytes();
      return draft.subarray(0, draft.indexOf("🎈") + kept);
    },
    problems: [["torn_line", "at last"]],
    entries: 2,
  });
  const { names, getResult } = add({
    "lone surrogates as bytes (CESU-8)": bytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80),
    "a truncated character": bytes(0xe2, 0x82),
    "bytes of another encoding": bytes(0xe4, 0xf6, 0xfc),
    "a byte that never occurs in UTF-8": bytes(0xff),
    "a write that stopped one byte into a character": torn(1),
    "a write that stopped two bytes into a character": torn(2),
    "a write that stopped three bytes into a character": torn(3),
    "escaped lone surrogates, which are kept": {
      make: around(user("said \\ud83d half \\ude00")),
      entries: 3,
    },
  });

  test.each(names)("%s", (name) => {
    expectReported(getResult(name));
    const { shown: entries } = getResult(name);
    const { content } = entries[1].entry.message;
    if (name.startsWith("escaped lone surrogates")) expect(content).toBe("said \ud83d half \ude00");
    else if (entries.length === 3) expect(content).toMatch(/^said \ufffd+ odd$/);
  });
});

describe("a character across two reads is complete:", () => {
  const BORDER = 1 << 20;
  const padded = (at: { id: string }, first: number): string => {
    const draft = around(user("said PAD🎈 odd"))(at).text();
    return draft.replace("PAD", "x".repeat(BORDER - first - draft.indexOf("PAD")));
  };
  const split = (first: number): Fault => ({ make: (at) => padded(at, first), entries: 3 });
  const { names, getResult } = add({
    "three bytes before": split(3),
    "two bytes before": split(2),
    "one byte before": split(1),
  });

  test.each(names)("%s", async (name) => {
    expectReported(getResult(name));
    const { at } = getResult(name);
    const first = 3 - names.indexOf(name);
    expect(Buffer.from(padded(at, first)).indexOf("🎈")).toBe(BORDER - first);
    const { entries } = await run("show", at.path, "u");
    expect(entries[0].entry.message.content).toMatch(/^said x+🎈 odd$/);
  });
});

describe("ids:", () => {
  const ids = (make: (session: Session) => Session, entries: number): Fault => ({
    make: ({ id }) => make(broken({ id })),
    entries,
  });
  const odd = (wrong: unknown): Fault => ({
    make: ({ id }) => broken({ id }).user("said before").user("odd", { id: wrong }).assistant("said after"),
    // The next entry has it as parent.
    problems: [
      ["invalid_field", '"odd"'],
      ["invalid_field", '"said after"'],
    ],
    entries: 3,
  });
  const { names, getResult } = add({
    "a cycle of parents": ids(
      (draft) =>
        draft
          .user("said before", { id: "a", parentId: "c" })
          .assistant("two", { id: "b" })
          .user("three", { id: "c" })
          .assistant("said after"),
      4,
    ),
    "an entry that is its own parent": ids(
      (draft) => draft.user("said before", { id: "self", parentId: "self" }).assistant("said after"),
      2,
    ),
    "missing parents": ids(
      (draft) => draft.user("said before", { parentId: "x" }).assistant("said after", { parentId: "y" }),
      2,
    ),
    "the same id twice": ids(
      (draft) =>
        draft.user("said before", { id: "twin" }).assistant("said after", { id: "twin", parentId: null }),
      2,
    ),
    "the same id a thousand times, each its own parent's": ids((draft) => {
      draft.user("said before").assistant("said after");
      for (let n = 0; n < 1_000; n++) draft.user("again", { id: "a", parentId: "a" });
      return draft;
    }, 1_002),
    "numeric ids": ids(
      (draft) =>
        draft.user("said before", { id: 5 }).user("five", { id: "5" }).assistant("said after", { id: -1.5 }),
      3,
    ),
    "words that JavaScript knows": ids(
      (draft) =>
        draft
          .user("said before", { id: "__proto__" })
          .user("two", { id: "constructor" })
          .assistant("said after", { id: "toString" }),
      3,
    ),
    "an id that is true": odd(true),
    "an id that is an object": odd({}),
    "an id that is a list": odd([1]),
  });

  test.each(names)("%s", (name) => expectReported(getResult(name)));
});

describe("names of JavaScript's built-in properties", () => {
  const WORDS = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then"];
  const evil = (depth: number): string =>
    depth === 0
      ? '"said evil"'
      : `{${WORDS.map((word) => `"${word}":${word === "__proto__" ? evil(depth - 1) : '{"polluted":"yes"}'}`)}}`;
  const call = `{"type":"toolCall","id":"t","name":"__proto__","arguments":${evil(3)}}`;
  const keys = [
    `{"__proto__":{"type":"message","id":"p"},"constructor":{"prototype":{"polluted":"yes"}}}`,
    `{"type":"custom","id":"v","parentId":null,"customType":"__proto__","data":${evil(9)},"__proto__":${evil(3)}}`,
    entry("r", `{"role":"user","content":[{"type":"text","text":"said","__proto__":${evil(2)}},${evil(3)}]}`),
    entry("s", `{"role":"assistant","content":[${call}],"usage":${evil(2)}}`),
    entry(
      "t",
      `{"role":"toolResult","toolCallId":"t","toolName":"__proto__","content":"said","details":${evil(3)}}`,
    ),
    `{"type":"custom","id":"w","parentId":null,"customType":"pidex","data":${evil(9)}}`,
  ] as const;
  const { getResult } = add({
    keys: {
      make: (at) =>
        around(...keys)(at)
          .text()
          .replace('"type":"session"', `"type":"session","__proto__":${evil(2)}`),
      problems: [
        ["invalid_field", keys[0]], // its type is missing
        ["missing_figure", keys[3]],
      ],
      entries: 2 + keys.length,
    },
    names: {
      make: ({ id }) => {
        const draft = broken({ id }).user("said before");
        for (const word of WORDS) {
          draft
            .entry({ type: "model_change", provider: word, modelId: word })
            .message({
              role: "assistant",
              provider: word,
              model: word,
              content: [toolCall(word, word, { path: word })],
              usage: { input: 1000, output: 0, cost: { total: 0.003 } },
            })
            .toolResult(word, word, `used ${word}`)
            .label(word, word)
            .custom(word, { [word]: word });
        }
        return draft.assistant("said after");
      },
      entries: 2 + 5 * WORDS.length,
    },
  });

  test("are ordinary keys anywhere, and change nothing", () => {
    expectReported(getResult("keys"));
    expect(JSON.stringify(getResult("keys").shown)).toContain("said evil");
    expect(({} as Json).polluted).toBeUndefined();
  });

  test("are ordinary names of tools, models, providers and labels", async () => {
    expectReported(getResult("names"));
    for (const by of ["model", "tool", "provider"]) {
      const { usage } = await run("usage", by, "--limit", "1000");
      const found = usage.rows.map(({ key }: Json) => key[by]);
      for (const word of WORDS) expect(found).toContainEqual(expect.stringContaining(word));
    }
    const { labels } = await run("labels", getResult("names").at.path);
    expect(labels.map(({ label }: Json) => label).sort()).toEqual([...WORDS].sort());
  });
});

describe("100,000 levels of nesting affect nothing else:", () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const usage = (of: string) => `"usage":{"input":${of},"output":1,"cost":{"total":1}}`;
  const call = `{"type":"toolCall","id":"t","name":"bash","arguments":${deep}}`;
  const kept = (wrong: string): Fault => ({ make: around(wrong), entries: 3 });
  const { names, getResult } = add({
    "in what an extension keeps": kept(`{"type":"custom","id":"d","parentId":null,"data":${deep}}`),
    "in a call's arguments": kept(entry("d", `{"role":"assistant","content":[${call}],${usage("1")}}`)),
    "where a text belongs": line(entry("d", `{"role":"user","content":${deep}}`), "invalid_field", 3),
    "in usage": line(entry("d", `{"role":"assistant","content":[],${usage(deep)}}`), "invalid_field", 3),
  });

  test.each(names)("%s", (name) => expectReported(getResult(name)));
});

describe("sums are valid if usage is", () => {
  const spent = (usage: string, codes: string[]): Fault => {
    const wrong = entry("u", `{"role":"assistant","provider":"p","model":"m","content":[],"usage":${usage}}`);
    return { make: around(wrong), problems: codes.map((code) => [code, wrong]), entries: 3 };
  };
  const BAD = "invalid_field";
  const { names, getResult } = add({
    "made of strings": spent('{"input":"12","output":"many","cost":{"total":"0.01"}}', [BAD, BAD, BAD]),
    negative: spent('{"input":-5,"output":10,"cost":{"total":-0.5}}', [BAD, BAD]),
    null: spent('{"input":null,"output":null,"cost":null}', [BAD, BAD, "missing_figure"]),
    "not an object": spent("[1,2,3]", [BAD]),
    "1e308": spent('{"input":1e308,"output":1e308,"cost":{"total":1e308}}', [BAD, BAD, BAD]),
    infinite: spent('{"input":1e999,"output":-1e999,"cost":{"total":1e400}}', [BAD, BAD, BAD]),
    "an integer that no double represents": spent(
      '{"input":9007199254740993,"output":1,"cost":{"total":0}}',
      [BAD],
    ),
    "made of arrays": spent('{"input":[],"output":[5],"cost":{"total":[1]}}', [BAD, BAD, BAD]),
    true: spent('{"input":true,"output":1,"cost":{"total":true}}', [BAD, BAD]),
    "the maximum that counts, a thousand times": {
      make: ({ id }) => {
        const draft = broken({ id }).user("said before").assistant("said after");
        const most = { input: 1e12, output: 1e12, cost: { total: 1e4 } };
        for (let n = 0; n < 1_000; n++) draft.assistant([text(`answer ${n}`)], { usage: most });
        return draft;
      },
      entries: 1_002,
    },
  });

  test.each(names)("%s", async (name) => {
    expectReported(getResult(name));
    const { usage } = await run("usage", "model");
    const figures = [usage.total.costUsd, ...Object.values(usage.total.tokens)] as number[];
    for (const figure of figures) expect(Number.isFinite(figure) && figure >= 0).toBe(true);
  });
});
