import { expect, test } from "vitest";
import { asideLine } from "../../../bin/wording/entry-words.ts";
import { preview } from "../../../bin/wording/preview.ts";
import type { Entry } from "../../../index.ts";

const custom = (data: unknown, customType = "pidex") => ({ type: "custom", customType, data }) as Entry;

test.each([
  [{ pinned: true }, "pinned"],
  [{ pinned: false }, "no longer pinned"],
  [{ archived: true }, "archived"],
  [{ archived: false, pinned: true }, "pinned; no longer archived"],
  [{ tags: ["money", "bug\n\u202e"] }, "tags money, bug"],
  [{ tags: [] }, "no tags"],
])("how a session was sorted is told in words: %j", (data, words) => {
  expect(asideLine(custom(data))).toContain(words);
  expect(asideLine(custom(data))).not.toMatch(/[\n\u202e]/);
  expect(preview(custom(data), 80)).toContain(words);
});

test.each([[{ pinned: "yes" }], [{ tags: [1] }], [{}], [null], ["pinned"], [undefined]])(
  "what is of another shape says nothing: %j",
  (data) => {
    expect(asideLine(custom(data))).toBe(undefined);
    expect(asideLine(custom({ pinned: true }, "another"))).toBe(undefined);
  },
);
