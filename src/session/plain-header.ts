import { fstatSync, readSync } from "node:fs";
import { isRecord } from "./json.ts";

/** How far a header is looked for. */
const MAX_HEADER_BYTES = 64 << 10;

/**
 * Whether an open plain file beside a compressed one has a header. If not, an agent that did not notice the compression created it
 * with the entries it wrote since. True also for what is no regular file.
 */
export function hasHeader(fd: number): boolean {
  if (!fstatSync(fd).isFile()) return true;
  const buffer = Buffer.allocUnsafe(MAX_HEADER_BYTES);
  const start = buffer.toString("utf8", 0, readSync(fd, buffer, 0, MAX_HEADER_BYTES, 0));
  for (const line of start.split("\n")) {
    const object = parseObject(line);
    // A title may come first, and so may garbage.
    if (object && object.type !== "title") return object.type === "session";
  }
  return false;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
