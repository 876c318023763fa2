import { dirname, join } from "node:path";
import { v5 as uuidv5 } from "uuid";
import { isRecord } from "../../../src/session/json.ts";
import { readAt, readLines } from "../../../src/session/lines.ts";
import { getByteCount, type SessionBytes, statBytes } from "../../../src/session/session-bytes.ts";
import { toSessionFileName } from "../../../src/session/writing/folders.ts";
import { IncomingFile } from "./incoming.ts";
import { digestStart } from "./pull-state.ts";

/** The namespace of ids that are made from the content of a session. */
const NAMESPACE = "0fb6a9a2-6f0c-4d1e-9f55-2d9c1a1f3b57";

const COPY_BYTES = 1 << 20;

/**
 * Copies a pulled session that went on here to a session of its own beside it, with all bytes but its header's, before the pulled file
 * gets the bytes of the other machine. The same content gives the same file, so that it can be repeated after a crash.
 *
 * @param fd of the pulled file
 * @returns the path of the copy
 */
export function keepLocalLines(path: string, fd: SessionBytes, incomingFolder: string): string {
  const { mtime } = statBytes(fd);
  const size = getByteCount(fd);
  const id = uuidv5(digestStart(fd, size), NAMESPACE);
  const target = join(dirname(path), toSessionFileName(mtime.toISOString(), id));
  using copy = new IncomingFile(incomingFolder);
  const header = findHeader(fd, size);
  if (!header) copyBytes(fd, 0, size, copy);
  else {
    copyBytes(fd, 0, header.start, copy);
    copy.write(Buffer.from(JSON.stringify({ ...header.fields, id, parentSession: path })));
    copyBytes(fd, header.end, size, copy);
  }
  copy.moveTo(target); // if there is one, it is the same
  return target;
}

function copyBytes(fd: SessionBytes, start: number, end: number, to: IncomingFile): void {
  for (let offset = start; offset < end; offset += COPY_BYTES) {
    to.write(readAt(fd, offset, Math.min(COPY_BYTES, end - offset)));
  }
}

/** Where a header is searched for, in bytes. */
const MAX_HEADER_BYTES = 1 << 20;

function findHeader(
  fd: SessionBytes,
  size: number,
): { start: number; end: number; fields: Record<string, unknown> } | undefined {
  for (const { offset, length, bytes } of readLines(fd, 0, Math.min(size, MAX_HEADER_BYTES))) {
    const fields = parse(bytes);
    if (fields?.type === "session") return { start: offset, end: offset + length, fields };
  }
  return undefined;
}

function parse(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8").replace(/^\ufeff/, ""));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
