import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { text } from "../fixtures/blocks.ts";
import { session } from "../fixtures/builder.ts";
import { buildCatalog, catalog } from "../fixtures/catalog.ts";
import { entryId, fileName, folderName, sessionId } from "../fixtures/names.ts";
import { formatReadme } from "../fixtures/readme.ts";

const fixtures = join(import.meta.dirname, "../fixtures");
const roots = join(fixtures, "roots");

type Fields = Record<string, unknown>;

/** The lines of a text that are JSON objects, parsed without the builder. */
function parse(text: string): Fields[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line.replace(/^\ufeff/, ""));
      return isFields(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const readRoot = (name: string): string => readFileSync(join(roots, name), "utf8");

const files = catalog.map((file) => ({ ...file, lines: parse(readRoot(file.path)) }));
const lines = files.flatMap((file) => file.lines);
const messages = lines.map((line) => line.message).filter(isFields);
const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isFields);
const whole = files.filter((file) => file.root !== "broken");

const find = (part: string) => {
  const found = files.filter((file) => file.description.includes(part));
  expect(found).toHaveLength(1);
  return found[0] as (typeof files)[number];
};

/** The usage of the assistant messages among these lines. */
const spent = (entries: Fields[]): { id: unknown; cost: number }[] =>
  entries.flatMap(({ id, message }) => {
    if (!isFields(message) || message.role !== "assistant" || !isFields(message.usage)) return [];
    return [{ id, cost: (message.usage.cost as { total: number }).total }];
  });

describe("the committed files", () => {
  test("match the catalog", () => {
    const onDisk = readdirSync(roots, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) =>
        join(item.parentPath, item.name)
          .slice(roots.length + 1)
          .replaceAll("\\", "/"),
      );
    expect(onDisk.sort()).toEqual(catalog.map((file) => file.path).sort());
  });

  test.each(catalog.map((file) => [file.path, file] as const))(
    "%s is what the builder writes",
    (path, file) => {
      expect(readFileSync(join(roots, path)).equals(file.session.bytes())).toBe(true);
    },
  );

  test("are listed in the README", () => {
    expect(readFileSync(join(fixtures, "README.md"), "utf8")).toBe(formatReadme(catalog));
  });

  test("are reproducible", () => {
    const again = buildCatalog();
    expect(again.map((file) => file.path)).toEqual(catalog.map((file) => file.path));
    for (const [index, file] of again.entries()) {
      expect(file.session.text()).toBe(catalog[index]?.session.text());
    }
  });

  test("are small", () => {
    for (const file of catalog) expect(file.session.bytes().length).toBeLessThan(60_000);
  });

  test("contain no home folder except ada's", () => {
    const homes = lines
      .map((line) => JSON.stringify(line))
      .join("\n")
      .match(/\/(?:home|Users|work|root)\/\w+/g);
    expect(new Set(homes)).toEqual(new Set(["/home/ada"]));
  });
});

describe("together they contain", () => {
  const holds = (found: unknown[], wanted: unknown[]) =>
    expect(new Set(found)).toSatisfy(
      (set: Set<unknown>) => wanted.every((value) => set.has(value)),
      `missing: ${wanted.filter((value) => !found.includes(value)).join(", ")}`,
    );
  const headers = lines.filter((line) => line.type === "session");
  const ofType = (type: string) => lines.filter((line) => line.type === type);
  const fieldsOf = (found: Fields[]) => found.flatMap((fields) => Object.keys(fields));

  test("every entry type", () => {
    const types = lines.map((line) => line.type);
    holds(types, [
      "session",
      "message",
      "model_change",
      "thinking_level_change",
      "compaction",
      "branch_summary",
    ]);
    holds(types, ["custom", "custom_message", "label", "session_info", "usage", "context_edit"]);
    holds(types, ["context_compaction", "session_summary", "title", "voice_note", undefined]);
  });

  test("every role", () => {
    const roles = messages.map((message) => message.role);
    holds(roles, ["user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"]);
    holds(roles, ["branchSummary", "compactionSummary", "system", "narrator", undefined]);
  });

  test("every block, and content that is not a list of blocks", () => {
    holds(
      blocks.map((block) => block.type),
      ["text", "thinking", "toolCall", "image", "video", undefined],
    );
    const kinds = messages.map(({ content }) =>
      Array.isArray(content) ? "list" : content === null ? "null" : typeof content,
    );
    holds(kinds, ["list", "string", "null", "undefined", "number", "object"]);
    holds(fieldsOf(blocks), ["thinkingSignature", "arguments", "data", "mimeType"]);
  });

  test("every version", () => {
    holds(
      headers.map((header) => header.version),
      [undefined, 2, 3, null, 99, "3"],
    );
    expect(files.some(({ lines }) => lines.some((line) => line.type === "message" && !("id" in line)))).toBe(
      true,
    );
  });

  test("every header field", () => {
    holds(fieldsOf(headers), ["id", "timestamp", "cwd", "version", "parentSession"]);
    holds(fieldsOf(headers), [
      "branchedFrom",
      "provider",
      "modelId",
      "thinkingLevel",
      "internal",
      "workflow",
    ]);
    expect(headers.some((header) => !("cwd" in header))).toBe(true);
  });

  test("every stop reason", () => {
    holds(
      messages.map((message) => message.stopReason),
      ["stop", "length", "toolUse", "error", "aborted"],
    );
  });

  test("every field of a compaction and of a branch summary", () => {
    const compactions = ofType("compaction");
    holds(fieldsOf(compactions), [
      "summary",
      "tokensBefore",
      "details",
      "fromHook",
      "usage",
      "systemMessage",
    ]);
    holds(fieldsOf(compactions), ["firstKeptEntryId", "firstKeptEntryIndex"]);
    expect(compactions.some((compaction) => compaction.firstKeptEntryId === null)).toBe(true);
    holds(fieldsOf(ofType("branch_summary")), ["fromId", "summary", "details", "usage"]);
  });

  test("labels set and cleared, by absence and by an empty string", () => {
    const labels = ofType("label");
    expect(labels.some((label) => typeof label.label === "string" && label.label !== "")).toBe(true);
    expect(labels.some((label) => !("label" in label))).toBe(true);
    expect(labels.some((label) => label.label === "")).toBe(true);
  });

  test("a context edit that replaces and one that removes", () => {
    const replacements = ofType("context_edit").map((edit) => edit.replacement);
    expect(replacements).toContain(null);
    expect(replacements.some(isFields)).toBe(true);
  });

  test("cost in every field that records it", () => {
    const carriers = lines.flatMap((line) => {
      const inEntry = "usage" in line ? [line.type] : [];
      const inMessage = isFields(line.message) && "usage" in line.message ? [line.message.role] : [];
      return [...inEntry, ...inMessage];
    });
    holds(carriers, ["assistant", "toolResult", "compaction", "branch_summary", "usage", "session_summary"]);
    const everyField = messages.map((message) => message.usage).filter(isFields);
    holds(fieldsOf(everyField), ["cacheWrite1h", "reasoning", "totalTokens"]);
    holds(fieldsOf(everyField.map((usage) => usage.cost).filter(isFields)), ["total", "totalFromProvider"]);
  });

  test("the flags of messages", () => {
    holds(fieldsOf(messages), [
      "isError",
      "excludeFromContext",
      "exitCode",
      "cancelled",
      "truncated",
      "fullOutputPath",
    ]);
    holds(fieldsOf(messages), ["errorMessage", "details", "sections", "toolsAdded", "toolsRemoved"]);
    expect(messages.some((message) => message.isError === true)).toBe(true);
    expect(ofType("custom_message").some((entry) => entry.excludeFromContext === true)).toBe(true);
  });

  test("odd entry ids", () => {
    const ids = lines.filter((line) => line.type !== "session").map((line) => line.id);
    holds(ids, [5, "5", undefined, null, "", "__proto__"]);
  });
});

describe("a valid session", () => {
  test.each(whole)(
    "$path: every id is unique, and every parent precedes its children",
    ({ lines: [header, ...entries] }) => {
      expect(header?.type).toBe("session");
      const seen = new Set<unknown>([null, undefined]);
      for (const entry of entries) {
        expect(seen).toContain(entry.parentId);
        if ("id" in entry) expect(seen).not.toContain(entry.id);
        seen.add(entry.id);
      }
    },
  );

  test.each(whole)("$path: every tool result has its call", ({ lines }) => {
    const bodies = lines.map((line) => line.message).filter(isFields);
    const calls = bodies.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isFields);
    const called = calls.filter((block) => block.type === "toolCall").map((block) => block.id);
    const answered = bodies.filter((body) => body.role === "toolResult").map((body) => body.toolCallId);
    expect(answered.sort()).toEqual(called.sort());
  });
});

describe("the stories", () => {
  test("a fork and its clone repeat the cost of their parent", () => {
    const parent = find("one bug found and fixed");
    const fork = find("a fork of it");
    const clone = find("a clone of the fork");
    expect(fork.lines[0]?.parentSession).toBe(parent.session.path);
    expect(clone.lines[0]?.parentSession).toBe(fork.session.path);
    expect(spent(fork.lines)).toEqual(expect.arrayContaining(spent(parent.lines)));
    expect(spent(clone.lines)).toEqual(expect.arrayContaining(spent(fork.lines)));
  });

  test("a subagent's results have the cost of its own file", () => {
    const children = [find("an artifact"), find("under its parent's name")];
    const results = find("subagents: results").lines.flatMap(({ message }) =>
      isFields(message) && isFields(message.details) ? (message.details.results as Fields[]) : [],
    );
    const totals = children.map(({ lines }) => spent(lines).reduce((sum, { cost }) => sum + cost, 0));
    expect(results.slice(0, 2).map((result) => (result.usage as { cost: number }).cost)).toEqual(totals);
  });

  test("two unrelated sessions share only their entry ids", () => {
    const one = spent(find("the next file's").lines);
    const two = spent(find("the previous file's").lines);
    expect(one.map(({ id }) => id)).toEqual(two.map(({ id }) => id));
    expect(one.map(({ cost }) => cost)).not.toEqual(two.map(({ cost }) => cost));
  });

  test("a torn line ends within a character, a complete one may lack its newline", () => {
    const torn = find("is torn").session.bytes();
    expect(torn.subarray(-2)).toEqual(Buffer.from("€").subarray(0, 2));
    expect(find("lacks its newline").session.text()).toMatch(/\}$/);
  });

  test("CRLF, a byte order mark and an empty file exist", () => {
    const crlf = find("CRLF").session.text();
    expect(crlf.split("\r\n")).toHaveLength(crlf.split("\n").length);
    expect(find("byte order mark").session.bytes().subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(find("no bytes").session.bytes()).toHaveLength(0);
  });

  test("unusual characters are written as pi writes them", () => {
    const odd = find("U+2028").session.text();
    for (const piece of ["\u2028", "\\ud83d", "\\ude00", "\\u0000", "\\u001b[31m"])
      expect(odd).toContain(piece);
  });
});

describe("the builder", () => {
  const folder = mkdtempSync(join(tmpdir(), "pidex-fixtures-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("chains entries, and branches on request", () => {
    const talk = session().user("one");
    const one = talk.lastId;
    talk.assistant("two").branch(one).assistant("three");
    expect(talk.entries.map((entry) => entry.parentId)).toEqual([null, one, one]);
  });

  test("appends only new entries", () => {
    const path = join(folder, "deep/er/a.jsonl");
    const talk = session().user("one");
    talk.write(path);
    talk.assistant("two").appendTo(path);
    expect(readFileSync(path, "utf8")).toBe(talk.text());
  });

  test("writes half a line and completes it", () => {
    const path = join(folder, "torn.jsonl");
    const talk = session().user("one");
    talk.cut(9).write(path);
    expect(parse(readFileSync(path, "utf8"))).toHaveLength(1);
    talk.cut(0).appendTo(path);
    expect(readFileSync(path, "utf8")).toBe(talk.text());
  });

  test("gives a message its entry's time, in milliseconds", () => {
    const talk = session().user("now").user("then", { timestamp: "2026-03-01T00:00:00.000Z" });
    const times = talk.entries.map((entry) => (entry.message as { timestamp: number }).timestamp);
    expect(times).toEqual(talk.entries.map((entry) => Date.parse(String(entry.timestamp))));
  });

  test("forks only the branch to a leaf, without its labels", () => {
    const talk = session().user("one");
    talk.label(talk.lastId, "start").assistant("two");
    const two = talk.lastId;
    talk.user("three");
    const fork = talk.fork({ leaf: two });
    expect(fork.entries.map((entry) => entry.type)).toEqual(["message", "message"]);
    expect(fork.entries[1]).toEqual({ ...talk.entries[2], parentId: talk.entries[0]?.id });
    expect(fork.header.parentSession).toBe(talk.path);
    expect(fork.user("four").entries.at(-1)?.parentId).toBe(two);
  });

  test("names folders, files and sessions as pi does", () => {
    expect(folderName("/home/ada/shop")).toBe("--home-ada-shop--");
    expect(folderName("C:\\Users\\ada")).toBe("--C--Users-ada--");
    expect(fileName("2026-01-05T09:00:00.000Z", "x")).toBe("2026-01-05T09-00-00-000Z_x.jsonl");
    expect(sessionId("2026-01-05T09:00:00.000Z", 10)).toMatch(/^019b8d62-7a80-7000-8000-00000000000a$/);
  });

  test("never repeats an entry id within a session", () => {
    const ids = Array.from({ length: 100_000 }, (_, n) => entryId("seed", n));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[0-9a-f]{8}$/.test(id))).toBe(true);
  });

  test("accepts a string in place of a block", () => {
    expect(session().user("a").text()).toBe(
      session()
        .user([text("a")])
        .text(),
    );
  });
});
