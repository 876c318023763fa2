/** Pictures of sessions as addresses that hold them. */
import type { Block, Entry, PlacedEntry } from "../../../library/index.ts";
import { describeImage } from "../../format/images.ts";
import { contentBlocks } from "../../format/transcript.ts";

/** Kinds that are pictures and nothing else: an SVG is a document. */
const KINDS = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Larger ones are told of: in UTF-16 units of base64. */
const LARGEST = 30_000_000;

/** The whole picture as an address, or undefined where it is none. */
export function pictureAddress({ mimeType, data }: Extract<Block, { type: "image" }>): string | undefined {
  const kind = (mimeType ?? "").toLowerCase();
  if (!KINDS.has(kind) || !data || data.length > LARGEST || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return undefined;
  return `data:${kind};base64,${data}`;
}

/** Finds a block of some entries by its line and place. */
export function pictureIn(entries: readonly PlacedEntry[], line: number, n: number): string | undefined {
  const entry = entries.find((placed) => placed.line === line)?.entry;
  const block = entry && contentBlocks(entry)[n];
  return block?.type === "image" ? pictureAddress(block) : undefined;
}

/** The same entry with words in the place of its pictures. */
export function withoutPictures(placed: PlacedEntry): PlacedEntry {
  const { entry } = placed;
  if (!contentBlocks(entry).some(({ type }) => type === "image")) return placed;
  const content = contentBlocks(entry).map((block) =>
    block.type === "image" ? { type: "text" as const, text: describeImage(block) } : block,
  );
  if (entry.type !== "message") return { ...placed, entry: { ...entry, content } as Entry };
  return { ...placed, entry: { ...entry, message: { ...entry.message, content } } as Entry };
}
