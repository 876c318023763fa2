/** The thread that brings the index up to date and keeps it so while the picker is open. */
import { parentPort, workerData } from "node:worker_threads";
import { openIndex } from "../../index.ts";
import type { FromSync, IndexPlace } from "./questions.ts";

const port = parentPort as NonNullable<typeof parentPort>; // it is started as a thread, and as nothing else
const tell = (message: FromSync) => port.postMessage(message);
const complain = (error: unknown) =>
  tell({
    notice: `the index could not be brought up to date: ${error instanceof Error ? error.message : error}`,
  });

/** How often progress is told, in milliseconds. */
const PROGRESS_EVERY_MS = 50;

const stop = new AbortController();
port.once("message", () => stop.abort());

async function keepUp({ db, roots }: IndexPlace): Promise<void> {
  const index = await openIndex({ db, roots, onNotice: (notice) => tell({ notice }) });
  let told = 0;
  try {
    await using watch = await index.watch({
      signal: stop.signal,
      onProgress: (progress) => {
        if (performance.now() - told < PROGRESS_EVERY_MS) return;
        told = performance.now();
        tell({ progress });
      },
      onSynced: ({ files, busy, behind, added, appended, reindexed, moved, forgotten }) =>
        tell({
          synced: { files, busy, behind, changed: added + appended + reindexed + moved + forgotten > 0 },
        }),
      onNotice: (notice) => tell({ notice }),
      onProblem: complain,
    });
    await watch.closed;
  } finally {
    await index.close();
  }
}

void keepUp(workerData as IndexPlace)
  .catch((error: unknown) => {
    if (!stop.signal.aborted) complain(error);
  })
  .finally(() => port.close());
