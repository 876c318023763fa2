import { createHmac, randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { badOption, PidexError } from "../../src/errors.ts";
import { isRecord } from "../../src/session/json.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { EntryTable } from "../../src/store/sqlite/schema.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { allOf, sessionCondition, timeCondition } from "../filter.ts";
import { findSession } from "../find.ts";
import { parseOptions } from "../options.ts";
import { inScope, type Scope } from "../scope.ts";
import { isoTime } from "../tree.ts";
import { type Detector, loadDetector } from "./detector.ts";
import { type FileSecret, secretsInFile } from "./file-secrets.ts";
import { masked } from "./mask.ts";
import { type SecretFinding, SecretsOptions } from "./secret-answers.ts";

/** How far a look for secrets is. */
export interface SecretsProgress {
  files: number;
  filesDone: number;
  bytes: number;
  bytesDone: number;
  findings: number;
}

/** Who wants to know how far a look for secrets is, and what can stop it. */
export interface SecretsControl {
  signal?: AbortSignal;
  onProgress?: (progress: SecretsProgress) => void;
}

/** What there is to say when all was looked through. */
export interface SecretsReport {
  /** Files that could not be read, each with the reason. */
  unreadFiles: { path: string; reason: string }[];
}

/** How long the look keeps the process to itself. */
const PAUSE_EVERY_MS = 10;

interface FileRow {
  id: number;
  path: string;
  size: number;
  sessionId: string | null;
}

/**
 * Looks for likely keys, tokens and passwords in session files, whole and as they are now: in what was said and in all
 * that the full-text index leaves out. Yields them as it finds them, those of the newest sessions first, masked: what is
 * secret leaves this function nowhere.
 *
 * @throws PidexError `BAD_OPTION`, `NOT_FOUND`, `AMBIGUOUS`; the signal's reason when aborted
 */
export async function* findSecrets(
  db: Reader,
  scope: Scope,
  options: SecretsOptions,
  { signal, onProgress }: SecretsControl,
): AsyncGenerator<SecretFinding, SecretsReport> {
  const { kind, limit = Number.POSITIVE_INFINITY, ...asked } = parseOptions(SecretsOptions, options);
  const detector = await loadDetector();
  if (kind !== undefined && !detector.kinds.includes(kind)) {
    throw badOption(`there is no kind "${kind}"`, `Kinds are ${detector.kinds.join(", ")}.`);
  }
  signal?.throwIfAborted();
  const files = await filesToRead(db, scope, asked);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const progress = { files: files.length, filesDone: 0, bytes, bytesDone: 0, findings: 0 };
  const numbers = new SecretNumbers();
  const unreadFiles: SecretsReport["unreadFiles"] = [];
  let lastPause = performance.now();
  let done = 0;
  for (const file of files) {
    const rows = new RowsInOrder(db, file.id);
    const onBytes = (read: number) => {
      progress.bytesDone = done + read;
    };
    try {
      for (const found of secretsInFile(file.path, detector, onBytes)) {
        if (found && (kind === undefined || found.match.kind === kind)) {
          progress.findings++;
          const row = await rows.at(found.byteOffset);
          yield findingOf(file, found, row, numbers.of(found.secret), detector);
          if (progress.findings >= limit) return { unreadFiles };
        }
        if (performance.now() - lastPause < PAUSE_EVERY_MS) continue;
        onProgress?.({ ...progress });
        await setImmediate(); // signals, timers, whoever reads what was found
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

type Asked = Omit<ReturnType<typeof SecretsOptions.parse>, "kind" | "limit">;

/** The files, those of the newest sessions first. Without conditions also those that are no sessions. */
async function filesToRead(db: Reader, scope: Scope, { sessions, ...filters }: Asked): Promise<FileRow[]> {
  const named = [];
  for (const session of sessions ?? []) named.push((await findSession(db, scope, session)).fileId);
  const { subagents: _, archived: __, ...narrowing } = filters;
  const everything =
    filters.subagents === "yes" &&
    filters.archived === "yes" &&
    Object.values(narrowing).every((each) => each === undefined);
  const conditions = [everything ? inScope(scope) : sessionCondition(scope, filters)];
  if (!everything) conditions.push(timeCondition(sql`session.modified`, filters));
  if (sessions) conditions.push(sql`file.id IN (SELECT value FROM json_each(${JSON.stringify(named)}))`);
  const { rows } = await sql<FileRow>`
    SELECT file.id, file.path, file.size, session.id AS sessionId
    FROM file LEFT JOIN session ON session.file_id = file.id
    WHERE ${allOf(conditions)} ORDER BY session.modified DESC, file.id DESC`.execute(db);
  return rows;
}

/** A finding as it is told. */
function findingOf(
  file: FileRow,
  { match, secret, line, byteOffset, object, place }: FileSecret,
  row: EntryRow | undefined,
  number: number,
  detector: Detector,
): SecretFinding {
  const fields = isRecord(object) ? object : {};
  const type = row?.type ?? fields.type;
  const safe = <T>(value: T): T | string =>
    typeof value === "string" && detector.find(value).length > 0 ? masked(value) : value;
  return {
    kind: match.kind,
    name: match.name,
    secret: number,
    masked: masked(secret),
    path: file.path,
    sessionId: safe(file.sessionId) ?? undefined,
    line,
    byteOffset,
    entryId: safe(row?.entry_id ?? null),
    place,
    type: typeof type === "string" ? safe(type) : undefined,
    role: safe(row?.role) ?? undefined,
    timestamp: isoTime(row?.timestamp ?? null),
  };
}

/** What the index knows of an entry: its id, which the files of version 1 have not, and when it came about. */
type EntryRow = Pick<EntryTable, "entry_id" | "type" | "role" | "timestamp" | "byte_offset"> & { id: number };

/** The rows of a file's entries, asked for in file order, which is that of their ids: each is looked at once. */
class RowsInOrder {
  readonly #db: Reader;
  readonly #fileId: number;
  #last: EntryRow | undefined;

  constructor(db: Reader, fileId: number) {
    this.#db = db;
    this.#fileId = fileId;
  }

  /** The row of the entry at a byte offset; none for headers, and for what was not indexed. */
  async at(byteOffset: number): Promise<EntryRow | undefined> {
    if ((this.#last?.byte_offset ?? -1) < byteOffset) {
      const { rows } = await sql<EntryRow>`
        SELECT id, entry_id, type, role, timestamp, byte_offset FROM entry
        WHERE file_id = ${this.#fileId} AND id > ${this.#last?.id ?? 0} AND byte_offset >= ${byteOffset}
        ORDER BY id LIMIT 1`.execute(this.#db);
      const [row] = rows;
      this.#last = row ?? this.#last;
    }
    return this.#last?.byte_offset === byteOffset ? this.#last : undefined;
  }
}

/**
 * Numbers for secrets: the same one for the same secret. A hash in an answer could be tried against guesses, so there is
 * none, and those kept meanwhile are of no use to anybody without a key that is forgotten.
 */
class SecretNumbers {
  readonly #key = randomBytes(32);
  readonly #numbers = new Map<string, number>();

  of(secret: string): number {
    const hash = createHmac("sha256", this.#key).update(secret).digest("base64");
    const number = this.#numbers.get(hash) ?? this.#numbers.size + 1;
    this.#numbers.set(hash, number);
    return number;
  }
}
