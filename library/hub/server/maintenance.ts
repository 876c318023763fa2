/** What a hub does in the background: forgets what is too old, and indexes files again that an older version indexed. */
import { closeSync, writeSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import type { Pool } from "pg";
import { ingestLocked, lockRemote, resetRemote } from "../../../indexer/ingest-remote.ts";
import { EXTRACTION } from "../../../src/store/extraction.ts";
import { writeAudit } from "../../../src/store/postgres/audit.ts";
import {
  type FileKey,
  findExpired,
  findOutdated,
  lockKey,
} from "../../../src/store/postgres/machine-files.ts";
import { readSegments } from "../../../src/store/postgres/segments.ts";
import { lockForAppend } from "../../../src/store/postgres/shelves.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";
import { toTarget } from "./access.ts";
import { forgetFiles } from "./forget-file.ts";
import { openTemporaryFile } from "./receive-bytes.ts";

const PAGE_FILES = 100;
const PAGE_SEGMENTS = 8;
const INTERVAL_MS = 60 * 60_000;
const HUB = { person: "hub", machine: "" };

/** Forgets the sessions that are too old for their shelf, and the private ones of people who were removed. @returns how many */
export async function forgetExpired(pool: Pool, now = Date.now(), signal?: AbortSignal): Promise<number> {
  let forgotten = 0;
  while (!signal?.aborted) {
    const files = await findExpired(pool, now, PAGE_FILES);
    if (files.length === 0) break;
    forgotten += await forgetFiles(pool, files, (client, file) =>
      writeAudit(client, HUB, "expire", toTarget(file)),
    );
  }
  return forgotten;
}

/**
 * Indexes files again that were indexed by another extraction, each in a transaction.
 *
 * @param onError called if a file fails; it keeps its rows, and the next run tries again
 * @returns how many were indexed
 */
export async function reindexOutdated(
  pool: Pool,
  onError: (error: unknown) => void = () => {},
  signal?: AbortSignal,
): Promise<number> {
  let indexed = 0;
  const failed: number[] = [];
  while (!signal?.aborted) {
    const files = await findOutdated(pool, EXTRACTION, failed, PAGE_FILES);
    if (files.length === 0) break;
    for (const file of files) {
      if (signal?.aborted) break;
      try {
        if (await reindex(pool, file)) indexed++;
      } catch (error) {
        failed.push(file.id);
        onError(error);
      }
    }
  }
  return indexed;
}

/** @returns false if the file was forgotten, or indexed by another hub, meanwhile */
function reindex(pool: Pool, key: FileKey): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await lockForAppend(client, key.shelf);
    const file = await lockKey(client, key);
    if (!file || file.extraction === EXTRACTION) return false;
    const fd = openTemporaryFile();
    try {
      for (let at = 0; at < file.cursor; ) {
        const segments = await readSegments(client, file, at, file.cursor, PAGE_SEGMENTS);
        if (segments.length === 0) throw new Error(`bytes of file ${file.id} are missing`);
        for (const { body } of segments) at += writeSync(fd, zstdDecompressSync(body), 0, null, at);
      }
      await resetRemote(client, file);
      const { shelf, machine, path, modified } = file;
      const empty = await lockRemote(client, { shelf, machine, path, subagent: 0 });
      const bytes = { fd, end: file.cursor, mtimeNs: BigInt(modified) * 1_000_000n };
      const { digest } = await ingestLocked(client, empty, bytes);
      if (digest !== file.digest) throw new Error(`the bytes of file ${file.id} are damaged`);
      return true;
    } finally {
      closeSync(fd);
    }
  });
}

/** Runs both now, when it is woken, and every hour. */
export class Maintenance {
  readonly #pool: Pool;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isDue = false;

  constructor(pool: Pool, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
  }

  /** Runs at once, or again after the current run. */
  wake(): void {
    this.#isDue = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends after the file that is being worked on. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false;
      clearTimeout(this.#timer);
      try {
        await forgetExpired(this.#pool, Date.now(), signal);
        await reindexOutdated(this.#pool, this.#onError, signal);
      } catch (error) {
        this.#onError(error); // the database is not available: the next run continues
      }
      if (!signal.aborted) this.#timer = setTimeout(() => this.wake(), INTERVAL_MS).unref();
    }
  }
}
