import { describe, expect, test } from "vitest";
import { type Line, MAX_LINE_BYTES } from "../../src/session/lines.ts";
import { parseEntry, parseHeader } from "../../src/session/parse.ts";
import { mayHoldObject, parseLine } from "../../src/session/parse-line.ts";

const lineOf = (content: string | Buffer, fields: Partial<Line> = {}): Line => {
  const bytes = Buffer.from(content);
  return { offset: 100, length: bytes.length, bytes, terminated: true, ...fields };
};

const at = { byteOffset: 100, line: 7 };
const codes = (problems: { code: string }[]) => problems.map(({ code }) => code);

test.each<[string, Line, boolean]>([
  ["an object", lineOf('{"type":"x"}'), true],
  ["an object among blanks", lineOf(' \t{"type":"x"} \r'), true],
  ["only the head of an object", lineOf('{"type":"x","data":"', { length: MAX_LINE_BYTES + 1 }), true],
  ["a line that is still being written", lineOf("garb", { terminated: false }), true],
  ["a first line, behind a byte order mark", lineOf('\ufeff{"type":"x"}', { offset: 0 }), true],
  ["garbage", lineOf("garbage"), false],
  ["an array", lineOf("[{}]"), false],
  ["blanks", lineOf("  \t"), false],
  ["an empty line", lineOf(""), false],
  ["an object cut short", lineOf('{"type":"mess'), false],
])("whether it may be an object, without parsing: %s", (_, line, expected) => {
  expect(mayHoldObject(line)).toBe(expected);
});

describe("a line", () => {
  test.each<[string, string | Buffer, string[], boolean]>([
    ["an object", '{"type":"x"}', [], true],
    ["an object among spaces, with CR", '  {"type":"x"} \r', [], true],
    ["empty", "", [], false],
    ["blank", " \t\r", [], false],
    ["blank and long", " ".repeat(5000), [], false],
    ["blank for pi's trim", "\u00a0\u3000\ufeff", [], false],
    ["not JSON", "garbage", ["malformed_line"], false],
    ["an object cut short", '{"type":"mess', ["malformed_line"], false],
    ["two objects", '{"a":1}{"b":2}', ["malformed_line"], false],
    ["NaN", '{"a":NaN}', ["malformed_line"], false],
    ["NUL bytes", Buffer.alloc(8), ["malformed_line"], false],
    ["a BOM that is not at the start of the file", '\ufeff{"a":1}', ["malformed_line"], false],
    ["null", "null", ["not_an_entry"], false],
    ["false", "false", ["not_an_entry"], false],
    ["zero", "0", ["not_an_entry"], false],
    ["an empty string", '""', ["not_an_entry"], false],
    ["true", "true", ["not_an_entry"], true],
    ["a number", "12", ["not_an_entry"], true],
    ["a string", '"text"', ["not_an_entry"], true],
    ["an array", "[1,2]", ["not_an_entry"], true],
  ])("that is %s", (_, content, expected, counted) => {
    const parsed = parseLine(lineOf(content), 7);
    expect(codes(parsed.problems)).toEqual(expected);
    expect(parsed.counted).toBe(counted);
    expect(parsed.object !== undefined).toBe(counted && expected.length === 0);
    for (const problem of parsed.problems) expect(problem).toMatchObject(at);
  });

  test("that is not JSON and has no newline is torn, not malformed", () => {
    expect(codes(parseLine(lineOf('{"type":', { terminated: false }), 1).problems)).toEqual(["torn_line"]);
  });

  test("at the start of the file may begin with a byte order mark", () => {
    const { object, problems } = parseLine(lineOf('\ufeff{"type":"session"}', { offset: 0 }), 1);
    expect(object).toEqual({ type: "session" });
    expect(problems).toMatchObject([{ code: "byte_order_mark", byteOffset: 0, line: 1 }]);
  });

  test("with invalid UTF-8 is read with U+FFFD", () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from('"}')]);
    const { object, problems } = parseLine(lineOf(bytes), 7);
    expect(object).toEqual({ a: "\ufffd\ufffd" });
    expect(problems).toMatchObject([{ code: "invalid_utf8", ...at }]);
  });

  test("keeps lone surrogates, NUL and U+2028 in its strings", () => {
    const { object, problems } = parseLine(lineOf('{"a":"\\ud83d \\u0000 \u2028"}'), 1);
    expect(object).toEqual({ a: "\ud83d \0 \u2028" });
    expect(problems).toEqual([]);
  });

  test("that is malformed does not reveal its text", () => {
    for (const content of ['{"key":"secret-token", secret}', "secret", `{"a":"${"secret".repeat(99)}`]) {
      const [problem] = parseLine(lineOf(content), 1).problems;
      expect(problem?.message).not.toContain("secret");
      expect(problem?.message.length).toBeLessThan(150);
    }
  });
});

describe("a line too long to parse", () => {
  const long = (head: string, terminated = true) =>
    parseLine(lineOf(head, { length: MAX_LINE_BYTES + 1, terminated }), 7);

  test("has its first scalar fields", () => {
    const { object, counted, problems } = long(
      '{ "type":"message","id":"a\\u0062","parentId":null,"timestamp":"2026","message":{"id":"inner","role',
    );
    expect(object).toEqual({ type: "message", id: "ab", parentId: null, timestamp: "2026" });
    expect(counted).toBe(true);
    expect(problems).toMatchObject([{ code: "long_line", ...at }]);
  });

  test.each([
    ["does not start with a type", '{"message":{"type":"message"}', undefined],
    ["is not an object", '["type","message"', undefined],
    ["has an escape JSON does not know", '{"type":"message","id":"\\x41","a":', undefined],
    ["has a number JSON does not know", '{"type":"message","id":012,', undefined],
    ["has a control character", '{"type":"message","id":"a\tb","c":', undefined],
    ["has a number that is not an integer", '{"type":"message","id":1.5,"a":', { type: "message" }],
    ["has a value that is cut off", '{"type":"message","id":12', { type: "message" }],
  ])("that %s", (_, head, object) => {
    const parsed = long(head);
    expect(parsed.object).toEqual(object);
    expect(codes(parsed.problems)).toEqual(["long_line"]);
  });

  test("and without a newline is torn: its head does not show that it is complete", () => {
    const { object, problems } = long('{"type":"message","id":"a","message":', false);
    expect(object).toBeUndefined();
    expect(codes(problems)).toEqual(["torn_line"]);
  });
});

describe("a valid entry is returned unchanged", () => {
  test.each([
    ["unknown type", { type: "voice_note", seconds: 12 }],
    ["type of JavaScript's", { type: "constructor" }],
    ["unknown role", { type: "message", message: { role: "narrator", content: 5 } }],
    ["no role", { type: "message", message: {} }],
    ["unknown block", { type: "message", message: { role: "user", content: [{ type: "video", url: 1 }] } }],
    ["unknown fields", { type: "label", id: "a", later: { nested: [1] } }],
    ["every field missing", { type: "compaction" }],
    ["number ids", { type: "message", id: 5, parentId: -0.5 }],
    ["nulls that occur in files", { type: "compaction", id: null, firstKeptEntryId: null, usage: null }],
    ["content null", { type: "message", message: { role: "user", content: null } }],
    ["details of any kind", { type: "message", message: { role: "toolResult", details: [null, "x"] } }],
    ["id __proto__", { type: "message", id: "__proto__", parentId: "constructor" }],
  ])("%s", (_, object) => {
    const { value, problems } = parseEntry(object, at);
    expect(problems).toEqual([]);
    expect(value).toBe(object);
  });
});

test("a key named __proto__ stays a key, in the entry and in its corrected copy", () => {
  for (const id of ['"a"', "[]"]) {
    const object = JSON.parse(`{"type":"custom","id":${id},"__proto__":{"type":"message"}}`);
    const { value } = parseEntry(object, at);
    expect(Object.keys(value)).toContain("__proto__");
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  }
});

describe("only the invalid field is dropped", () => {
  const usage = (fields: object) => ({
    type: "message",
    message: { role: "assistant", model: "m", usage: fields },
  });
  const result = (fields: object) => ({ type: "message", message: { role: "toolResult", ...fields } });
  const user = (content: unknown) => ({ type: "message", message: { role: "user", content } });

  test.each<[string, object, object]>([
    ["id", { type: "custom", id: {}, data: 1 }, { type: "custom", data: 1 }],
    ["parentId", { type: "custom", parentId: true }, { type: "custom" }],
    ["timestamp", { type: "custom", id: "a", timestamp: 5 }, { type: "custom", id: "a" }],
    ["message", { type: "message", id: "a", message: "x" }, { type: "message", id: "a" }],
    ["message", { type: "message", id: "a", message: [] }, { type: "message", id: "a" }],
    ["message", { type: "message", id: "a", message: null }, { type: "message", id: "a" }],
    [
      "message.role",
      { type: "message", message: { role: 5, content: "x" } },
      { type: "message", message: { content: "x" } },
    ],
    ["message.content", user(42), { type: "message", message: { role: "user" } }],
    ["message.content", user({ type: "text" }), { type: "message", message: { role: "user" } }],
    ["message.content.1", user([{ type: "text" }, "a"]), user([{ type: "text" }, { type: "" }])],
    ["message.content.0.text", user([{ type: "text", text: 5 }]), user([{ type: "text" }])],
    ["message.usage", usage([1, 2]), { type: "message", message: { role: "assistant", model: "m" } }],
    ["message.usage.input", usage({ input: "12", output: 3 }), usage({ output: 3 })],
    ["message.usage.output", usage({ input: 1, output: -3 }), usage({ input: 1 })],
    ["message.usage.cost", usage({ input: 1, cost: "0.25" }), usage({ input: 1 })],
    ["message.usage.cost", usage({ input: 1, cost: -0.25 }), usage({ input: 1 })],
    ["message.durationMs", result({ durationMs: 1e19 }), result({})],
    ["message.usage.cost.total", usage({ cost: { total: "0.1", input: 1 } }), usage({ cost: { input: 1 } })],
    ["message.usage.cost.total", usage({ cost: { total: -0.1 } }), usage({ cost: {} })],
    ["message.usage.cost.total", usage({ cost: { total: Number.POSITIVE_INFINITY } }), usage({ cost: {} })],
    [
      "message.timestamp",
      { type: "message", message: { timestamp: 8.64e15 + 1 } },
      { type: "message", message: {} },
    ],
    [
      "systemMessage.content",
      { type: "compaction", systemMessage: { role: "system", content: 5 } },
      { type: "compaction", systemMessage: { role: "system" } },
    ],
    [
      "replacement.content",
      { type: "context_edit", replacement: { content: 5 } },
      { type: "context_edit", replacement: {} },
    ],
    ["label", { type: "label", targetId: "a", label: 5 }, { type: "label", targetId: "a" }],
    ["name", { type: "session_info", name: [] }, { type: "session_info" }],
  ])("%s", (path, object, expected) => {
    const before = structuredClone(object);
    const { value, problems } = parseEntry(object as Record<string, unknown>, at);
    expect(value).toEqual(expected);
    expect(problems).toMatchObject([{ code: "invalid_field", ...at }]);
    expect(problems[0]?.message).toMatch(new RegExp(`^${path.replaceAll(".", "\\.")}: `));
    expect(object).toEqual(before);
  });

  test("also if there are many in one entry, each with its own problem", () => {
    const content = [
      null,
      "bare",
      7,
      [],
      {},
      { type: "text", text: 5 },
      { type: "toolCall", id: 1, name: 2 },
    ];
    const message = { role: "assistant", content, provider: 5, usage: { input: "x", cost: { total: "y" } } };
    const { value, problems } = parseEntry({ type: "message", id: [], message }, at);
    expect(value).toEqual({
      type: "message",
      message: {
        role: "assistant",
        content: [...Array(4).fill({ type: "" }), {}, { type: "text" }, { type: "toolCall" }],
        usage: { cost: {} },
      },
    });
    expect(problems.map(({ message }) => message.split(":")[0]).sort()).toEqual([
      "id",
      "message.content.0",
      "message.content.1",
      "message.content.2",
      "message.content.3",
      "message.content.5.text",
      "message.content.6.id",
      "message.content.6.name",
      "message.provider",
      "message.usage.cost.total",
      "message.usage.input",
    ]);
  });

  test("a type that is not a string becomes empty", () => {
    for (const type of [undefined, null, 7, {}]) {
      const { value, problems } = parseEntry({ type, id: "a", x: 1 }, at);
      expect(value).toEqual({ type: "", id: "a", x: 1 });
      expect(problems).toMatchObject([{ code: "invalid_field", message: "type: expected a string" }]);
    }
  });

  test("also in a header", () => {
    const header = { type: "session", id: 13, cwd: "/", version: {}, workflow: { runId: 1, stageId: "s" } };
    const { value, problems } = parseHeader(header, at);
    expect(value).toEqual({ type: "session", cwd: "/", version: {}, workflow: { stageId: "s" } });
    expect(codes(problems)).toEqual(["invalid_field", "invalid_field"]);
  });
});

describe("100,000 levels of nesting", () => {
  const nested = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
  test.each([
    ["data beside a wrong field", `{"type":"custom","id":[],"data":${nested("[", "]")}}`, 1],
    [
      "tool arguments",
      `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":5,"arguments":{"a":${nested("[", "]")}}}]}}`,
      1,
    ],
    ["a wrong field itself", `{"type":"message","id":${nested("[", "]")}}`, 1],
    ["an unknown field", `{"type":"message","new":${nested('{"a":[', "]}")}}`, 0],
  ])("in %s do not throw", (_, content, problems) => {
    const { object } = parseLine(lineOf(content), 1);
    expect(parseEntry(object ?? {}, at).problems).toHaveLength(problems);
  });
});
