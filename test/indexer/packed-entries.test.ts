import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReadEntry } from "../../indexer/chunks.ts";
import { entryPacker, memoryOf, unpackEntries } from "../../indexer/packed-entries.ts";
import { TOUCH_ACTIONS } from "../../src/store/sqlite/schema.ts";

const text = fc.string({ unit: "binary", maxLength: 20 }); // lone surrogates, too
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.maxSafeInteger());
const id = fc.oneof(text, fc.integer());
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 });
const key = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const figures = {
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  cacheWrite1h: number,
  reasoning: number,
  cost: number,
  providerCost: orNull(number),
};
const event = fc.record({
  key: orNull(key),
  kind: text,
  run: orNull(number),
  agent: orNull(text),
  tool: orNull(text),
  stop: orNull(text),
  provider: text,
  model: text,
  ...figures,
});

const entry: fc.Arbitrary<ReadEntry> = fc.record({
  line: number,
  offset: number,
  length: number,
  elapsed: orNull(number),
  row: fc.record({
    id: orNull(id),
    parentId: orNull(id),
    type: text,
    role: orNull(text),
    timestamp: orNull(number),
    tool: orNull(text),
    failed: fc.boolean(),
    textHash: orNull(number),
    words: fc.constant(null),
    toolCalls: fc.array(fc.record({ call: number, name: text })),
    toolResult: orNull(fc.record({ call: number, isError: fc.boolean(), duration: orNull(number) })),
    nestedCalls: fc.array(
      fc.record({ call: number, name: text, isError: orNull(fc.boolean()), duration: orNull(number) }),
      { maxLength: 3 },
    ),
    touches: fc.array(fc.record({ path: text, action: fc.constantFrom(...TOUCH_ACTIONS), ordinal: number })),
    time: orNull(number),
    events: fc.array(event, { maxLength: 3 }),
    own: orNull(fc.record({ targetId: id, figures: fc.record(figures) })),
    subagents: fc.array(
      fc.record({ agent: orNull(text), sessionFile: orNull(text), artifact: orNull(text) }),
      { maxLength: 3 },
    ),
    label: orNull(fc.record({ targetId: id, label: orNull(text) })),
    problems: fc.constant([]),
  }),
});

test("entries come out of another thread's memory as they went in", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 10 }), (entries) => {
      const packer = entryPacker();
      for (const entry of entries) packer.add(entry);
      const packed = packer.take();
      const arrived = structuredClone(packed, { transfer: memoryOf(packed) });
      expect([...unpackEntries(arrived)]).toEqual(entries);
      expect(memoryOf(packed).every((memory) => memory.detached)).toBe(true);
      expect([...unpackEntries(packer.take())]).toEqual([]);
    }),
  );
});
