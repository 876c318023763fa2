import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LineSegment } from "../../../bin/web/api/answers.ts";
import { findJsonError } from "../../../bin/web/server/find-json-error.ts";
import { MAX_START_BYTES, splitLine } from "../../../bin/web/server/line-segments.ts";

const bytesOf = (text: string) => Buffer.from(text, "utf8");

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("where JSON breaks", () => {
  test.each([
    ["", 0],
    ["garbage", 0],
    ['{"a":x}', 5],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ["[1 2]", 3],
    ["[01]", 2],
    ["[1.]", 3],
    ["[1e+]", 4],
    ["[-]", 2],
    ['["\\x"]', 3],
    ['["\\u12g4"]', 6],
    ['["a\nb"]', 3],
    ["tru", 3],
    ["{}{}", 2],
    ['{"type":"sess', 13],
    ["[[[", 3],
    ["[}", 1],
  ])("in %j is byte %d", (text, at) => expect(findJsonError(bytesOf(text))).toBe(at));

  test("nowhere in valid JSON, and somewhere in anything else", () => {
    const near = fc.json().chain((json) =>
      fc.oneof(
        fc.constant(json),
        fc.nat(json.length).map((cut) => json.slice(0, cut)),
        fc
          .tuple(fc.nat(json.length), fc.constantFrom(...'{}[]",:\\0-.etu \t\u0001x€'))
          .map(([at, more]) => json.slice(0, at) + more + json.slice(at)),
        fc.nat(json.length).map((at) => json.slice(0, at) + json.slice(at + 1)),
      ),
    );
    fc.assert(
      fc.property(near, (text) => (findJsonError(bytesOf(text)) === undefined) === isJson(text)),
      { numRuns: 1000 },
    );
  });

  test("in lines nested deeper than any stack", () => {
    expect(findJsonError(bytesOf("[".repeat(200_000) + "]".repeat(200_000)))).toBeUndefined();
    expect(findJsonError(bytesOf("[".repeat(200_000)))).toBe(200_000);
  });
});

/** The bytes of the parts, with omitted bytes as dots. */
function joinParts(parts: readonly LineSegment[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (part.kind === "omitted") return Buffer.alloc(part.bytes, ".");
      return part.kind === "bytes" ? Buffer.from(part.hex.replaceAll(" ", ""), "hex") : bytesOf(part.text);
    }),
  );
}

describe("the parts of a line", () => {
  const known = { isWhole: true, isFirst: false };

  test("are its bytes, with any content", () => {
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.string({ unit: "grapheme", maxLength: 30 }).map(bytesOf),
      fc.json().map(bytesOf),
    );
    fc.assert(
      fc.property(fc.array(some, { maxLength: 3 }), fc.boolean(), (pieces, isFirst) => {
        const line = Buffer.concat(pieces);
        expect(joinParts(splitLine(line, { isWhole: true, isFirst })).equals(line)).toBe(true);
      }),
    );
  });

  test("mark bytes that are not UTF-8, and where the JSON breaks", () => {
    const line = Buffer.concat([bytesOf('{"a":"3 '), Buffer.from([0xe2, 0x82]), bytesOf('"}')]);
    expect(splitLine(line, known)).toEqual([
      { kind: "text", text: '{"a":"3 ' },
      { kind: "bytes", hex: "e2 82" },
      { kind: "text", text: '"}' },
    ]);
    expect(splitLine(bytesOf('{"é":x}'), known)).toEqual([
      { kind: "text", text: '{"é":' },
      { kind: "here", text: "x" },
      { kind: "text", text: "}" },
    ]);
    expect(splitLine(bytesOf('{"a'), known)).toEqual([
      { kind: "text", text: '{"a' },
      { kind: "here", text: "" },
    ]);
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytesOf("{}")]);
    expect(splitLine(marked, { isWhole: true, isFirst: true })).toEqual([
      { kind: "bytes", hex: "ef bb bf" },
      { kind: "text", text: "{}" },
    ]);
    expect(splitLine(marked, known)[0]).toEqual({ kind: "here", text: "\ufeff" });
  });

  test("of a long line are its start and the surroundings of broken bytes", () => {
    const long = `["${"é".repeat(200_000)}`;
    const line = Buffer.concat([bytesOf(long), Buffer.from([0xff]), bytesOf(`${"é".repeat(90_000)}"}`)]);
    const parts = splitLine(line, known);
    expect(parts.map(({ kind }) => kind)).toEqual([
      "text",
      "omitted",
      "text",
      "bytes",
      "text",
      "omitted",
      "text",
      "here",
    ]);
    expect(parts.at(-1)).toEqual({ kind: "here", text: "}" });
    expect(joinParts(parts)).toHaveLength(line.length);
    for (const part of parts) {
      if (part.kind !== "text") continue;
      expect(part.text).not.toContain("\ufffd");
      expect(bytesOf(part.text).length).toBeLessThanOrEqual(MAX_START_BYTES);
    }
  });
});
