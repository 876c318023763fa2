import { createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import type { Pool } from "pg";
import { PidexError } from "../../../src/errors.ts";
import { writeAudit } from "../../../src/store/postgres/audit.ts";
import { getFile, listFiles, type OwnFileRow } from "../../../src/store/postgres/machine-files.ts";
import type { Caller } from "../../../src/store/postgres/people.ts";
import { readSegments } from "../../../src/store/postgres/segments.ts";
import { getPrivateShelf } from "../../../src/store/postgres/shelves.ts";
import { toActor } from "./access.ts";

const PAGE_FILES = 500;
/** Segments that are read at once: up to 1 MiB each, unless a line is longer. */
const PAGE_SEGMENTS = 8;

/** The private files of the caller's person, from all machines. */
export async function* listOwnFiles(pool: Pool, { person }: Caller): AsyncGenerator<OwnFileRow> {
  const shelf = await getPrivateShelf(pool, person.id);
  for (let after = 0; ; ) {
    const page = await listFiles(pool, shelf, after, PAGE_FILES);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE_FILES) return;
    after = last.id;
  }
}

/** A SHA-256 that differs when the private files of the caller's person do. */
export async function digestOwnFiles(pool: Pool, caller: Caller): Promise<string> {
  const hash = createHash("sha256");
  for await (const file of listOwnFiles(pool, caller)) hash.update(`${JSON.stringify(file)}\n`);
  return hash.digest("hex");
}

/**
 * The bytes of a private file of the caller's person, from an offset up to its cursor. No connection is held between the parts.
 *
 * @throws PidexError `NOT_FOUND` if there is no such file, `BAD_OPTION` if it ends before the offset
 */
export async function openOwnFile(
  pool: Pool,
  caller: Caller,
  id: number,
  from: number,
): Promise<AsyncGenerator<Buffer>> {
  const file = await getFile(pool, await getPrivateShelf(pool, caller.person.id), id);
  if (!file) {
    throw new PidexError("NOT_FOUND", `there is no private file ${id}`, "Read the list of files again.");
  }
  if (from > file.cursor) {
    throw new PidexError(
      "BAD_OPTION",
      `file ${id} has ${file.cursor} bytes`,
      "Read the list of files again.",
    );
  }
  await writeAudit(pool, toActor(caller), "download", "mine");
  return readParts(pool, file, from, file.cursor);
}

/** @throws Error if the file was forgotten meanwhile */
async function* readParts(
  pool: Pool,
  file: { shelf: number; id: number },
  from: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < end; ) {
    const segments = await readSegments(pool, file, at, end, PAGE_SEGMENTS);
    if (segments.length === 0) throw new Error("the file was deleted while it was read");
    for (const { start, body } of segments) {
      const part = zstdDecompressSync(body).subarray(at - start, end - start);
      at += part.length;
      yield part;
    }
  }
}
