/** Operations on sessions as data: fast-check generates them, and both SessionManagers apply them. */
import fc from "fast-check";
import { assistant, bash, custom, toolResult, user } from "./messages.ts";

const text = fc.oneof(
  fc.lorem({ maxCount: 3 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 8 }), // lone surrogates too
);
const time = fc.integer({ min: 1_600_000_000_000, max: 1_700_000_000_000 });
const data = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined });
const fromHook = fc.option(fc.boolean(), { nil: undefined });
/** Index of an entry or a file, modulo their number. */
const at = fc.nat(1000);

const message = fc.oneof(
  fc.tuple(text, time).map((values) => user(...values)),
  fc.tuple(text, time).map(([content, when]) => ({ ...user("", when), content })),
  fc.tuple(text, time).map((values) => assistant(...values)),
  fc.tuple(text, time).map((values) => toolResult(...values)),
  fc.tuple(text, time).map((values) => bash(...values)),
  fc.tuple(text, time).map((values) => custom(...values)),
);

const name = fc.oneof(text, fc.constantFrom("  ", "a\nb", "\r\n"));

const define = <T extends string, F extends Record<string, unknown>>(
  does: T,
  fields: { [K in keyof F]: fc.Arbitrary<F[K]> },
  weight = 1,
) => ({
  weight,
  arbitrary: fc.record({ does: fc.constant(does), ...fields }, { noNullPrototype: true }) as fc.Arbitrary<
    { does: T } & F
  >,
});

/** Operations within a session. */
const entryOperations = [
  define("message", { message }, 8),
  define("level", { level: fc.constantFrom("off", "low", "high") }),
  define("model", { provider: text, modelId: text }),
  define("compaction", { summary: text, at, tokens: fc.nat(), details: data, fromHook }, 2),
  define("custom", { customType: text, data }),
  define("name", { name }),
  define("customMessage", { customType: text, content: text, display: fc.boolean(), details: data }, 2),
  define("label", { at, label: fc.oneof(text, fc.constantFrom("", undefined)) }, 3),
  define("branch", { at }, 4),
  define("branchUnknown", {}),
  define("reset", {}),
  define(
    "branchSummary",
    { at: fc.option(at), summary: fc.oneof(text, fc.constant("")), details: data, fromHook },
    2,
  ),
  // pi 0.73.1 does not have these.
  define("system", { content: text, sections: fc.option(fc.dictionary(fc.constantFrom("a", "b"), text)) }),
  define("keepNone", { summary: text, tokens: fc.nat() }),
  define("usage", { kind: text, provider: text, model: text, tokens: fc.nat(), note: fc.option(text) }),
  define(
    "edit",
    {
      at,
      content: fc.option(
        fc.oneof(
          text,
          text.map((content) => [{ type: "text" as const, text: content }]),
        ),
      ),
    },
    2,
  ),
] as const;

/** Operations that open and create sessions. */
const sessionOperations = [
  define("branched", { at }, 3),
  define("new", { at: fc.option(at) }),
  define("create", {}),
  define("open", { at }, 2),
  define("switch", { at }),
  define("switchToNone", {}),
  define("recent", { at }, 2),
  define("fork", { at, elsewhere: fc.boolean() }),
  define("memory", {}),
  define("other", {}, 3),
] as const;

type GeneratedValue<T> = T extends { arbitrary: fc.Arbitrary<infer U> } ? U : never;
export type Operation = GeneratedValue<(typeof entryOperations | typeof sessionOperations)[number]>;

export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(...entryOperations) as fc.Arbitrary<Operation> },
  { weight: 1, arbitrary: fc.oneof(...sessionOperations) as fc.Arbitrary<Operation> },
);
