import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEntry } from "../../src/session/parse.ts";
import { isPlainEntry } from "../../src/session/plain-entry.ts";
import { PI, plainSessions } from "../bin/cli.ts";

const odd = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  7,
  1e11,
  1e16,
  Infinity,
  "",
  "x",
  [],
  {},
  ["x"],
  [null],
);
/** A value, usually of the right type. */
const or = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: right as fc.Arbitrary<unknown> }, odd);
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const text = or(fc.constantFrom("", "said", "text"));
const figure = or(fc.constantFrom(0, 1, 0.25, 900, 2000));

const block = or(
  record({
    type: fc.constantFrom("text", "thinking", "toolCall", "image", "new"),
    ...{
      text,
      thinking: text,
      id: text,
      name: text,
      arguments: or(fc.constant({ a: 1 })),
      data: text,
      namespace: text,
    },
  }),
);
const usage = or(
  record({
    ...{ input: figure, output: figure, cacheRead: figure, totalTokens: figure, reasoning: figure },
    cost: or(record({ input: figure, total: figure, totalFromProvider: or(fc.boolean()) })),
  }),
);
const message = or(
  record({
    role: fc.constantFrom("user", "assistant", "toolResult", "bashExecution", "new"),
    content: or(fc.oneof(fc.constant("said"), fc.array(block, { maxLength: 3 }))),
    timestamp: or(fc.constantFrom(0, 1_700_000_000_000)),
    ...{ api: text, provider: text, model: text, responseModel: text, stopReason: text, errorMessage: text },
    ...{ toolCallId: text, toolName: text, isError: or(fc.boolean()), usage },
    ...{ durationMs: figure, thinkingLevel: text, providerThinkingLevel: text, rawStopReason: text },
    endTurn: or(fc.boolean()),
  }),
);
const entry = record({
  type: fc.constantFrom<unknown>("message", "message", "message", "custom", 5),
  ...{ id: text, parentId: text, timestamp: text, message },
});

test("a plain entry is valid by its schema", () => {
  let plain = 0;
  fc.assert(
    fc.property(entry, (object) => {
      if (!isPlainEntry(object)) return;
      plain++;
      const { value, problems } = parseEntry(object, { byteOffset: 0, line: 1 });
      expect(problems).toEqual([]);
      expect(value).toBe(object);
    }),
    { numRuns: 4_000 },
  );
  expect(plain).toBeGreaterThan(40); // one in thirty at random
});

test("most messages of sessions are plain", () => {
  const messages = plainSessions(PI).flatMap(({ entries }) =>
    entries.filter(({ type }) => type === "message"),
  );
  expect(messages.filter(isPlainEntry).length).toBeGreaterThan(messages.length / 2);
});
