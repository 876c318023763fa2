import { join } from "node:path";
import { z } from "zod";
import { ByteChain } from "../../../src/byte-chain.ts";
import { type Environment, getDataFolder } from "../../../src/environment.ts";
import { systemCode } from "../../../src/errors.ts";
import { getFileStamp } from "../../../src/file-identity.ts";
import { isBelow } from "../../../src/path-bytes.ts";
import { readAt } from "../../../src/session/lines.ts";
import { openForReading } from "../../../src/session/open-for-reading.ts";
import { getMachinesFolder } from "../../../src/session/pulled-sessions.ts";
import { closeBytes, getByteCount, type SessionBytes } from "../../../src/session/session-bytes.ts";
import { readJsonFile, writeJsonFile } from "../json-file.ts";

const pulledFile = z.object({
  /** The file on this machine. */
  target: z.string(),
  /** How far the hub had it, and the digest of these bytes. */
  cursor: z.int().nonnegative(),
  digest: z.string(),
  /** The stat of the target when it had exactly these bytes; null if it went on here. */
  stamp: z.string().nullable(),
  /** Whether the user deleted it here: it is not fetched again. */
  isDeleted: z.boolean().default(false),
});
export type PulledFile = z.infer<typeof pulledFile>;

const stateSchema = z.object({ version: z.literal(1), files: z.record(z.string(), pulledFile) });

/** How long changes stay in memory before they are saved, in milliseconds. */
const SAVE_INTERVAL_MS = 2_000;

/** What was pulled, by the path that the file has on the hub (`laptop:/home/…`). */
export class PullState {
  readonly #path: string;
  readonly #folder: string;
  readonly #files: Map<string, PulledFile>;
  readonly #byTarget = new Map<string, PulledFile>();
  #isChanged = false;
  #savedAt = performance.now();

  /**
   * @param path the file with the state
   * @param folder the folder of pulled sessions
   * @throws PidexError `FILE_UNREADABLE` if the file is damaged: without it, deleted sessions would be fetched again
   */
  constructor(path: string, folder: string) {
    this.#path = path;
    this.#folder = folder;
    this.#files = new Map(Object.entries(readJsonFile(path, stateSchema)?.files ?? {}));
    for (const file of this.#files.values()) this.#byTarget.set(file.target, file);
  }

  get(hubPath: string): PulledFile | undefined {
    return this.#files.get(hubPath);
  }

  set(hubPath: string, file: PulledFile): void {
    this.#files.set(hubPath, file);
    this.#byTarget.set(file.target, file);
    this.#isChanged = true;
    if (performance.now() - this.#savedAt > SAVE_INTERVAL_MS) this.save();
  }

  /** The files on this machine that were pulled, or will be. */
  targets(): Iterable<string> {
    return this.#byTarget.keys();
  }

  /** Whether a file was pulled, and has nothing that the hub did not send. */
  isUnchanged(path: string): boolean {
    if (!isBelow(path, this.#folder)) return false;
    const file = this.#byTarget.get(path); // undefined for a copy that a pull made
    const stamp = file && getFileStamp(path);
    if (!file || stamp === undefined) return false;
    return stamp === file.stamp || hasBytes(path, file);
  }

  save(): void {
    if (!this.#isChanged) return;
    writeJsonFile(this.#path, { version: 1, files: Object.fromEntries(this.#files) });
    this.#isChanged = false;
    this.#savedAt = performance.now();
  }
}

/** Whether a file consists of exactly these bytes. */
function hasBytes(path: string, { cursor, digest }: Pick<PulledFile, "cursor" | "digest">): boolean {
  let fd: SessionBytes | undefined;
  try {
    fd = openForReading(path);
    return getByteCount(fd) === cursor && digestStart(fd, cursor) === digest;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // the push reports that it cannot be read
  } finally {
    if (fd !== undefined) closeBytes(fd);
  }
}

const READ_BYTES = 1 << 20;

/** The chain of the first bytes of an open file. */
export function chainStart(fd: SessionBytes, end: number): ByteChain {
  const chain = new ByteChain();
  for (let offset = 0; offset < end; ) {
    const bytes = readAt(fd, offset, Math.min(READ_BYTES, end - offset));
    if (bytes.length === 0) break;
    chain.add(bytes);
    offset += bytes.length;
  }
  return chain;
}

export function digestStart(fd: SessionBytes, end: number): string {
  return chainStart(fd, end).digest;
}

/** The state of pulls on this machine. */
export function openPullState(environment: Environment = process.env): PullState {
  const path = join(getDataFolder(environment, process.platform), "pulled.json");
  return new PullState(path, getMachinesFolder(environment));
}
