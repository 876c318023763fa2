import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Amount } from "./counted-work.ts";
import { generateRoot, type Manifest, parseBytes } from "./generate.ts";
import { PROFILES, type Profile } from "./plan.ts";

const SEED = 1;

/** A generated root and its contents. */
export interface BenchRoot {
  path: string;
  /** Its name in the tables. */
  title: string;
  manifest: Manifest;
}

/**
 * A root of a profile and a size: `100MB` for `mixed` and `giant`, `10000` files for `small` and `tiny`. Generated below a
 * folder the first time, and reused afterwards.
 */
export function benchRoot(folder: string, profile: Profile, size: string): BenchRoot {
  const { files, bytes } = extent(profile, size);
  const path = join(resolve(folder), `${profile}-${size.toLowerCase()}`);
  const title =
    profile === "mixed" || profile === "giant" ? size : `${files.toLocaleString("en")} ${profile} sessions`;
  const kept = `${path}.manifest.json`;
  if (!existsSync(kept)) {
    // Without a manifest, which is written last, generating it was interrupted.
    rmSync(path, { recursive: true, force: true });
    return { path, title, manifest: generateRoot(path, { seed: SEED, profile, files, bytes }) };
  }
  const manifest = JSON.parse(readFileSync(kept, "utf8")) as Manifest;
  if (manifest.seed !== SEED || manifest.profile !== profile || manifest.files !== files) {
    throw new Error(`Generated with other options; delete it or pass another folder: ${path}`);
  }
  return { path, title, manifest };
}

function extent(profile: Profile, size: string): { files: number; bytes: number } {
  const { bytesPerFile } = PROFILES[profile];
  if (profile === "giant") return { files: 1, bytes: parseBytes(size) };
  if (profile === "mixed") {
    const bytes = parseBytes(size);
    return { files: Math.max(1, Math.round(bytes / bytesPerFile)), bytes };
  }
  const files = Number(size);
  return { files, bytes: files * bytesPerFile };
}

/** The total size of a root. */
export function allFiles({ manifest }: BenchRoot): Amount {
  return { name: "all files", bytes: [manifest.bytes], lines: [manifest.entries + manifest.files] };
}
