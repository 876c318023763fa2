/** The thread that tells one answer of any length: an export, or a look through the files. */
import { parentPort, workerData } from "node:worker_threads";
import { openIndex, type ScanOptions } from "../../../library/index.ts";
import { loadRedactor } from "../../../library/internal.ts";
import { type ExportOptions, writeExport } from "../export/write-export.ts";
import { tellScan } from "../server/scan.ts";
import {
  type FromStreamThread,
  type StreamJob,
  type ThreadPlace,
  type ToStreamThread,
  threadFailure,
} from "./threads.ts";

const port = parentPort as NonNullable<typeof parentPort>; // it is started as a thread, and as nothing else
const tell = (message: FromStreamThread) => port.postMessage(message);

const {
  place: { db, roots },
  job,
  ...given
} = workerData as { place: ThreadPlace; job: StreamJob; room: number };

/** How many pieces may be sent. */
let { room } = given;
let onRoom = () => {};
port.on("message", (_: ToStreamThread) => {
  room++;
  onRoom();
});

/** What is written goes out in pieces of about this size, in UTF-16 units. */
const PIECE = 64 * 1024;
let begun = "";

let sending = Promise.resolve();

/** Sends what was written, once there is room for it and what was written before is sent. */
function flush(): Promise<void> {
  sending = sending.then(async () => {
    if (begun === "") return;
    while (room === 0) {
      await new Promise<void>((resolve) => {
        onRoom = resolve;
      });
    }
    room--;
    tell({ piece: begun });
    begun = "";
  });
  return sending;
}

async function work(): Promise<void> {
  const index = await openIndex({ db, ...(roots && { roots }) });
  if (job.kind === "scan") {
    await tellScan(index, job.regex, job.options as ScanOptions, (text) => {
      begun += text;
      return flush(); // who looks sees each hit when it is found
    });
  } else {
    const redactor = job.redact ? await loadRedactor() : undefined;
    const options = { ...job.options, redactor } as ExportOptions;
    await writeExport(index, options, (text) => {
      begun += text;
      return begun.length < PIECE ? undefined : flush();
    });
  }
  await flush();
  tell({ end: true });
}

void work().catch((error: unknown) => tell({ failure: threadFailure(error) }));
