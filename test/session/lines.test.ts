import { ftruncateSync, writeSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LONG_LINE_HEAD_BYTES, MAX_LINE_BYTES, readAt, readLines } from "../../src/session/lines.ts";
import { type KeptLine, linesOf, openFile, rewrite } from "./open-file.ts";

const MiB = 1 << 20;

/** The expected lines, split in the simplest way. */
function split(bytes: Buffer, start: number, end: number): KeptLine[] {
  const lines: KeptLine[] = [];
  const stop = Math.min(end, bytes.length);
  let offset = start;
  while (offset < stop) {
    const newline = bytes.subarray(0, stop).indexOf(0x0a, offset);
    const lineEnd = newline === -1 ? stop : newline;
    const line = Buffer.from(bytes.subarray(offset, lineEnd));
    lines.push({ offset, length: line.length, bytes: line, terminated: newline !== -1 });
    offset = lineEnd + 1;
  }
  return lines;
}

/** An open file of NUL bytes that takes no room. */
function openSparse(bytes: number): number {
  const fd = openFile();
  ftruncateSync(fd, bytes);
  return fd;
}

/** Bytes in which newlines are frequent. */
const someBytes = fc
  .array(
    fc.oneof(
      fc.constant(Buffer.from("\n")),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    ),
  )
  .map((parts) => Buffer.concat(parts));

describe("lines", () => {
  test("are the text split at newlines, between any two offsets", () => {
    const fd = openFile();
    fc.assert(
      fc.property(someBytes, fc.nat(300), fc.nat(400), (bytes, start, end) => {
        rewrite(fd, bytes);
        expect(linesOf(fd, start, end)).toEqual(split(bytes, start, end));
      }),
      { numRuns: 150 },
    );
  });

  test("are complete if a chunk ends within, before or after them", () => {
    for (const length of [MiB - 2, MiB - 1, MiB, MiB + 1, 2 * MiB - 1, 2 * MiB, 3 * MiB + 7]) {
      const bytes = Buffer.concat([Buffer.alloc(length, "x"), Buffer.from("\nb\n\nlast")]);
      const fd = openFile(bytes);
      const expected = [
        { offset: 0, length, terminated: true },
        { offset: length + 1, length: 1, terminated: true },
        { offset: length + 3, length: 0, terminated: true },
        { offset: length + 4, length: 4, terminated: false },
      ];
      expect(linesOf(fd, 0, bytes.length)).toMatchObject(expected);
    }
  });

  test("are complete if many short ones span several chunks", () => {
    const textOf = (n: number) => `line ${n} ${"x".repeat(n % 140)}`;
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, n) => textOf(n)).join("\n"));
    const count = { bytes: 0, lines: 0 };
    const lines = linesOf(openFile(bytes), 0, bytes.length, count);
    expect(lines.every(({ bytes }, n) => bytes.toString() === textOf(n))).toBe(true);
    expect(count).toEqual({ bytes: bytes.length, lines: 40_000 });
  });

  test("do not end at CR, U+2028, U+2029 or U+0085", () => {
    const content = "one\r\ntwo\u2028two\u2029two\u0085two\rtwo\n";
    const lines = linesOf(openFile(content), 0, Buffer.byteLength(content));
    expect(lines.map(({ bytes }) => bytes.toString())).toEqual([
      "one\r",
      "two\u2028two\u2029two\u0085two\rtwo",
    ]);
  });

  test("do not exist in an empty range, or after the end of the file", () => {
    const fd = openFile("a\nb\n");
    expect(linesOf(fd, 0, 0)).toEqual([]);
    expect(linesOf(fd, 4, 4)).toEqual([]);
    expect(linesOf(fd, 3, 1)).toEqual([]);
    expect(linesOf(fd, 400, 500)).toEqual([]);
    expect(linesOf(fd, 2, 500)).toMatchObject([{ offset: 2, length: 1, terminated: true }]);
  });

  test("stop at the given end as at the end of a file", () => {
    const fd = openFile("first\nsecond\n");
    const count = { bytes: 0, lines: 0 };
    expect(linesOf(fd, 0, 9, count)).toMatchObject([
      { length: 5, terminated: true },
      { offset: 6, length: 3, terminated: false },
    ]);
    expect(count).toEqual({ bytes: 9, lines: 2 });
  });

  test("can be read partially: only lines that were read are counted", () => {
    const count = { bytes: 0, lines: 0 };
    for (const line of readLines(openFile("a\nb\nc\n"), 0, 6, count)) if (line.offset === 2) break;
    expect(count.lines).toBe(2);
  });
});

describe("a long line", () => {
  test("of the maximum length is complete, and the next one follows", () => {
    const bytes = Buffer.alloc(2 + MAX_LINE_BYTES + 3, "abcdefg");
    bytes.write("a\n");
    bytes.write("\nb\n", 2 + MAX_LINE_BYTES);
    const lines = linesOf(openFile(bytes), 0, bytes.length);
    expect(lines.map(({ offset, length }) => [offset, length])).toEqual([
      [0, 1],
      [2, MAX_LINE_BYTES],
      [MAX_LINE_BYTES + 3, 1],
    ]);
    expect(lines[1]?.bytes.equals(bytes.subarray(2, 2 + MAX_LINE_BYTES))).toBe(true);
  });

  test.each([
    ["one byte too long", MAX_LINE_BYTES + 1],
    ["twice too long", 2 * MAX_LINE_BYTES + 12_345],
  ])("that is %s has its head and length, and the next line is correct", (_, length) => {
    const fd = openSparse(length + 7);
    writeSync(fd, "head", 0);
    writeSync(fd, "\nnext\nz", length);
    const count = { bytes: 0, lines: 0 };
    let memory = 0;
    const lines: KeptLine[] = [];
    for (const line of readLines(fd, 0, length + 7, count)) {
      memory = Math.max(memory, line.bytes.buffer.byteLength);
      lines.push({ ...line, bytes: Buffer.from(line.bytes) });
    }
    expect(lines.map(({ offset, length, terminated }) => [offset, length, terminated])).toEqual([
      [0, length, true],
      [length + 1, 4, true],
      [length + 6, 1, false],
    ]);
    expect(lines[0]?.bytes.equals(readAt(fd, 0, LONG_LINE_HEAD_BYTES))).toBe(true);
    expect(lines[1]?.bytes.toString()).toBe("next");
    expect(memory).toBeLessThanOrEqual(2 * MAX_LINE_BYTES);
    expect(count).toEqual({ bytes: length + 7, lines: 3 });
  });

  test("without a newline has its head and its length so far", () => {
    const length = MAX_LINE_BYTES + 2 * MiB + 5;
    const lines = linesOf(openSparse(length), 0, length);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ offset: 0, length, terminated: false });
    expect(lines[0]?.bytes.length).toBe(LONG_LINE_HEAD_BYTES);
  });
});

describe("reading back", () => {
  test("returns the requested bytes, fewer at the end of the file, and counts them", () => {
    const fd = openFile("0123456789");
    const count = { bytes: 0, lines: 0 };
    expect(readAt(fd, 2, 3, count).toString()).toBe("234");
    expect(readAt(fd, 8, 10, count).toString()).toBe("89");
    expect(readAt(fd, 50, 10, count).toString()).toBe("");
    expect(count).toEqual({ bytes: 5, lines: 0 });
  });
});
