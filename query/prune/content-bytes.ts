import { setImmediate } from "node:timers/promises";
import { PidexError } from "../../src/errors.ts";
import { isRecord } from "../../src/session/json.ts";
import { parseLine } from "../../src/session/parse-line.ts";
import type { LargeLineRow, LocalStore } from "../../src/store/local-reads.ts";
import type { ContentBytes, PrunableSession } from "./prune-options.ts";

/** Lines with fewer bytes are not read: they contain no large image, and no large output. */
const MIN_LINE_BYTES = 16 << 10;

/** Adds what images and large tool outputs take. Reads only the lines that the index knows to be large. */
export async function measureContents(
  store: LocalStore,
  sessions: readonly PrunableSession[],
  signal?: AbortSignal,
): Promise<void> {
  const local = await store.local();
  const rows = Map.groupBy(await local.listLargeLines(MIN_LINE_BYTES), ({ path }) => path);
  for (const each of sessions) {
    await setImmediate();
    signal?.throwIfAborted();
    each.contents = { images: 0, toolOutputs: 0 };
    const { path } = each.session;
    try {
      const file = local.openFile(path);
      try {
        for (const row of rows.get(path) ?? []) addLine(file.read(row), row, each.contents);
      } finally {
        file.close();
      }
    } catch (error) {
      if (!(error instanceof PidexError)) throw error; // it changed, or was deleted: what was read counts
    }
  }
}

function addLine(bytes: Buffer, row: LargeLineRow, sums: ContentBytes): void {
  const { byte_offset: offset, byte_length: length, line } = row;
  const { object } = parseLine({ offset, length, bytes, terminated: true }, line);
  const images = countImages(object);
  sums.images += images;
  // Not parsed to the end of its text: a tool's result is nearly nothing else.
  if (row.role === "toolResult" || row.role === "bashExecution") sums.toolOutputs += length - images;
}

/** Bytes of the base64 of all images in a JSON value. */
function countImages(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + countImages(each), 0);
  if (!isRecord(value)) return 0;
  if (value.type === "image") {
    const source = isRecord(value.source) ? value.source.data : undefined;
    const data = value.data ?? source;
    return typeof data === "string" ? data.length : 0;
  }
  return Object.values(value).reduce((sum: number, each) => sum + countImages(each), 0);
}
