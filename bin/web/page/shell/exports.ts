/** Exports that run while the page stays usable: streamed from the server, then saved as a file. */
import { signal } from "@preact/signals";
import { type ApiParams, apiUrl, fetchApi } from "./api.ts";

export interface Export {
  id: number;
  /** What is exported: "3 sessions". */
  subject: string;
  state: "running" | "done" | "failed";
  /** The bytes received so far. */
  byteCount: number;
  /** The name of the saved file. */
  file?: string;
  error?: unknown;
  /** Ends it, or removes it from the list. */
  close: () => void;
  retry: () => void;
}

/** The running exports, and the ended ones until they are closed or their view is left. */
export const exportList = signal<readonly Export[]>([]);

export function forgetEndedExports(): void {
  if (exportList.value.some(({ state }) => state !== "running"))
    exportList.value = exportList.value.filter(({ state }) => state === "running");
}

/** How often the progress is shown, in milliseconds. */
const PROGRESS_INTERVAL_MS = 100;
/** The server rejects longer addresses: many selected sessions are sent as a body. */
const MAX_ADDRESS_LENGTH = 15_000;
/** Received bytes that are moved to a blob, which browsers keep on disk if it is large. */
const BLOB_BYTES = 16_000_000;
/** Time until the browser has read a saved file. */
const SAVE_TIME_MS = 60_000;

let lastId = 0;

/** Starts an export, with the parameters of `/api/export`. */
export function startExport(subject: string, params: ApiParams): void {
  const id = ++lastId;
  const stop = new AbortController();
  const update = (changes: Partial<Export>) => {
    exportList.value = exportList.value.map((each) => (each.id === id ? { ...each, ...changes } : each));
  };
  const close = () => {
    exportList.value = exportList.value.filter((each) => each.id !== id);
    stop.abort();
  };
  const retry = () => {
    close();
    startExport(subject, params);
  };
  exportList.value = [...exportList.value, { id, subject, state: "running", byteCount: 0, close, retry }];
  updateUnloadWarning();
  receive(params, stop.signal, (byteCount) => update({ byteCount }))
    .then(({ file, content }) => {
      save(content, file);
      update({ state: "done", file, byteCount: content.size });
    })
    .catch((error: unknown) => stop.signal.aborted || update({ state: "failed", error }))
    .finally(updateUnloadWarning);
}

/** @throws as `fetchApi`; TypeError if the connection breaks */
async function receive(params: ApiParams, signal: AbortSignal, onProgress: (byteCount: number) => void) {
  const address = apiUrl("export", params);
  const response =
    address.length <= MAX_ADDRESS_LENGTH
      ? await fetchApi(address, { signal })
      : await fetchApi(apiUrl("export"), {
          method: "POST",
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
          body: address.slice(address.indexOf("?") + 1),
          signal,
        });
  const file =
    /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "pidex-export";
  const type = response.headers.get("content-type") ?? "";
  let content = new Blob([], { type });
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [byteCount, shownAt] = [0, performance.now()];
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    chunks.push(next.value);
    byteCount += next.value.length;
    if (byteCount - content.size > BLOB_BYTES) {
      content = new Blob([content, ...chunks], { type });
      chunks = [];
    }
    if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) continue;
    shownAt = performance.now();
    onProgress(byteCount);
  }
  signal.throwIfAborted();
  return { file, content: new Blob([content, ...chunks], { type }) };
}

function save(content: Blob, file: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVE_TIME_MS);
}

/** Leaving the page would end running exports, so the browser asks first. */
function updateUnloadWarning(): void {
  const isRunning = exportList.value.some(({ state }) => state === "running");
  if (isRunning) addEventListener("beforeunload", preventUnload);
  else removeEventListener("beforeunload", preventUnload);
}

function preventUnload(event: Event): void {
  event.preventDefault();
}
