import { EXTRACTION } from "../../src/store/sqlite/extraction.ts";
import { isOfNow, type KnownFile } from "./known-files.ts";

/** Bytes of sessions after which only small ones come into a sample, for it is to take a second or two. */
const SAMPLE_BYTES = 16 << 20;
/** Of a sample, the part that is taken for a reason: so much for each. */
const SHARE = 0.2;

/**
 * Chooses some files: first those whose row is not of the file as it lies there, then some of the newest and some with
 * problems, and for the rest any. So each time others.
 */
export function chooseSample(files: readonly KnownFile[], most: number): KnownFile[] {
  const chosen = new Set<KnownFile>();
  let bytes = 0;
  const take = (from: readonly KnownFile[], upTo: number) => {
    for (const file of from) {
      if (chosen.size >= upTo) return;
      if (chosen.has(file)) continue;
      const size = Number(file.found?.stat.size ?? 0);
      if (chosen.size > 0 && bytes + size > SAMPLE_BYTES) continue;
      bytes += size;
      chosen.add(file);
    }
  };
  const share = Math.ceil(most * SHARE);
  const isBehind = (file: KnownFile) => !isOfNow(file) || file.row?.extraction !== EXTRACTION;
  take(shuffled(files.filter(isBehind)), most);
  const newest = files.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(0, share);
  take(newest, most);
  take(shuffled(files.filter(({ hasProblems }) => hasProblems)), Math.min(most, chosen.size + share));
  take(shuffled(files), most);
  return [...chosen];
}

function timeOf({ found }: KnownFile): number {
  return Number(found?.stat.mtimeNs ?? 0);
}

function shuffled<T>(items: readonly T[]): T[] {
  const all = [...items];
  for (let n = all.length - 1; n > 0; n--) {
    const other = Math.floor(Math.random() * (n + 1));
    [all[n], all[other]] = [all[other] as T, all[n] as T];
  }
  return all;
}
