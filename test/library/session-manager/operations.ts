/** All that can be done with a session, as data: what fast-check makes up, and both SessionManagers do. */
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
/** An entry, or a file: this one of those that there are, modulo their number. */
const at = fc.nat(1000);

const message = fc.oneof(
  fc.tuple(text, time).map((made) => user(...made)),
  fc.tuple(text, time).map(([said, when]) => ({ ...user("", when), content: said })),
  fc.tuple(text, time).map((made) => assistant(...made)),
  fc.tuple(text, time).map((made) => toolResult(...made)),
  fc.tuple(text, time).map((made) => bash(...made)),
  fc.tuple(text, time).map((made) => custom(...made)),
);

const name = fc.oneof(text, fc.constantFrom("  ", "a\nb", "\r\n"));

const one = <T extends string, F extends Record<string, unknown>>(
  does: T,
  fields: { [K in keyof F]: fc.Arbitrary<F[K]> },
  weight = 1,
) => ({
  weight,
  arbitrary: fc.record({ does: fc.constant(does), ...fields }, { noNullPrototype: true }) as fc.Arbitrary<
    { does: T } & F
  >,
});

/** Done with the entries of one session. */
const within = [
  one("message", { message }, 8),
  one("level", { level: fc.constantFrom("off", "low", "high") }),
  one("model", { provider: text, modelId: text }),
  one("compaction", { summary: text, at, tokens: fc.nat(), details: data, fromHook }, 2),
  one("custom", { customType: text, data }),
  one("name", { name }),
  one("customMessage", { customType: text, content: text, display: fc.boolean(), details: data }, 2),
  one("label", { at, label: fc.oneof(text, fc.constantFrom("", undefined)) }, 3),
  one("branch", { at }, 4),
  one("branchUnknown", {}),
  one("reset", {}),
  one(
    "branchSummary",
    { at: fc.option(at), summary: fc.oneof(text, fc.constant("")), details: data, fromHook },
    2,
  ),
  // Not in pi 0.73.1.
  one("system", { content: text, sections: fc.option(fc.dictionary(fc.constantFrom("a", "b"), text)) }),
  one("keepNone", { summary: text, tokens: fc.nat() }),
  one("usage", { kind: text, provider: text, model: text, tokens: fc.nat(), note: fc.option(text) }),
  one(
    "edit",
    {
      at,
      content: fc.option(
        fc.oneof(
          text,
          text.map((said) => [{ type: "text" as const, text: said }]),
        ),
      ),
    },
    2,
  ),
] as const;

/** Done with sessions. */
const between = [
  one("branched", { at }, 3),
  one("new", { at: fc.option(at) }),
  one("create", {}),
  one("open", { at }, 2),
  one("switch", { at }),
  one("switchToNone", {}),
  one("recent", { at }, 2),
  one("fork", { at, elsewhere: fc.boolean() }),
  one("memory", {}),
  one("other", {}, 3),
] as const;

type Made<T> = T extends { arbitrary: fc.Arbitrary<infer U> } ? U : never;
export type Operation = Made<(typeof within | typeof between)[number]>;

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(...within) as fc.Arbitrary<Operation> },
  { weight: 1, arbitrary: fc.oneof(...between) as fc.Arbitrary<Operation> },
);
