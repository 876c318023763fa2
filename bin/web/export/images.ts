/** Images of sessions as `data:` URLs. */
import type { Block, Entry, LocatedEntry } from "../../../library/index.ts";
import { describeImage } from "../../format/images.ts";
import { contentBlocks } from "../../format/transcript.ts";
import { toImage } from "../server/image.ts";

/** Larger images are omitted, in UTF-16 units of base64. */
const MAX_BASE64 = 30_000_000;

/** The image as a `data:` URL; undefined if it is too large or not a supported image. */
export function toDataUrl(block: Extract<Block, { type: "image" }>): string | undefined {
  if ((block.data?.length ?? 0) > MAX_BASE64) return undefined;
  const image = toImage(block);
  return image && `data:${image.type};base64,${Buffer.from(image.bytes).toString("base64")}`;
}

/** The image at a line of the file and a position in its entry's content, as a `data:` URL. */
export function findImageUrl(
  entries: readonly LocatedEntry[],
  line: number,
  position: number,
): string | undefined {
  const entry = entries.find((placed) => placed.line === line)?.entry;
  const block = entry && contentBlocks(entry)[position];
  return block?.type === "image" ? toDataUrl(block) : undefined;
}

/** The entry with a description in place of each image. */
export function replaceImages(placed: LocatedEntry): LocatedEntry {
  const { entry } = placed;
  if (!contentBlocks(entry).some(({ type }) => type === "image")) return placed;
  const content = contentBlocks(entry).map((block) =>
    block.type === "image" ? { type: "text" as const, text: describeImage(block) } : block,
  );
  if (entry.type !== "message") return { ...placed, entry: { ...entry, content } as Entry };
  return { ...placed, entry: { ...entry, message: { ...entry.message, content } } as Entry };
}
