/** The thread that keeps the index up to date: reading a gigabyte for the first time holds up no answer. */
import { parentPort, workerData } from "node:worker_threads";
import { openIndex } from "../../../library/index.ts";
import type { Change } from "../api/answers.ts";
import type { IndexPlace } from "./changes.ts";

const port = parentPort as NonNullable<typeof parentPort>; // it is started as a thread, and as nothing else
const tell = (change: Change) => port.postMessage(change);

/** How often progress is told, in milliseconds. */
const PROGRESS_EVERY_MS = 100;

async function watch({ db, roots }: IndexPlace): Promise<void> {
  const index = await openIndex({ db, ...(roots && { roots }) });
  let told = 0;
  const watching = await index.watch({
    onProgress(progress) {
      if (performance.now() - told < PROGRESS_EVERY_MS) return;
      told = performance.now();
      tell({ kind: "progress", progress });
    },
    onSynced({ added, appended, reindexed, moved, forgotten }, { paths }) {
      const changed = added + appended + reindexed + moved + forgotten > 0;
      tell({ kind: "synced", changed, ...(paths && { paths: [...paths] }) });
    },
    onProblem: (error) =>
      tell({ kind: "problem", message: error instanceof Error ? error.message : String(error) }),
  });
  await watching.closed;
}

void watch(workerData as IndexPlace).catch((error: unknown) => {
  tell({ kind: "problem", message: error instanceof Error ? error.message : String(error) });
  port.close();
});
