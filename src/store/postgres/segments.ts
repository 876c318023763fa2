import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { ClientBase } from "pg";
import type { LinePlace, LineSource } from "../entry-reads.ts";
import { sql } from "../sql.ts";
import { type Columns, insertRows, type Value } from "./insert-rows.ts";
import type { Runner } from "./runner.ts";

/** Lines per segment: fewer compress less, and more must be decompressed to read one. */
const MAX_LINES = 64;
const MAX_BYTES = 1 << 20;
const NEWLINE = 10;

const COLUMNS: Columns = {
  shelf: "int",
  file_id: "int",
  first_line: "int",
  start: "bigint",
  bytes: "int",
  body: "bytea",
};

/** Saves consecutive lines of a file. @param start of the bytes in the file @param firstLine number of the line that starts there */
export async function writeSegments(
  client: ClientBase,
  { shelf, id }: { shelf: number; id: number },
  bytes: Buffer,
  start: number,
  firstLine: number,
): Promise<void> {
  const rows: Value[][] = [];
  let line = firstLine;
  for (let at = 0; at < bytes.length; ) {
    let end = at;
    let lines = 0;
    while (end < bytes.length && lines < MAX_LINES && end - at < MAX_BYTES) {
      const newline = bytes.indexOf(NEWLINE, end);
      end = newline === -1 ? bytes.length : newline + 1;
      lines++;
    }
    rows.push([shelf, id, line, start + at, end - at, zstdCompressSync(bytes.subarray(at, end))]);
    at = end;
    line += lines;
  }
  await insertRows(client, { table: "segment", columns: COLUMNS, rows });
}

/** Consecutive lines of a file. */
export interface Segment {
  /** Byte offset in the file. */
  start: number;
  /** Of its lines. */
  bytes: number;
  /** The lines, compressed by zstd. */
  body: Buffer;
}

/**
 * The segments of a file with the bytes in a range of offsets.
 *
 * @param limit maximum number of segments. Undefined means no limit
 */
export async function readSegments(
  client: Pick<ClientBase, "query">,
  { shelf, id }: { shelf: number; id: number },
  from: number,
  until: number,
  limit?: number,
): Promise<Segment[]> {
  const { rows } = await client.query<Segment>({
    name: "read segments",
    // The subquery lets the index find the first one, whatever the length of the file.
    text: `SELECT start, bytes, body FROM segment WHERE shelf = $1 AND file_id = $2 AND start < $4 AND start + bytes > $3
        AND start >= coalesce((SELECT max(start) FROM segment WHERE shelf = $1 AND file_id = $2 AND start <= $3), 0)
      ORDER BY start LIMIT $5`,
    values: [shelf, id, from, until, limit],
  });
  return rows;
}

/** The bytes of a file in a range of offsets. */
export async function readBytes(
  client: Pick<ClientBase, "query">,
  file: { shelf: number; id: number },
  from: number,
  until: number,
): Promise<Buffer> {
  const segments = await readSegments(client, file, from, until);
  const parts = segments.map(({ start, body }) =>
    zstdDecompressSync(body).subarray(Math.max(from - start, 0), until - start),
  );
  return Buffer.concat(parts);
}

/** The lines of a file, from its segments. */
export class SegmentLines implements LineSource {
  readonly #db: Runner;
  readonly #file: { shelf: number; id: number };
  #segment: Segment | undefined;

  constructor(db: Runner, file: { shelf: number; id: number }) {
    this.#db = db;
    this.#file = file;
  }

  async read({ byte_offset: offset, byte_length: length }: LinePlace): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let at = offset; at < offset + length; ) {
      const segment = await this.#segmentAt(at);
      if (!segment) break;
      const part = segment.body.subarray(at - segment.start, offset + length - segment.start);
      parts.push(part);
      at += part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  close(): void {}

  async #segmentAt(offset: number): Promise<Segment | undefined> {
    const known = this.#segment;
    if (known && offset >= known.start && offset < known.start + known.bytes) return known;
    const { shelf, id } = this.#file;
    const { rows } = await sql<Segment>`
      SELECT start, bytes, body FROM segment WHERE shelf = ${shelf} AND file_id = ${id} AND start <= ${offset}::bigint
      ORDER BY start DESC LIMIT 1`.execute(this.#db);
    const [row] = rows;
    if (!row || offset >= row.start + row.bytes) return undefined;
    this.#segment = { ...row, body: zstdDecompressSync(row.body) };
    return this.#segment;
  }
}
