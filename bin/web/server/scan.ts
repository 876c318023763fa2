import type { Index, ScanOptions } from "../../../library/index.ts";
import { toJson } from "../../format/json-text.ts";
import { failure } from "./errors.ts";

/** How often progress is told, in milliseconds. */
const PROGRESS_EVERY_MS = 100;

/**
 * Looks through the files until all is told: see `ScanEvent`. That it failed is told by its last line, as its status was
 * told before.
 *
 * @param write takes lines of JSON; hits wait for its promise
 */
export async function tellScan(
  index: Index,
  regex: string,
  options: ScanOptions,
  write: (lines: string) => Promise<void>,
): Promise<void> {
  const tell = (event: object) => write(`${toJson(event)}\n`);
  let told = performance.now();
  const known = new Set<string>();
  const onProgress = ({ bytes, bytesDone }: { bytes: number; bytesDone: number }) => {
    if (performance.now() - told < PROGRESS_EVERY_MS) return;
    told = performance.now();
    void tell({ progress: { bytes, bytesDone } });
  };
  try {
    const scanning = { ...options, onProgress };
    for await (const hit of index.scan({ regex, caseSensitive: false }, scanning)) {
      if (!known.has(hit.path)) await tell({ session: await index.find(hit.path) });
      known.add(hit.path);
      await tell({ hit });
    }
  } catch (error) {
    await tell(failure(error));
  }
}
