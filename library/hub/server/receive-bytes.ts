import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress, constants as zlib } from "node:zlib";
import { badOption, PidexError, systemCode, toMessage } from "../../../src/errors.ts";
import { NEWLINE } from "../../../src/session/lines.ts";
import { type AppendHeader, appendHeader, MAX_APPEND_BYTES, MAX_HUB_LINE_BYTES } from "../protocol.ts";

/** Longest header line, in bytes: a path of 4,096 characters, escaped. */
const MAX_HEADER_BYTES = 64 << 10;
/** Largest memory that decompressing may need, as a power of two in bytes. The usual levels of zstd need less. */
const MAX_WINDOW_LOG = 23;

const INVALID_HINT = "Update pidex on this machine, and push again.";

/** The lines of an append, in a temporary file that has no name any more. Close it. */
export interface ReceivedBytes {
  /** Has the bytes at their offsets in the file of the machine. */
  fd: number;
}

/** The body of an append: its header, and the compressed bytes after it. */
export interface AppendBody {
  header: AppendHeader;
  rest: AsyncIterable<Uint8Array>;
}

/**
 * Reads the header of an append.
 *
 * @throws PidexError `BAD_OPTION` if there is no valid one
 */
export async function readAppendHeader(body: AsyncIterable<Uint8Array>): Promise<AppendBody> {
  const chunks = body[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  let newline = -1;
  while (newline === -1) {
    if (start.length > MAX_HEADER_BYTES)
      throw badOption("the header of the append is too long", INVALID_HINT);
    const { value, done } = await chunks.next();
    if (done) throw badOption("the append has no header", INVALID_HINT);
    start = Buffer.concat([start, value]);
    newline = start.indexOf(NEWLINE);
  }
  const header = parseHeader(start.toString("utf8", 0, newline));
  const first = start.subarray(newline + 1);
  return {
    header,
    rest: (async function* () {
      yield first;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    })(),
  };
}

function parseHeader(line: string): AppendHeader {
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch (cause) {
    throw new PidexError("BAD_OPTION", "the header of the append is not JSON", INVALID_HINT, { cause });
  }
  const parsed = appendHeader.safeParse(header);
  if (!parsed.success)
    throw badOption(`the header of the append is invalid: ${parsed.error.issues[0]?.message}`, INVALID_HINT);
  const { bytes } = parsed.data;
  if (bytes <= MAX_HUB_LINE_BYTES) return parsed.data;
  throw new PidexError(
    "SESSION_TOO_LARGE",
    `a line of ${bytes} bytes is too long for a hub`,
    `A hub takes lines of up to ${MAX_HUB_LINE_BYTES} bytes. The session stays on this machine only.`,
  );
}

/**
 * Decompresses the bytes of an append into a temporary file, never more than the header says.
 *
 * @throws PidexError `BAD_OPTION` if they are damaged, are more or fewer than the header says, or don't end with a newline
 */
export async function receiveBytes({ header, rest }: AppendBody): Promise<ReceivedBytes> {
  const { cursor, bytes } = header;
  const fd = openTemporaryFile();
  let received = 0;
  let last = 0;
  try {
    const decompress = createZstdDecompress({ params: { [zlib.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG } });
    await pipeline(
      Readable.from(rest, { objectMode: false }),
      decompress,
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          if (received + chunk.length > bytes)
            throw badOption("the append has more bytes than its header says", INVALID_HINT);
          const newline = chunk.indexOf(NEWLINE);
          if (bytes > MAX_APPEND_BYTES && newline !== -1 && received + newline + 1 < bytes) {
            throw badOption(`only a single line may be longer than ${MAX_APPEND_BYTES} bytes`, INVALID_HINT);
          }
          for (let at = 0; at < chunk.length; )
            at += writeSync(fd, chunk, at, chunk.length - at, cursor + received + at);
          received += chunk.length;
          last = chunk.at(-1) ?? last;
        }
      },
    );
    if (received !== bytes) throw badOption("the append has fewer bytes than its header says", INVALID_HINT);
    if (last !== NEWLINE) throw badOption("the append does not end with a newline", INVALID_HINT);
    return { fd };
  } catch (error) {
    closeSync(fd);
    const isDamaged = systemCode(error)?.startsWith("ZSTD_error") || systemCode(error) === "Z_BUF_ERROR";
    if (!isDamaged) throw error;
    throw new PidexError(
      "BAD_OPTION",
      `the bytes of the append are damaged: ${toMessage(error)}`,
      INVALID_HINT,
      {
        cause: error,
      },
    );
  }
}

/** Opens a private file that vanishes when it is closed. */
export function openTemporaryFile(): number {
  const path = join(tmpdir(), `pidex-hub-${randomUUID()}`);
  // Windows deletes an open file when it is closed, if it was opened so.
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  const deletes = process.platform === "win32" ? O_TEMPORARY : 0;
  const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | deletes, 0o600);
  if (deletes === 0) rmSync(path);
  return fd;
}

/** Of Windows: `_O_TEMPORARY`. */
const O_TEMPORARY = 0x40;
