import { describe, expect, test } from "vitest";
import { asideLine, imageWords, messageFacts } from "../../../bin/format/entry-words.ts";
import { preview } from "../../../bin/format/preview.ts";
import { shortened } from "../../../bin/web/server/shortened.ts";
import type { Entry } from "../../../library/index.ts";

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

test.each<[string, Record<string, unknown>, string[]]>([
  ["the model", { model: "opus-5" }, ["opus-5"]],
  ["what it thought and took", { thinkingLevel: "high", durationMs: 4_210 }, ["thinking high", "4s"]],
  [
    "what the provider was asked for, where that is another level",
    { thinkingLevel: "minimal", providerThinkingLevel: "low" },
    ["thinking minimal (low at the provider)"],
  ],
  ["no thinking", { model: "opus-5", thinkingLevel: "off", providerThinkingLevel: "none" }, ["opus-5"]],
  ["that the answer comes later", { stopReason: "deferred" }, ["deferred"]],
  ["nothing of null", { model: "x", thinkingLevel: null, durationMs: null }, ["x"]],
])("of an answer, a heading tells %s", (_, message, facts) => {
  const entry = { type: "message", message: { role: "assistant", ...message } } as Entry;
  expect(messageFacts(entry)).toEqual(facts);
});

test.each([[{ pinned: "yes" }], [{ tags: [1] }], [{}], [null], ["pinned"], [undefined]])(
  "what is of another shape says nothing: %j",
  (data) => {
    expect(asideLine(custom(data))).toBe(undefined);
    expect(asideLine(custom({ pinned: true }, "another"))).toBe(undefined);
  },
);

describe("the size of a picture", () => {
  const bytes = Buffer.alloc(109_445, 7);
  const picture = (data: string) => ({ type: "image" as const, mimeType: "image/png", data });
  const base64 = bytes.toString("base64");

  test.each([
    ["padded", base64],
    ["without padding", base64.replace(/=+$/, "")],
    ["in lines", base64.replace(/.{76}/g, "$&\r\n")],
    ["as an address", `data:image/png;base64,${base64}`],
    ["for addresses", bytes.toString("base64url")],
  ])("is that of its bytes, whatever way the base64 is written: %s", (_, data) => {
    expect(imageWords(picture(data))).toBe("[image image/png, 109445 bytes]");
  });

  test("is the same on the page, which does not get its data", () => {
    const [sent] = shortened([picture(base64)]) as [Parameters<typeof imageWords>[0]];
    expect(sent).not.toHaveProperty("data");
    expect(imageWords(sent)).toBe("[image image/png, 109445 bytes]");
  });

  test("is 0 where there is no data", () => {
    expect(imageWords({ type: "image", mimeType: "image/png" })).toBe("[image image/png, 0 bytes]");
  });
});
