import fc from "fast-check";
import { expect, test } from "vitest";
import { FilesOptions, ListOptions, SearchOptions } from "../../query/options.ts";
import {
  parsePlainFilesOptions,
  parsePlainListOptions,
  parsePlainSearchOptions,
} from "../../query/parse-plain-options.ts";

const value = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, 20, 1.5, -1, 1000, 1001, Number.NaN, 2 ** 53),
  fc.constantFrom<unknown>("", "x", "no", "yes", "only", "newest", "oldest", "modified", "size", "7d"),
  fc.constantFrom<unknown>([], ["a"], {}, new Date(0)),
);
const optionsOf = (shape: object) =>
  fc.dictionary(fc.constantFrom(...Object.keys(shape), "nosuch", "__proto__"), value, { maxKeys: 5 });

test("plain options equal what zod returns", () => {
  fc.assert(
    fc.property(
      optionsOf(ListOptions.shape),
      optionsOf(SearchOptions.shape),
      optionsOf(FilesOptions.shape),
      (list, search, files) => {
        const [listed, searched] = [parsePlainListOptions(list), parsePlainSearchOptions(search)];
        const touched = parsePlainFilesOptions(files);
        if (touched !== undefined) expect(touched).toEqual(FilesOptions.parse(files));
        if (listed !== undefined) expect(listed).toEqual(ListOptions.parse(list));
        if (searched !== undefined) expect(searched).toEqual(SearchOptions.parse(search));
      },
    ),
    { numRuns: 800 },
  );
});

test("all options that qualify as plain are accepted", () => {
  const filters = { cwd: "/a", project: "a", model: "m", named: true, labeled: false, pinned: true };
  const more = { archived: "only", internal: false, problems: true, subagents: "yes", cursor: "x" } as const;
  const list = {
    ...filters,
    ...more,
    sort: "size",
    order: "oldest",
    pinnedFirst: true,
    limit: 5000,
  } as const;
  expect(parsePlainListOptions(list)).toEqual(ListOptions.parse(list));
  expect(parsePlainListOptions({})).toEqual(ListOptions.parse({}));
  const hits = {
    sort: "oldest",
    exact: true,
    quick: true,
    strict: true,
    facets: false,
    limit: 1000,
    hits: 1,
    sync: false,
  } as const;
  const search = { ...filters, ...more, ...hits };
  expect(parsePlainSearchOptions(search)).toEqual(SearchOptions.parse(search));
  expect(parsePlainSearchOptions({})).toEqual(SearchOptions.parse({}));
  const files = { ...filters, ...more, limit: 1000, touches: 5000, costs: true };
  expect(parsePlainFilesOptions(files)).toEqual(FilesOptions.parse(files));
  expect(parsePlainFilesOptions({})).toEqual(FilesOptions.parse({}));
  expect(parsePlainListOptions({ since: undefined, limit: undefined })).toEqual(ListOptions.parse({}));
});

test.each([[null], ["x"], [5], [[]], [new Map()], [{ since: "7d" }], [{ nosuch: undefined }]])(
  "%j is left to zod",
  (given) => {
    expect(parsePlainListOptions(given as never)).toBeUndefined();
    expect(parsePlainSearchOptions(given as never)).toBeUndefined();
    expect(parsePlainFilesOptions(given as never)).toBeUndefined();
  },
);
