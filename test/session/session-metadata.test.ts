import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyMetadata,
  emptyMetadata,
  METADATA_TYPE,
  type SessionMetadata,
} from "../../src/session/session-metadata.ts";
import { foldTag, normalizeTags } from "../../src/session/tags.ts";

/** The metadata from entries of pidex's type with these data. */
function metadataOf(...data: unknown[]): SessionMetadata {
  const sum = emptyMetadata();
  for (const each of data) applyMetadata(sum, { type: "custom", customType: METADATA_TYPE, data: each });
  return sum;
}

test("a session is not pinned or archived, and has no tags, until an entry sets them", () => {
  expect(metadataOf()).toEqual({ pinned: false, archived: false, tags: [] });
});

test("pins, archive and tags each follow the last entry that sets them", () => {
  expect(metadataOf({ pinned: true }, { archived: true }, { tags: ["a"] })).toEqual({
    pinned: true,
    archived: true,
    tags: ["a"],
  });
  expect(metadataOf({ pinned: true, tags: ["a", "b"] }, { pinned: false }, { tags: [] })).toEqual(
    metadataOf(),
  );
  expect(metadataOf({ tags: ["a", "b"] }, { tags: ["c"] }).tags).toEqual(["c"]);
});

describe("a field of another type is ignored, and the others count", () => {
  const before = { pinned: true, archived: true, tags: ["before"] };

  test.each<[unknown]>([
    [undefined],
    [null],
    ["pinned"],
    [5],
    [[]],
    [[{ pinned: false }]],
    [{}],
    [{ pinned: 0, archived: "no", tags: "none" }],
    [{ pinned: null, archived: null, tags: null }],
    [{ tags: ["fine", 5] }],
    [{ tags: { 0: "a" } }],
    [{ tags: [["a"]] }],
    [{ Pinned: false, tag: ["a"] }],
  ])("%j changes nothing", (data) => {
    expect(metadataOf(before, data)).toEqual(before);
  });

  test("and the other fields are kept", () => {
    expect(metadataOf(before, { pinned: false, archived: "no", tags: [5], color: "red" })).toEqual({
      ...before,
      pinned: false,
    });
  });
});

test("entries of other types, or of other extensions, have no effect", () => {
  const sum = emptyMetadata();
  const data = { pinned: true, archived: true, tags: ["a"] };
  for (const [type, customType] of [
    ["custom", "other"],
    ["custom", undefined],
    ["custom", ["pidex"]],
    ["custom", "PIDEX"],
    ["custom_message", "pidex"],
    ["pidex", "pidex"],
  ] as const)
    applyMetadata(sum, { type, customType, data });
  expect(sum).toEqual(emptyMetadata());
});

test("any entry can be read without an error, and has normalized tags", () => {
  const field = fc.oneof(fc.boolean(), fc.array(fc.string()), fc.anything());
  const data = fc.oneof(fc.record({ pinned: field, archived: field, tags: field }), fc.anything());
  fc.assert(
    fc.property(fc.array(data), (all) => {
      const sum = metadataOf(...all);
      expect(typeof sum.pinned).toBe("boolean");
      expect(typeof sum.archived).toBe("boolean");
      expect(sum.tags).toEqual(normalizeTags(sum.tags));
    }),
  );
});

describe("normalized tags", () => {
  test("are trimmed, unique, not empty, and keep their order", () => {
    expect(normalizeTags([" b ", "a", "", "b", "\t\n", "a b", "A"])).toEqual(["b", "a", "a b", "A"]);
  });

  test("do not change when normalized again, and the input does not change", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("a", " a", "", " ", "#a", "# #a", "#"))),
        (tags) => {
          const given = [...tags];
          const clean = normalizeTags(tags);
          expect(normalizeTags(clean)).toEqual(clean);
          expect(tags).toEqual(given);
          const isTag = (tag: string) => tag !== "";
          expect(new Set(clean)).toEqual(
            new Set(tags.map((tag) => tag.replace(/^[\s#]+|\s+$/g, "")).filter(isTag)),
          );
        },
      ),
    );
  });
});

test("tags match in any case and encoding of accents, but with their accents", () => {
  expect(foldTag("SPÄTER")).toBe(foldTag("spa\u0308ter"));
  expect(foldTag("РАБОТА")).toBe("работа");
  expect(foldTag("später")).not.toBe(foldTag("spater"));
});
