import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Amount } from "./counted-work.ts";
import { generateRoot, type Manifest, parseBytes } from "./generate.ts";
import { PROFILES } from "./plan.ts";

const SEED = 1;

/** A generated root, and what is in it. */
export interface BenchRoot {
  path: string;
  manifest: Manifest;
}

/** The mixed root of a size (`100MB`, `1GB`) below a folder: made the first time, and used again afterwards. */
export function benchRoot(folder: string, size: string): BenchRoot {
  const path = join(resolve(folder), `mixed-${size.toLowerCase()}`);
  const bytes = parseBytes(size);
  const files = Math.max(1, Math.round(bytes / PROFILES.mixed.bytesPerFile));
  const kept = `${path}.manifest.json`;
  if (!existsSync(kept)) {
    return { path, manifest: generateRoot(path, { seed: SEED, profile: "mixed", files, bytes }) };
  }
  const manifest = JSON.parse(readFileSync(kept, "utf8")) as Manifest;
  if (manifest.seed !== SEED || manifest.profile !== "mixed" || manifest.files !== files) {
    throw new Error(`Made with other options, delete it or name another folder: ${path}`);
  }
  return { path, manifest };
}

/** All there is to read in a root. */
export function allFiles({ manifest }: BenchRoot): Amount {
  return { name: "all files", bytes: [manifest.bytes], lines: [manifest.entries + manifest.files] };
}
