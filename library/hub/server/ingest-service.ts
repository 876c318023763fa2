import type { Pool } from "pg";
import { settleAll } from "../../../indexer/hub-ledger.ts";
import { connect } from "../../../src/store/postgres/connect.ts";
import type { Caller } from "../../../src/store/postgres/people.ts";
import type { AppendHeader } from "../protocol.ts";
import { type AppendResult, appendLines } from "./receive.ts";

/** What a hub does with new lines. It takes much longer than most queries, so it runs in threads: see `IngestThreads`. */
export class IngestService {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** As `appendLines`. */
  append(caller: Caller, header: AppendHeader, fd: number): Promise<AppendResult> {
    return appendLines(this.#pool, caller, header, fd);
  }

  /** Brings the ledger of a shelf up to date. */
  settle(shelf: number): Promise<void> {
    return settleAll(this.#pool, shelf);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** Indexes what machines send: the service, or threads that run it. */
export type Ingest = Pick<IngestService, "append" | "settle">;

/** Of each thread: one that waits for the disk or a lock lets another one work. */
const MAX_CONNECTIONS = 3;

/** Opens the service in a thread. @param url connection string of a migrated PostgreSQL */
export async function openIngestService({ url }: { url: string }): Promise<IngestService> {
  return new IngestService(connect(url, { max: MAX_CONNECTIONS }));
}
