import { constants, copyFileSync, existsSync, linkSync, lstatSync } from "node:fs";
import { encodePath } from "../../path-bytes.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import { isRecord } from "../json.ts";
import { applyMetadata, emptyMetadata, type SessionMetadata } from "../session-metadata.ts";
import type { SessionEntry, SessionHeader } from "../session-types.ts";
import { type LoadedSession, loadOpenSession, loadSession } from "./load.ts";
import { replaceFile } from "./replace-file.ts";
import { waitForRewrite } from "./rewrite-lock.ts";
import {
  type Durability,
  FileReplacedError,
  OWN_LINE,
  SessionChangedError,
  SessionFile,
} from "./session-file.ts";

/** Attempts to append to a file that other processes keep replacing. */
const MAX_ATTEMPTS = 5;

/** The current label of an entry, and the time it was set. */
export interface CurrentLabel {
  label: string;
  timestamp: string;
}

export interface StoreOptions {
  /** Whether the session is written to its file. */
  isPersistent: boolean;
  durability: Durability;
  /** Whether an append throws if another process has appended, instead of adopting its entries. */
  refuseForeign: boolean;
  /** Allowed prefixes of the real paths of written files. */
  within?: readonly string[] | undefined;
}

/** Whether a session is in its file. A new session is written with its first user or assistant message. */
type Persistence = "in memory" | "not yet written" | "written";

/**
 * The entries of one session in memory, and their file. Each append goes to the file first; if that fails, memory is unchanged.
 */
export class SessionStore {
  header: SessionHeader;
  /** In file order, without the header. */
  readonly entries: SessionEntry[] = [];
  /** If an id occurs twice, the last entry. */
  readonly byId = new Map<string, SessionEntry>();
  readonly labels = new Map<string, CurrentLabel>();
  metadata: SessionMetadata = emptyMetadata();
  name: string | undefined;
  /** The parent of the next entry. */
  leafId: string | null = null;
  readonly path: string | undefined;
  readonly #file: SessionFile | undefined;
  readonly #options: StoreOptions;
  #persistence: Persistence;
  #hasConversation = false;

  /** A new session, which is written with its first user or assistant message; never without a path. */
  constructor(
    header: SessionHeader,
    entries: readonly SessionEntry[],
    path: string | undefined,
    options: StoreOptions,
  ) {
    this.header = header;
    this.path = path;
    this.#options = options;
    this.#file = path === undefined ? undefined : new SessionFile(path, options.durability, options.within);
    this.#persistence = path === undefined || !options.isPersistent ? "in memory" : "not yet written";
    for (const entry of entries) this.#add(entry);
    this.leafId = entries.at(-1)?.id ?? null;
  }

  /** The session of a loaded file. */
  static fromFile(loaded: LoadedSession, path: string, options: StoreOptions): SessionStore {
    const store = new SessionStore(loaded.header, loaded.entries, path, options);
    store.#file?.continueFrom(loaded);
    if (options.isPersistent) store.#persistence = "written";
    return store;
  }

  get isWritten(): boolean {
    return this.#persistence === "written";
  }

  /** Byte offset of the last written line; 0 after writing a whole file. */
  get lastOffset(): number {
    return this.#file?.lastOffset ?? 0;
  }

  /**
   * Appends an entry to the file, then to memory, and makes it the leaf.
   *
   * @throws PidexError `FILE_UNWRITABLE`; SessionChangedError; TypeError for values that JSON cannot represent. Memory is then
   * unchanged.
   */
  append(entry: SessionEntry): void {
    const line = `${JSON.stringify(entry)}\n`;
    if (this.#persistence === "written") this.#appendLine(entry, line);
    else {
      const hasConversation = this.#hasConversation || isConversation(entry);
      if (this.#persistence === "not yet written" && hasConversation) {
        this.#file?.create(this.#text() + line);
        this.#persistence = "written";
      }
      this.#add(entry);
    }
    this.leafId = entry.id;
  }

  /** Writes the file of a session that was created with entries, if they include a user or assistant message. */
  writeIfNeeded(): void {
    if (this.#persistence !== "not yet written" || !this.#hasConversation) return;
    this.#file?.create(this.#text());
    this.#persistence = "written";
  }

  /** Writes the header to the existing empty file. */
  writeHeader(): void {
    this.#file?.writeHeader(this.#text());
    this.#persistence = "written";
  }

  /** The header and all entries, as lines. */
  #text(): string {
    return [this.header, ...this.entries].map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  #appendLine(entry: SessionEntry, line: string): void {
    const file = this.#file as SessionFile;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        for (const each of file.append(line, this.#options.refuseForeign))
          this.#add(each === OWN_LINE ? entry : (each as unknown as SessionEntry));
        return;
      } catch (error) {
        if (!(error instanceof FileReplacedError)) throw error;
      }
      waitForRewrite(file.path);
      if (!existsSync(encodePath(file.path))) {
        // The file was deleted: write the whole session, because this entry alone would not be one.
        file.create(this.#text() + line);
        this.#add(entry);
        return;
      }
      this.reload();
      if (this.byId.has(entry.id)) return; // written to the old file, and copied to the new one
      if (this.#options.refuseForeign) {
        throw new SessionChangedError(file.path, "was replaced by another process", "Append again.");
      }
    }
    throw new SessionChangedError(file.path, "is replaced again and again", "Append again.");
  }

  /**
   * Reads the file again; the leaf stays the same.
   *
   * @throws SessionChangedError if known entries are missing from it; as `loadSession`
   */
  reload(): void {
    if (this.#persistence !== "written" || this.path === undefined) return;
    const loaded = loadSession(this.path);
    const presentIds = new Set(loaded?.entries.map(({ id }) => id));
    if (
      !loaded ||
      loaded.header.id !== this.header.id ||
      this.entries.some(({ id }) => !presentIds.has(id))
    ) {
      const hint =
        "createBranchedSession() saves the entries in memory to a new file; open() reads the file as it is now.";
      throw new SessionChangedError(this.path, "no longer holds this session", hint);
    }
    this.header = loaded.header;
    this.entries.length = 0;
    this.byId.clear();
    this.labels.clear();
    this.metadata = emptyMetadata();
    this.name = undefined;
    for (const entry of loaded.entries) this.#add(entry);
    this.#file?.continueFrom(loaded);
  }

  #add(entry: SessionEntry): void {
    if ((entry.type as string) === "session") return; // a second header
    this.entries.push(entry);
    this.byId.set(entry.id, entry);
    applyMetadata(this.metadata, entry);
    this.#hasConversation ||= isConversation(entry);
    if (entry.type === "session_info") this.name = toName(entry.name);
    if (entry.type !== "label") return;
    if (entry.label) this.labels.set(entry.targetId, { label: entry.label, timestamp: entry.timestamp });
    else this.labels.delete(entry.targetId);
  }
}

function toName(name: unknown): string | undefined {
  return typeof name === "string" ? name.trim() || undefined : undefined;
}

/** Whether an entry is a user or assistant message, the first of which creates the session's file. */
function isConversation({ type, ...entry }: SessionEntry): boolean {
  const message: unknown = "message" in entry ? entry.message : undefined;
  return type === "message" && isRecord(message) && (message.role === "user" || message.role === "assistant");
}

/**
 * Opens the session in a file. Upgrades a file of an old version, unless `readOnly` is set. The upgrade drops lines that are not
 * entries; the old file is then kept as `.bak`.
 *
 * @returns undefined for an empty file
 * @throws PidexError `NOT_A_SESSION`, `FILE_UNREADABLE`; `FILE_UNWRITABLE` if it cannot be upgraded
 */
export function openStore(path: string, options: StoreOptions, readOnly: boolean): SessionStore | undefined {
  const loaded = loadSession(path);
  if (!loaded) return undefined;
  if (loaded.version >= CURRENT_SESSION_VERSION || readOnly)
    return SessionStore.fromFile(loaded, path, options);
  let keepOld = false;
  replaceFile(
    path,
    (fd, size) => {
      // Read again, because it may have grown or been upgraded by another process.
      const { header, entries, ...rest } = loadOpenSession(fd, size) ?? loaded;
      keepOld = rest.hasOtherLines;
      const lines = [{ ...header, version: CURRENT_SESSION_VERSION }, ...entries];
      return lines.map((line) => `${JSON.stringify(line)}\n`);
    },
    (target) => {
      if (keepOld) keepBackup(target);
    },
    options.within,
  );
  return openStore(path, options, true);
}

/** Links a file to a backup name, which remains when the file is replaced. */
function keepBackup(path: string): void {
  for (let n = 1; ; n++) {
    const backup = n === 1 ? `${path}.bak` : `${path}.bak-${n}`;
    if (lstatSync(encodePath(backup), { throwIfNoEntry: false })) continue; // a broken link also counts
    try {
      linkSync(encodePath(path), encodePath(backup));
    } catch {
      copyFileSync(encodePath(path), encodePath(backup), constants.COPYFILE_EXCL); // no hard links on this file system
    }
    return;
  }
}
