import { createHmac, randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { badOption, PidexError } from "../../src/errors.ts";
import { isRecord } from "../../src/session/json.ts";
import type { SessionCondition } from "../../src/store/conditions.ts";
import type { LocalEntryRow, LocalFileRow, LocalReads, LocalStore } from "../../src/store/local-reads.ts";
import { toListCondition } from "../filter.ts";
import { toIsoTime } from "../iso-time.ts";
import { parseOptions } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { type Detector, loadDetector } from "./detector.ts";
import { type FileSecret, findSecretsInFile } from "./file-secrets.ts";
import { maskSecret } from "./mask.ts";
import { type SecretFinding, SecretsOptions } from "./secret-answers.ts";

/** Progress of a scan for secrets. */
export interface SecretsProgress {
  files: number;
  filesDone: number;
  bytes: number;
  bytesDone: number;
  findings: number;
}

/** Cancellation and progress reporting. */
export interface SecretsControl {
  signal?: AbortSignal | undefined;
  onProgress?: (progress: SecretsProgress) => void;
}

/** What a finished scan for secrets returns. */
export interface SecretsReport {
  /** Files that could not be read, with the reason. */
  unreadFiles: { path: string; reason: string }[];
}

/** How long the scan runs before it lets the event loop continue. */
const PAUSE_INTERVAL_MS = 10;

/**
 * Finds likely keys, tokens and passwords in session files. Reads the files themselves, so it also covers content that
 * the full-text index excludes. Yields findings as they are found, newest sessions first, and masked: no secret leaves
 * this function.
 *
 * @throws PidexError `BAD_OPTION`, `NOT_FOUND`, `AMBIGUOUS`; the signal's reason when aborted
 */
export async function* findSecrets(
  store: LocalStore,
  options: SecretsOptions,
  { signal, onProgress }: SecretsControl,
): AsyncGenerator<SecretFinding, SecretsReport> {
  const { kind, limit = Number.POSITIVE_INFINITY, ...filters } = parseOptions(SecretsOptions, options);
  const detector = await loadDetector();
  if (kind !== undefined && !detector.kinds.includes(kind)) {
    throw badOption(`unknown kind "${kind}"`, `The kinds are ${detector.kinds.join(", ")}.`);
  }
  signal?.throwIfAborted();
  const local = await store.local();
  const files = await local.listFiles(await filesToRead(store, filters));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const progress = { files: files.length, filesDone: 0, bytes, bytesDone: 0, findings: 0 };
  const numbers = new SecretNumbers();
  const unreadFiles: SecretsReport["unreadFiles"] = [];
  let lastPause = performance.now();
  let done = 0;
  for (const file of files) {
    const rows = new RowsInOrder(local, file.file);
    const onBytes = (read: number) => {
      progress.bytesDone = done + read;
    };
    try {
      for (const found of findSecretsInFile(file.path, detector, onBytes)) {
        if (found && (kind === undefined || found.match.kind === kind)) {
          progress.findings++;
          const row = await rows.at(found.byteOffset);
          yield toFinding(file, found, row, numbers.get(found.secret), detector);
          if (progress.findings >= limit) return { unreadFiles };
        }
        if (performance.now() - lastPause < PAUSE_INTERVAL_MS) continue;
        onProgress?.({ ...progress });
        await setImmediate(); // lets signals, timers and the consumer run
        signal?.throwIfAborted();
        lastPause = performance.now();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof PidexError) || error.code !== "FILE_UNREADABLE") throw error;
      unreadFiles.push({ path: file.path, reason: error.message });
    }
    done += file.size;
    progress.bytesDone = done;
    progress.filesDone++;
  }
  onProgress?.({ ...progress });
  return { unreadFiles };
}

type Params = Omit<ReturnType<typeof SecretsOptions.parse>, "kind" | "limit">;

/** Selects the files to read. Without filters, files that contain no session are included. */
async function filesToRead(store: LocalStore, { sessions, ...filters }: Params): Promise<SessionCondition> {
  const { subagents: _, archived: __, ...narrowing } = filters;
  const everything =
    filters.subagents === "yes" &&
    filters.archived === "yes" &&
    Object.values(narrowing).every((each) => each === undefined);
  const of = everything ? [] : [toListCondition(filters)];
  if (sessions) {
    const files: number[] = [];
    for (const session of sessions) files.push((await resolveSession(store, session)).fileId);
    of.push({ kind: "file", files });
  }
  return { kind: "all", of };
}

/** @param row the indexed entry: files of version 1 contain no entry ids */
function toFinding(
  file: LocalFileRow,
  { match, secret, line, byteOffset, value: object, jsonPath }: FileSecret,
  row: LocalEntryRow | undefined,
  secretNumber: number,
  detector: Detector,
): SecretFinding {
  const fields = isRecord(object) ? object : {};
  const type = row?.type ?? fields.type;
  const safe = <T>(value: T): T | string =>
    typeof value === "string" && detector.find(value).length > 0 ? maskSecret(value) : value;
  return {
    kind: match.kind,
    name: match.name,
    secretNumber,
    masked: maskSecret(secret),
    path: file.path,
    sessionId: safe(file.session_id) ?? undefined,
    line,
    byteOffset,
    entryId: safe(row?.entry_id ?? null),
    jsonPath,
    type: typeof type === "string" ? safe(type) : undefined,
    role: safe(row?.role) ?? undefined,
    timestamp: toIsoTime(row?.timestamp ?? null),
  };
}

/** Looks up the rows of a file's entries. Offsets must ascend, as the positions do, so each row is read once. */
class RowsInOrder {
  readonly #local: LocalReads;
  readonly #file: number;
  #last: LocalEntryRow | undefined;

  constructor(local: LocalReads, file: number) {
    this.#local = local;
    this.#file = file;
  }

  /** The row of the entry at a byte offset; undefined for headers and lines that are not indexed. */
  async at(byteOffset: number): Promise<LocalEntryRow | undefined> {
    if ((this.#last?.byte_offset ?? -1) < byteOffset) {
      const row = await this.#local.findEntry(this.#file, byteOffset, this.#last?.position);
      this.#last = row ?? this.#last;
    }
    return this.#last?.byte_offset === byteOffset ? this.#last : undefined;
  }
}

/**
 * Numbers secrets: equal secrets get the same number. The output contains no hashes because these could be tested
 * against guesses; the hashes in memory are keyed with a random key that is never stored.
 */
class SecretNumbers {
  readonly #key = randomBytes(32);
  readonly #numbers = new Map<string, number>();

  get(secret: string): number {
    const hash = createHmac("sha256", this.#key).update(secret).digest("base64");
    const number = this.#numbers.get(hash) ?? this.#numbers.size + 1;
    this.#numbers.set(hash, number);
    return number;
  }
}
