import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePath, encodePath, resolveExistingLinks, resolveLinks } from "../src/path-bytes.ts";
import { temporaryFolder } from "./temporary.ts";

const bytesOf = (path: string): Buffer => Buffer.from(encodePath(path) as string | Buffer);

test("a name in UTF-8 is unchanged as text and as a path", () => {
  for (const name of ["a.jsonl", "Später 数据 🎈", "e\u0301", "\ufffd", "\uf8ff", "two\nlines", "\\xff"]) {
    expect(decodePath(Buffer.from(name))).toBe(name);
    expect(encodePath(name)).toBe(name);
  }
});

test("bytes that are not UTF-8 become one character each", () => {
  const name = Buffer.concat([Buffer.from("d"), Buffer.from([0xff, 0x80]), Buffer.from("é")]);
  expect(decodePath(name)).toBe("d\u{10feff}\u{10fe80}é");
  expect(bytesOf(decodePath(name))).toEqual(name);
});

test("any bytes survive the round trip, and no two names have the same text", () => {
  const bytes = fc.uint8Array({ maxLength: 12 });
  const odd = fc.constantFrom(
    "\u{10fe80}",
    "\u{10feff}",
    "\ufffd",
    "\u{10ffff}",
    "\xff",
    "\u{1f388}",
    "\ud7ff",
  );
  const mixed = fc
    .array(
      fc.oneof(
        bytes,
        odd.map((text) => new Uint8Array(Buffer.from(text))),
      ),
      { maxLength: 5 },
    )
    .map((parts) => Buffer.concat(parts));
  fc.assert(
    fc.property(mixed, mixed, (one, other) => {
      const text = decodePath(one);
      expect(text.isWellFormed()).toBe(true);
      expect(bytesOf(text)).toEqual(one);
      expect(text === decodePath(other)).toBe(one.equals(other));
    }),
    { numRuns: 2_000 },
  );
});

test.skipIf(process.platform !== "linux")("links are followed to names that are not UTF-8", () => {
  const folder = resolveLinks(temporaryFolder());
  const odd = join(folder, "d\u{10feff}");
  mkdirSync(encodePath(odd));
  symlinkSync(encodePath(odd), join(folder, "link"));
  expect([resolveLinks(odd), resolveLinks(join(folder, "link"))]).toEqual([odd, odd]);
});

test("links are resolved in the part of a path that exists", () => {
  const folder = resolveLinks(temporaryFolder());
  mkdirSync(join(folder, "far"));
  symlinkSync("far", join(folder, "link"));
  symlinkSync("nowhere", join(folder, "dangling"));
  symlinkSync("self", join(folder, "self"));
  expect(resolveExistingLinks(join(folder, "link", "a", "b.jsonl"))).toBe(
    join(folder, "far", "a", "b.jsonl"),
  );
  expect(resolveExistingLinks(join(folder, "dangling"))).toBe(join(folder, "dangling"));
  expect(resolveExistingLinks(join(folder, "self"))).toBeUndefined();
});
