import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Amount } from "./counted-work.ts";
import { generateRoot, type Manifest, parseBytes } from "./generate.ts";
import { PROFILES, type Profile } from "./plan.ts";

const SEED = 1;

/** A generated root, and what is in it. */
export interface BenchRoot {
  path: string;
  /** What it is called in the tables. */
  title: string;
  manifest: Manifest;
}

/**
 * A root of a profile and a size: `100MB` of what is `mixed` or one `giant`, `10000` files of what is `small` or `tiny`.
 * Made below a folder the first time, and used again afterwards.
 */
export function benchRoot(folder: string, profile: Profile, size: string): BenchRoot {
  const { files, bytes } = extent(profile, size);
  const path = join(resolve(folder), `${profile}-${size.toLowerCase()}`);
  const title =
    profile === "mixed" || profile === "giant" ? size : `${files.toLocaleString("en")} ${profile} sessions`;
  const kept = `${path}.manifest.json`;
  if (!existsSync(kept)) {
    // Without a manifest it was interrupted: it is written last.
    rmSync(path, { recursive: true, force: true });
    return { path, title, manifest: generateRoot(path, { seed: SEED, profile, files, bytes }) };
  }
  const manifest = JSON.parse(readFileSync(kept, "utf8")) as Manifest;
  if (manifest.seed !== SEED || manifest.profile !== profile || manifest.files !== files) {
    throw new Error(`Made with other options, delete it or name another folder: ${path}`);
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

/** All there is to read in a root. */
export function allFiles({ manifest }: BenchRoot): Amount {
  return { name: "all files", bytes: [manifest.bytes], lines: [manifest.entries + manifest.files] };
}
