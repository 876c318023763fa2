import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { InputSize } from "./counted-work.ts";
import { generateRoot, parseBytes } from "./generate.ts";
import type { Manifest } from "./manifest.ts";
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
 * Returns a root of a profile and a size: bytes such as `100MB` for `mixed`, `varied` and `giant`, a number of files such as `10000` for
 * `small` and `tiny`. It is generated below the folder on first use, and reused afterwards.
 */
export function prepareRoot(folder: string, profile: Profile | "varied", size: string): BenchRoot {
  const { files, bytes } = parseSize(profile, size);
  const path = join(resolve(folder), `${profile}-${size.toLowerCase()}`);
  const title = toTitle(profile, size);
  const manifestPath = `${path}.manifest.json`;
  if (!existsSync(manifestPath)) {
    // The manifest is written last: without one, generating the root was interrupted.
    rmSync(path, { recursive: true, force: true });
    return {
      path,
      title,
      manifest: generateRoot(path, { seed: SEED, profile, bytes, ...(files && { files }) }),
    };
  }
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as Manifest;
  if (manifest.seed !== SEED || manifest.profile !== profile || (files && manifest.files !== files)) {
    throw new Error(`Generated with other options; delete it or pass another folder: ${path}`);
  }
  return { path, title, manifest };
}

function toTitle(profile: Profile | "varied", size: string): string {
  if (profile === "mixed" || profile === "giant") return size;
  return profile === "varied" ? `${size} varied` : `${Number(size).toLocaleString("en")} ${profile} sessions`;
}

/** `files` is undefined where the generator chooses the number. */
function parseSize(profile: Profile | "varied", size: string): { files?: number; bytes: number } {
  if (profile === "varied") return { bytes: parseBytes(size) };
  const { bytesPerFile } = PROFILES[profile];
  if (profile === "giant") return { files: 1, bytes: parseBytes(size) };
  if (profile === "mixed") {
    const bytes = parseBytes(size);
    return { files: Math.max(1, Math.round(bytes / bytesPerFile)), bytes };
  }
  const files = Number(size);
  return { files, bytes: files * bytesPerFile };
}

export function totalSize({ manifest }: BenchRoot): InputSize {
  return { name: "all files", bytes: [manifest.bytes], lines: [manifest.entries + manifest.files] };
}
