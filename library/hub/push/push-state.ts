import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { type Environment, getCacheFolder } from "../../../src/environment.ts";
import { PidexError } from "../../../src/errors.ts";
import { readJsonFile, writeJsonFile } from "../json-file.ts";
import { shelfName } from "../protocol.ts";

const count = z.int().nonnegative();
const hex = z.string().regex(/^[0-9a-f]{64}$/);

/** How far a file was sent. Ends after whole lines. */
export const sentPosition = z.object({
  /** Bytes of the local file, and the digest of these. */
  raw: count,
  rawDigest: hex,
  /** Bytes that the hub has, which differ if secrets were masked, and the digest of these. */
  cursor: count,
  digest: hex,
  /** To continue the digest: the link of the whole blocks that were sent, and a line that begins at or before their end. */
  link: hex,
  line: z.object({ raw: count, sent: count }),
});
export type SentPosition = z.infer<typeof sentPosition>;

const sentFile = z.object({
  session: z.string(),
  shelf: shelfName,
  sent: sentPosition,
  /** The stat of the file before it was read; null if it may have been changed at the same time. */
  stamp: z.string().nullable(),
});
export type SentFile = z.infer<typeof sentFile>;

const stateSchema = z.object({
  version: z.literal(1),
  files: z.record(z.string(), sentFile),
  /** Paths of sessions that the hub does not accept again. */
  forgotten: z.array(z.string()).default([]),
});

/** How long changes stay in memory before they are saved, in milliseconds. */
const SAVE_INTERVAL_MS = 2_000;

/**
 * What was sent to a hub, by path. It saves comparing files with the hub, and can be deleted: then they are compared again, and nothing
 * is sent twice.
 */
export class PushState {
  readonly #path: string;
  readonly #files: Map<string, SentFile>;
  #forgotten: ReadonlySet<string>;
  #isChanged = false;
  #savedAt = performance.now();

  /** Reads the state. A damaged file counts as none. */
  constructor(path: string) {
    this.#path = path;
    const { files = {}, forgotten = [] } = readState(path) ?? {};
    this.#files = new Map(Object.entries(files));
    this.#forgotten = new Set(forgotten);
  }

  /** The files that the last push left out, because their sessions were deleted from the hub. */
  get forgotten(): ReadonlySet<string> {
    return this.#forgotten;
  }

  /** Replaces these files. Nothing counts as sent of them. */
  setForgotten(paths: readonly string[]): void {
    const before = this.#forgotten;
    this.#forgotten = new Set(paths);
    for (const path of paths) this.#files.delete(path);
    if (paths.length !== before.size || paths.some((path) => !before.has(path))) this.#onChange();
  }

  get(path: string): SentFile | undefined {
    return this.#files.get(path);
  }

  entries(): IterableIterator<[string, SentFile]> {
    return this.#files.entries();
  }

  set(path: string, file: SentFile): void {
    this.#files.set(path, file);
    this.#onChange();
  }

  delete(path: string): void {
    if (this.#files.delete(path)) this.#onChange();
  }

  save(): void {
    if (!this.#isChanged) return;
    const forgotten = [...this.#forgotten];
    writeJsonFile(this.#path, { version: 1, files: Object.fromEntries(this.#files), forgotten });
    this.#isChanged = false;
    this.#savedAt = performance.now();
  }

  #onChange(): void {
    this.#isChanged = true;
    if (performance.now() - this.#savedAt > SAVE_INTERVAL_MS) this.save();
  }
}

function readState(path: string): z.infer<typeof stateSchema> | undefined {
  try {
    return readJsonFile(path, stateSchema);
  } catch (error) {
    if (error instanceof PidexError) return undefined;
    throw error;
  }
}

/** The file with the state of pushes to a hub from a machine. */
export function getPushStatePath(
  { url, machine }: { url: string; machine: string },
  environment: Environment = process.env,
): string {
  const name = createHash("sha256").update(`${machine} ${url}`).digest("hex").slice(0, 16);
  return join(getCacheFolder(environment, process.platform), "pidex", "pushed", `${name}.json`);
}
