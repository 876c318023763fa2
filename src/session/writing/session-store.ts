import { constants, copyFileSync, existsSync, linkSync, lstatSync } from "node:fs";
import { fsPath } from "../../path-bytes.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import { isRecord } from "../json.ts";
import { type Organised, organise, startOrganised } from "../organising.ts";
import type { SessionEntry, SessionHeader } from "../session-types.ts";
import { type LoadedSession, loadSession, readOpen } from "./load.ts";
import { replaceFile } from "./replace-file.ts";
import { untilRewritten } from "./rewrite-lock.ts";
import { type Durability, FileReplaced, OWN, SessionChangedError, SessionFile } from "./session-file.ts";

/** How often a file is followed that others replace. */
const TRIES = 5;

/** A label in force, and the time of the entry that set it. */
export interface SetLabel {
  label: string;
  timestamp: string;
}

export interface StoreOptions {
  /** Whether the session's file is written at all. */
  writes: boolean;
  durability: Durability;
  /** Whether an append refuses to go on from what another process wrote, instead of taking it in. */
  refuseForeign: boolean;
  /** What the real paths of files that are written must begin with. */
  within?: readonly string[] | undefined;
}

/** How much of a new session stands in its file: nothing, until somebody has said something. */
type Kept = "in memory" | "not yet written" | "written";

/**
 * The entries of one session in memory, and their file. Each append goes to the file first: where that fails, memory stays
 * as it was.
 */
export class SessionStore {
  header: SessionHeader;
  /** In the file's order, without the header. */
  readonly entries: SessionEntry[] = [];
  /** Where an id stands twice, the last. */
  readonly byId = new Map<string, SessionEntry>();
  readonly labels = new Map<string, SetLabel>();
  organised: Organised = startOrganised();
  name: string | undefined;
  /** What the next entry hangs from. */
  leafId: string | null = null;
  readonly path: string | undefined;
  readonly #file: SessionFile | undefined;
  readonly #options: StoreOptions;
  #kept: Kept;
  #hasConversation = false;

  /** A new session, which is written once it holds what somebody said; without a path never. */
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
    this.#kept = path === undefined || !options.writes ? "in memory" : "not yet written";
    for (const entry of entries) this.#take(entry);
    this.leafId = entries.at(-1)?.id ?? null;
  }

  /** The session of a file that was read. */
  static over(loaded: LoadedSession, path: string, options: StoreOptions): SessionStore {
    const store = new SessionStore(loaded.header, loaded.entries, path, options);
    store.#file?.follow(loaded);
    if (options.writes) store.#kept = "written";
    return store;
  }

  get isWritten(): boolean {
    return this.#kept === "written";
  }

  /** Byte offset of the line that was written last; 0 for a whole file. */
  get lastOffset(): number {
    return this.#file?.lastOffset ?? 0;
  }

  /**
   * Appends an entry to the file, then to memory, and makes it the leaf.
   *
   * @throws PidexError `FILE_UNWRITABLE`, `SessionChangedError`; TypeError for what JSON cannot hold. Memory is then as it was.
   */
  append(entry: SessionEntry): void {
    const line = `${JSON.stringify(entry)}\n`;
    if (this.#kept === "written") this.#appendLine(entry, line);
    else {
      const isBegun = this.#hasConversation || isConversation(entry);
      if (this.#kept === "not yet written" && isBegun) {
        this.#file?.create(this.#text() + line);
        this.#kept = "written";
      }
      this.#take(entry);
    }
    this.leafId = entry.id;
  }

  /** Writes the file now where that is due: a session made of entries that were there before. */
  write(): void {
    if (this.#kept !== "not yet written" || !this.#hasConversation) return;
    this.#file?.create(this.#text());
    this.#kept = "written";
  }

  /** Writes the header into the empty file that is there. */
  start(): void {
    this.#file?.start(this.#text());
    this.#kept = "written";
  }

  /** The header and all entries, as lines. */
  #text(): string {
    return [this.header, ...this.entries].map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  #appendLine(entry: SessionEntry, line: string): void {
    const file = this.#file as SessionFile;
    for (let tries = 1; tries <= TRIES; tries++) {
      try {
        this.#takeNews(file.append(line, this.#options.refuseForeign), entry);
        return;
      } catch (error) {
        if (!(error instanceof FileReplaced)) throw error;
      }
      untilRewritten(file.path);
      if (!existsSync(fsPath(file.path))) {
        // Somebody deleted it, while here it goes on: a file of this entry alone would be no session.
        file.create(this.#text() + line);
        this.#take(entry);
        return;
      }
      this.reload();
      if (this.byId.has(entry.id)) return; // written to the old file, it came along to the new one
      if (this.#options.refuseForeign) {
        throw new SessionChangedError(file.path, "was replaced by another process", "Append again.");
      }
    }
    throw new SessionChangedError(file.path, "is replaced again and again", "Append again.");
  }

  #takeNews(news: readonly (typeof OWN | Record<string, unknown>)[], entry: SessionEntry): void {
    for (const each of news) this.#take(each === OWN ? entry : (each as unknown as SessionEntry));
  }

  /**
   * Takes in what the file holds now; the leaf stays where it is.
   *
   * @throws SessionChangedError when entries that were in it are gone; as `loadSession`
   */
  reload(): void {
    if (this.#kept !== "written" || this.path === undefined) return;
    const loaded = loadSession(this.path);
    const there = new Set(loaded?.entries.map(({ id }) => id));
    if (!loaded || loaded.header.id !== this.header.id || this.entries.some(({ id }) => !there.has(id))) {
      const hint =
        "createBranchedSession() keeps what is here in a file of its own; open() takes what is there.";
      throw new SessionChangedError(this.path, "no longer holds this session", hint);
    }
    this.header = loaded.header;
    this.entries.length = 0;
    this.byId.clear();
    this.labels.clear();
    this.organised = startOrganised();
    this.name = undefined;
    for (const entry of loaded.entries) this.#take(entry);
    this.#file?.follow(loaded);
  }

  #take(entry: SessionEntry): void {
    if ((entry.type as string) === "session") return; // a second header
    this.entries.push(entry);
    this.byId.set(entry.id, entry);
    organise(this.organised, entry);
    this.#hasConversation ||= isConversation(entry);
    if (entry.type === "session_info") this.name = nameOf(entry.name);
    if (entry.type !== "label") return;
    if (entry.label) this.labels.set(entry.targetId, { label: entry.label, timestamp: entry.timestamp });
    else this.labels.delete(entry.targetId);
  }
}

function nameOf(name: unknown): string | undefined {
  return typeof name === "string" ? name.trim() || undefined : undefined;
}

/** Whether an entry is something that a person or a model said: from then on a session is worth a file. */
function isConversation({ type, ...entry }: SessionEntry): boolean {
  const message: unknown = "message" in entry ? entry.message : undefined;
  return type === "message" && isRecord(message) && (message.role === "user" || message.role === "assistant");
}

/**
 * Opens the session in a file; one of an old version is upgraded there, unless it may only be read. Lines that are no
 * entry do not come along into the new file: the old one is then kept beside it, as `.bak`.
 *
 * @returns undefined for an empty file
 * @throws PidexError `NOT_A_SESSION`, `FILE_UNREADABLE`, and the file system's error when it cannot be upgraded
 */
export function openStore(path: string, options: StoreOptions, readOnly: boolean): SessionStore | undefined {
  const loaded = loadSession(path);
  if (!loaded) return undefined;
  if (loaded.version >= CURRENT_SESSION_VERSION || readOnly) return SessionStore.over(loaded, path, options);
  let keepOld = false;
  replaceFile(
    path,
    (fd, size) => {
      // Read again: it may have grown since, or another process may have upgraded it.
      const { header, entries, ...rest } = readOpen(fd, size) ?? loaded;
      keepOld = rest.hasOthers;
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

/** Gives a file a second name, which stays when the first becomes another file's. */
function keepBackup(path: string): void {
  for (let n = 1; ; n++) {
    const backup = n === 1 ? `${path}.bak` : `${path}.bak-${n}`;
    if (lstatSync(fsPath(backup), { throwIfNoEntry: false })) continue; // a link to nothing takes the name too
    try {
      linkSync(fsPath(path), fsPath(backup));
    } catch {
      copyFileSync(fsPath(path), fsPath(backup), constants.COPYFILE_EXCL); // where files cannot have two names
    }
    return;
  }
}
