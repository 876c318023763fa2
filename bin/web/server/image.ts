/** Images in entries that are safe to show in a browser. */
import type { Block, Entry } from "../../../library/index.ts";
import { contentBlocks } from "../../format/transcript.ts";

/** Types that browsers show without running code. SVG can contain scripts. */
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface Image {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The image in a content block, counted from 0, of an entry; undefined if there is none that is safe to show. */
export function getImage(entry: Entry, position: number): Image | undefined {
  const block = contentBlocks(entry)[position];
  return block?.type === "image" ? toImage(block) : undefined;
}

/** The image of a block; undefined if its data isn't of a safe type. */
export function toImage({ data, mimeType }: Extract<Block, { type: "image" }>): Image | undefined {
  const type = mimeType?.toLowerCase();
  if (data === undefined || type === undefined || !TYPES.includes(type)) return undefined;
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  return hasSignature(type, bytes) ? { type, bytes } : undefined;
}

/** Whether the bytes start with the signature of their type. */
function hasSignature(type: string, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (type === "image/png") return start.startsWith("\x89PNG\r\n\x1a\n");
  if (type === "image/jpeg") return start.startsWith("\xff\xd8\xff");
  if (type === "image/gif") return /^GIF8[79]a/.test(start);
  return /^RIFF.{4}WEBP/s.test(start);
}
