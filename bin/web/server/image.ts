/** Images in entries, as browsers may show them. */
import type { Block, Entry } from "../../../library/index.ts";
import { contentBlocks } from "../../format/transcript.ts";

/** What browsers show without running anything of it. SVG is a program, whatever a session calls it. */
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface Image {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The image in a content block, counted from 0, of an entry; undefined if there is none that may be shown. */
export function imageIn(entry: Entry, position: number): Image | undefined {
  const block = contentBlocks(entry)[position];
  return block?.type === "image" ? toImage(block) : undefined;
}

/** The image of a block; undefined if its data isn't of a type that may be shown. */
export function toImage({ data, mimeType }: Extract<Block, { type: "image" }>): Image | undefined {
  const type = mimeType?.toLowerCase();
  if (data === undefined || type === undefined || !TYPES.includes(type)) return undefined;
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  return startsAs(type, bytes) ? { type, bytes } : undefined;
}

/** Whether bytes begin as those of their type do. */
function startsAs(type: string, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (type === "image/png") return start.startsWith("\x89PNG\r\n\x1a\n");
  if (type === "image/jpeg") return start.startsWith("\xff\xd8\xff");
  if (type === "image/gif") return /^GIF8[79]a/.test(start);
  return /^RIFF.{4}WEBP/s.test(start);
}
