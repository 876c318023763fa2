import type { Block } from "../../library/index.ts";
import { toOneLine } from "./safe.ts";

/** An image block. `byteCount` is its size if the data was omitted, as for the web page. */
type Image = Extract<Block, { type: "image" }> & { byteCount?: unknown };

/** The text in place of an image: its type and its size in bytes. */
export function describeImage({ mimeType, data, byteCount }: Image): string {
  const size =
    data === undefined && typeof byteCount === "number" ? byteCount : countDecodedBytes(data ?? "");
  return `[image ${toOneLine(mimeType ?? "")}, ${size} bytes]`;
}

const PADDING = 61;
const SPACE = 32;

/** The number of bytes that a base64 text encodes. Padding, line ends and a `data:` prefix don't count. */
export function countDecodedBytes(base64: string): number {
  let digits = 0;
  const from = base64.startsWith("data:") ? base64.indexOf(",") + 1 : 0;
  for (let at = from; at < base64.length; at++) {
    const code = base64.charCodeAt(at);
    if (code === PADDING) break;
    if (code > SPACE) digits++;
  }
  return Math.floor((digits * 3) / 4);
}
