import { expect, test } from "vitest";
import { describeImage } from "../../../bin/format/images.ts";
import { shortenForPage } from "../../../bin/web/server/shorten-for-page.ts";

const bytes = Buffer.alloc(109_445, 7);
const image = (data: string) => ({ type: "image" as const, mimeType: "image/png", data });
const base64 = bytes.toString("base64");

test.each([
  ["padded", base64],
  ["without padding", base64.replace(/=+$/, "")],
  ["in lines", base64.replace(/.{76}/g, "$&\r\n")],
  ["as an address", `data:image/png;base64,${base64}`],
  ["for addresses", bytes.toString("base64url")],
])("the size of an image is that of its bytes, in any base64 variant: %s", (_, data) => {
  expect(describeImage(image(data))).toBe("[image image/png, 109445 bytes]");
});

test("the size of an image is the same on the page, without its data", () => {
  const [sent] = shortenForPage([image(base64)]) as [Parameters<typeof describeImage>[0]];
  expect(sent).not.toHaveProperty("data");
  expect(describeImage(sent)).toBe("[image image/png, 109445 bytes]");
});

test("the size of an image without data is 0", () => {
  expect(describeImage({ type: "image", mimeType: "image/png" })).toBe("[image image/png, 0 bytes]");
});
