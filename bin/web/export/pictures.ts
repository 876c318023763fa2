/** Pictures of sessions as addresses that hold them. */
import type { Block, Entry, PlacedEntry } from "../../../library/index.ts";
import { imageWords } from "../../format/entry-words.ts";

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

/** The blocks of an entry, where it has some. */
export function blocksOf(entry: Entry): readonly Block[] {
  const holder = entry.type === "message" ? entry.message : entry;
  const content = holder && "content" in holder ? holder.content : undefined;
  return Array.isArray(content) ? (content as Block[]) : [];
}

/** Finds a block of some entries by its line and place. */
export function pictureIn(entries: readonly PlacedEntry[], line: number, n: number): string | undefined {
  const entry = entries.find((placed) => placed.line === line)?.entry;
  const block = entry && blocksOf(entry)[n];
  return block?.type === "image" ? pictureAddress(block) : undefined;
}

/** The same entry with words in the place of its pictures. */
export function withoutPictures(placed: PlacedEntry): PlacedEntry {
  const { entry } = placed;
  if (!blocksOf(entry).some(({ type }) => type === "image")) return placed;
  const content = blocksOf(entry).map((block) =>
    block.type === "image" ? { type: "text" as const, text: imageWords(block) } : block,
  );
  if (entry.type !== "message") return { ...placed, entry: { ...entry, content } as Entry };
  return { ...placed, entry: { ...entry, message: { ...entry.message, content } } as Entry };
}
