import fc from "fast-check";
import { expect, test } from "vitest";
import { unpackWords, WordPacker } from "../../indexer/packed-words.ts";
import type { EntryText } from "../../src/session/text.ts";

const text = fc.string({ unit: "grapheme", maxLength: 2_000 });
const words = fc.record({ said: text, thought: text, called: text, output: text });

const textOf = (part: string | Uint8Array): string =>
  typeof part === "string" ? part : Buffer.from(part).toString("utf8");

test("words come out as they went in, entry by entry", () => {
  fc.assert(
    fc.property(fc.array(fc.option(words, { freq: 5 }), { maxLength: 20 }), (entries) => {
      const packer = new WordPacker();
      for (const entry of entries) packer.add(entry);
      const unpacked = unpackWords(packer.take()).map(
        (entry) =>
          entry && Object.fromEntries(Object.entries(entry).map(([part, value]) => [part, textOf(value)])),
      );
      const isSilent = (entry: EntryText | null) =>
        !entry || Object.values(entry).every((part) => part === "");
      expect([...unpacked]).toEqual(entries.map((entry) => (isSilent(entry) ? null : entry)));
    }),
  );
});

test("more than the memory it began with finds room, and what was taken is not there again", () => {
  const packer = new WordPacker();
  const long = "語".repeat(3 << 20);
  packer.add({ said: "short", thought: "", called: "", output: long });
  const [entry] = unpackWords(packer.take());
  expect(textOf(entry?.output ?? "") === long).toBe(true);
  expect(textOf(entry?.said ?? "")).toBe("short");
  expect(packer.take()).toEqual({ bytes: new Uint8Array(), lengths: [] });
});
