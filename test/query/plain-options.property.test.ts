import fc from "fast-check";
import { expect, test } from "vitest";
import { ListOptions } from "../../query/options.ts";
import { plainListOptions } from "../../query/plain-options.ts";

const value = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, 20, 1.5, -1, Number.NaN, 2 ** 53),
  fc.constantFrom<unknown>("", "x", "no", "yes", "only", "newest", "oldest", "modified", "size", "7d"),
  fc.constantFrom<unknown>([], ["a"], {}, new Date(0)),
);
const names = [...Object.keys(ListOptions.shape), "nosuch", "__proto__"];
const options = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 });

test("plain options are as zod gives them", () => {
  fc.assert(
    fc.property(options, (given) => {
      const taken = plainListOptions(given);
      if (taken !== undefined) expect(taken).toEqual(ListOptions.parse(given));
    }),
    { numRuns: 2_000 },
  );
});

test("all that can be given plainly is taken plainly", () => {
  const filters = { cwd: "/a", project: "a", model: "m", named: true, labelled: false, pinned: true };
  const more = { archived: "only", internal: false, problems: true, subagents: "yes", cursor: "x" } as const;
  const list = {
    ...filters,
    ...more,
    sort: "size",
    order: "oldest",
    pinnedFirst: true,
    limit: 5000,
  } as const;
  expect(plainListOptions(list)).toEqual(ListOptions.parse(list));
  expect(plainListOptions({})).toEqual(ListOptions.parse({}));
  expect(plainListOptions({ since: undefined, limit: undefined })).toEqual(ListOptions.parse({}));
});

test.each([[null], ["x"], [5], [[]], [new Map()], [{ since: "7d" }], [{ nosuch: undefined }]])(
  "%j is for zod",
  (given) => {
    expect(plainListOptions(given as never)).toBeUndefined();
  },
);
