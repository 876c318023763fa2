import { expect, test } from "vitest";
import {
  decodeSearchCursor,
  encodeSearchCursor,
  type SearchPage,
} from "../../../query/search/search-cursor.ts";

const REQUEST = ["sessions", "tax", {}];

const pages: [string, SearchPage][] = [
  ["numbers", { end: 90, within: { from: undefined, before: 40 }, seen: new Set([3, 12, 700]) }],
  [
    "texts",
    {
      end: "2026-01-05 7 9",
      within: { from: "2026-01-02 1 4\0", before: "2026-01-05 7 9" },
      firstWindow: { from: undefined, before: "2026-01-05 7 9" },
      seen: new Set(["2026-01-03 2 2", "2026-01-04 7 3"]),
    },
  ],
  ["files", { end: "z", within: { from: "a", before: "z" }, seen: new Set([12, 700]) }],
];

test.each(pages)("a cursor with %s as positions is read back", (_, page) => {
  expect(decodeSearchCursor(encodeSearchCursor(page, REQUEST), REQUEST)).toEqual(page);
});

test.each(pages)("a damaged cursor with %s as positions, or another request's, is refused", (_, page) => {
  const cursor = encodeSearchCursor(page, REQUEST);
  const [hash, ...parts] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  for (const damaged of [
    cursor.slice(0, -3),
    encode([hash, ...parts.slice(0, 4)]),
    encode([hash, null, ...parts.slice(1)]),
    encode([hash, 1, ...parts.slice(1)]),
  ]) {
    expect(() => decodeSearchCursor(damaged, REQUEST)).toThrow("does not belong to this search");
  }
  expect(() => decodeSearchCursor(cursor, ["hits"])).toThrow("does not belong to this search");
});
