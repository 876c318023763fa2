/** The thread that brings the index up to date where that takes long, as a first index does: it is to hold up no answer. */
import { parentPort, workerData } from "node:worker_threads";
import { openIndex, type SyncOptions, type SyncProgress } from "../../library/index.ts";
import { type FromSync, type IndexPlace, syncedOf } from "./synced.ts";

const port = parentPort as NonNullable<typeof parentPort>; // it is started as a thread, and as nothing else
const tell = (message: FromSync) => port.postMessage(message);

/** How often progress is told, in milliseconds. */
const PROGRESS_EVERY_MS = 50;

const stop = new AbortController();
port.once("message", () => stop.abort());

async function bringUpToDate({ db, roots }: IndexPlace): Promise<void> {
  const index = await openIndex({ db, roots, onNotice: (notice) => tell({ notice }) });
  let told = 0;
  const onProgress = (progress: SyncProgress) => {
    if (performance.now() - told < PROGRESS_EVERY_MS) return;
    told = performance.now();
    tell({ progress });
  };
  const onPlan: SyncOptions["onPlan"] = ({ files, bytes, index }) =>
    tell({ progress: { filesDone: 0, filesTotal: files, bytesDone: 0, bytesTotal: bytes, index } });
  try {
    tell({ synced: syncedOf(await index.sync({ signal: stop.signal, onPlan, onProgress })) });
  } finally {
    await index.close();
  }
}

void bringUpToDate(workerData as IndexPlace)
  .catch((error: unknown) => {
    if (stop.signal.aborted) return;
    const reason = error instanceof Error ? error.message : error;
    tell({ notice: `the index could not be brought up to date: ${reason}` });
  })
  .finally(() => port.close());
