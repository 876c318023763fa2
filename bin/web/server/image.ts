/** Pictures in entries. */
import type { Entry } from "../../../library/index.ts";
import { contentBlocks } from "../../format/transcript.ts";

/** What browsers show without running anything of it. SVG is a program, whatever a session calls it. */
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface Image {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The picture in a block, counted from 0, of an entry's message; undefined where there is none that may be shown. */
export function imageIn(entry: Entry, block: number): Image | undefined {
  const found = contentBlocks(entry)[block];
  if (found?.type !== "image") return undefined;
  const { data, mimeType } = found;
  if (data === undefined || mimeType === undefined || !TYPES.includes(mimeType)) return undefined;
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  return startsAs(mimeType, bytes) ? { type: mimeType, bytes } : undefined;
}

/** Whether bytes begin as those of their type do. */
function startsAs(type: string, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (type === "image/png") return start.startsWith("\x89PNG\r\n\x1a\n");
  if (type === "image/jpeg") return start.startsWith("\xff\xd8\xff");
  if (type === "image/gif") return /^GIF8[79]a/.test(start);
  return /^RIFF.{4}WEBP/s.test(start);
}
