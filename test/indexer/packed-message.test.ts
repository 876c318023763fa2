import fc from "fast-check";
import { expect, test } from "vitest";
import type { Part } from "../../indexer/file-parts.ts";
import { memoryOfParts, PartPacker, unpackParts } from "../../indexer/packed-message.ts";
import { START } from "../../src/session/read.ts";

const LOOK = { dev: 1n, ino: 2n, size: 3n, mtimeNs: 4n, ctimeNs: 5n };

/** An entry that is told from others by its line. */
const entryAt = (line: number) => ({
  ...{ line, offset: 0, length: 1, elapsed: null },
  row: {
    ...{
      id: `e${line}`,
      parentId: null,
      type: "message",
      role: null,
      timestamp: null,
      tool: null,
      failed: false,
    },
    ...{
      textHash: null,
      words: null,
      toolCalls: [],
      toolResult: null,
      nestedCalls: [],
      touches: [],
      time: null,
      events: [],
    },
    ...{ own: null, subagents: [], label: null, problems: [] },
  },
});

const lines = fc.array(fc.nat(), { maxLength: 5 });
const part = fc.oneof(
  fc.record({ rows: lines }).map(
    ({ rows }): Part => ({
      n: 0,
      look: LOOK,
      chunk: {
        ...{ entries: rows.map(entryAt), problems: [], summary: undefined, models: [], state: { ...START } },
        isLast: true,
      },
    }),
  ),
  fc.record({ words: lines }).map(
    ({ words }): Part => ({
      n: 1,
      words: words.map((n) => (n % 3 === 0 ? null : { said: `w${n}`, thought: "", called: "", output: "é" })),
      isEnd: false,
    }),
  ),
  fc.constant<Part>({ n: 2, odd: true }),
);

/** What a part holds, as far as so many of its entries or words are taken. */
function told(part: Part, taken: number): unknown {
  const all: unknown[] = [];
  const items: Iterable<unknown> = "chunk" in part ? part.chunk.entries : "words" in part ? part.words : [];
  if (taken > 0) {
    for (const item of items) {
      const words = item as Record<string, string | Uint8Array> | null;
      if ("chunk" in part || words === null) all.push(item);
      else all.push(Object.values(words).map((each) => Buffer.from(each).toString()));
      if (all.length === taken) break;
    }
  }
  return { n: part.n, items: all };
}

test("parts come out of another thread's memory as they went in, however much of each is taken", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(part, fc.nat({ max: 6 }))), (given) => {
      const parts = given.map(([part]) => part);
      const packer = new PartPacker();
      for (const part of parts) packer.add(part);
      const packed = packer.take();
      const arrived = structuredClone(packed, { transfer: memoryOfParts(packed) });
      let n = 0;
      for (const part of unpackParts(arrived)) {
        const [expected, taken] = given[n++] as [Part, number];
        expect(told(part, taken)).toEqual(told(expected, taken));
      }
      expect(n).toBe(parts.length);
      expect(memoryOfParts(arrived).every((memory) => memory.detached)).toBe(true);
    }),
  );
});
