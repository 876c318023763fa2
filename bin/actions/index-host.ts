/** Starts index hosts with the program `bin/host.ts`. */
import type { ResourceLimits } from "node:worker_threads";
import { Host } from "../../library/host/host.ts";
import { startProcess } from "../../library/host/process.ts";
import { startThread } from "../../library/host/thread.ts";
import type { Index, OpenIndexOptions, SyncOptions, SyncProgress } from "../../library/index.ts";
import type { IndexService } from "../../library/index-service.ts";
import { openIsolatedIndex } from "../../library/isolated-index.ts";
import type { HubLocation, IndexLocation } from "./index-location.ts";
import { type SyncResult, toSyncResult } from "./sync-messages.ts";

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "../host.ts" : "./host.js", import.meta.url);

/** Options of an index, with a hub instead if it is given; or the database that a hub ingests into. */
type HostedOptions = OpenIndexOptions & { hub?: HubLocation | undefined; url?: string };

/** A thread that runs a service of `bin/host.ts`, once something is requested. */
export function threadHost<T extends object>(
  service: "index" | "picker" | "page" | "ingest",
  { onNotice, ...options }: HostedOptions,
  limits?: ResourceLimits,
): Host<T> {
  const start = () => startThread(PROGRAM, limits);
  return new Host<T>({ start, service, options, onNotice });
}

/** An index in a thread of its own. @throws as `openIndex` */
export function openIsolated(options: OpenIndexOptions): Promise<Index> {
  return openIsolatedIndex(options, () => startThread(PROGRAM));
}

/**
 * An index in a process of its own, for work that blocks its thread for seconds. Closing the index, or the end of this process, aborts
 * the work: the process then cleans up in the background, and Ctrl+C in a terminal does not reach it.
 *
 * @throws as `openIndex`
 */
export function openInProcess(options: OpenIndexOptions): Promise<Index> {
  return openIsolatedIndex(options, () => startProcess(PROGRAM, process.execPath, { detached: true }));
}

/**
 * Syncs in a separate thread, for long syncs such as a first index.
 *
 * @throws as `Index.sync`; a signal ends the thread too
 */
export async function syncInThread(
  { db, roots }: IndexLocation,
  control: {
    signal: AbortSignal;
    onNotice?: (notice: string) => void;
    onProgress: (progress: SyncProgress) => void;
  },
): Promise<SyncResult> {
  const { signal, onNotice, onProgress } = control;
  const host = threadHost<IndexService>("index", { db, roots, onNotice });
  const onPlan: SyncOptions["onPlan"] = ({ files, bytes, index }) =>
    onProgress({ filesDone: 0, filesTotal: files, bytesDone: 0, bytesTotal: bytes, index });
  try {
    return toSyncResult(await host.call("sync", { signal, onPlan, onProgress }));
  } finally {
    await host.close();
  }
}
