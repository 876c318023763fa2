import { accessSync, constants, statSync } from "node:fs";
import { systemCode, toMessage } from "../../src/errors.ts";
import {
  describeWriteError,
  getFreeDiskBytes,
  listLeftoverFiles,
  listSideFiles,
  readDatabaseFileInfo,
  resolveDatabaseLink,
} from "../../src/store/sqlite/database-file.ts";
import type { DatabaseHealth, Diagnosis } from "./diagnosis.ts";
import type { Step } from "./health-messages.ts";
import { type Inspection, runInspection } from "./run-inspection.ts";

export interface HealthOptions {
  path: string;
  /** The source of the path: an option, a variable or the default. */
  from: string;
  /** Only problems of files with one of these path prefixes are reported. */
  prefixes: readonly string[];
  /** The schema version of this pidex. */
  schema: number;
  /** Time limit for inspecting the database, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** The health of a database, and what could not be determined. */
export interface DatabaseHealthResult {
  health: DatabaseHealth;
  inspection: Inspection;
  unknown: Diagnosis["unknown"];
}

/**
 * Examines a database file and its contents in any state, read-only. If a newer pidex wrote it, examines the database
 * that this pidex keeps beside it instead.
 *
 * @throws the signal's reason when aborted
 */
export async function checkDatabaseHealth(options: HealthOptions): Promise<DatabaseHealthResult> {
  const path = resolveDatabaseLink(options.path); // as in `openIndex`
  const result = await examine(path, options);
  const schema = result.inspection.pages?.schema ?? 0;
  if (schema <= options.schema) return result;
  const own = await examine(`${path}.v${options.schema}`, options);
  const beside = listLeftoverFiles(path, own.health.path);
  return { ...own, health: { ...own.health, newer: path, leftovers: beside } };
}

async function examine(
  path: string,
  { from, prefixes, schema, timeoutMs, signal }: HealthOptions,
): Promise<DatabaseHealthResult> {
  const unknown: Diagnosis["unknown"] = [];
  /** Returns the result of `read`. If the system refuses, records why and returns undefined. */
  const attempt = <T>(what: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      unknown.push({ what, why: toMessage(error) });
      return undefined;
    }
  };
  const found = getPathState(path);
  const exists = found.state === "file" || found.state === "empty";
  const unwritable = attempt("whether the database is writable", () => describeWriteError(path));
  const diskFreeBytes = attempt("free space on its disk", () => getFreeDiskBytes(path));
  const base = {
    path,
    from,
    ...(found.reason !== undefined && { reason: found.reason }),
    ...((exists || found.state === "unreadable") &&
      attempt("size, mode and owner", () => readDatabaseFileInfo(path))),
    ...(unwritable !== undefined && { unwritable }),
    ...(diskFreeBytes !== undefined && { diskFreeBytes }),
    leftovers: attempt("leftover files beside the database", () => listLeftoverFiles(path, path)) ?? [],
  };
  const orphans = found.state === "missing" ? listSideFiles(path) : [];
  const isFile = found.state === "file";
  const inspection = await runInspection({ path: isFile ? path : undefined, prefixes, timeoutMs, signal });
  for (const { step, message, databaseState } of inspection.failed) {
    if (databaseState !== "foreign" && (step !== "sqlite" || inspection.isTimedOut))
      unknown.push({ what: STEPS[step], why: message });
  }
  if (!isFile) {
    const state = found.state as "missing";
    return { health: { ...base, state, ...(orphans.length > 0 && { orphans }) }, inspection, unknown };
  }

  const { pages, check } = inspection;
  if (pages && pages.unreadLog > 0) {
    const why = "it cannot be read in place, and there is no space for a temporary copy";
    unknown.push({ what: `the contents of the write-ahead log (${pages.unreadLog} bytes)`, why });
  }
  const checked = check === undefined ? (inspection.isTimedOut ? "unfinished" : undefined) : "ok";
  const health: DatabaseHealth = {
    ...base,
    ...toDatabaseState(inspection, schema),
    ...(pages && {
      schema: pages.schema,
      journalMode: pages.journalMode,
      pages: pages.pages,
      freePages: pages.freePages,
    }),
    ...(checked && { check: check && check.length > 0 ? ("broken" as const) : checked }),
    ...(check && check.length > 0 && { checkMessages: check }),
  };
  return { health, inspection, unknown };
}

const STEPS: Record<Step, string> = {
  sqlite: "the SQLite version",
  indexing: "whether a pidex process is indexing",
  pages: "the contents of the database",
  files: "which files are indexed",
  problems: "problems in session files",
  check: "the integrity of the database",
};

interface PathState {
  state: "file" | "empty" | "missing" | "not a file" | "unreadable";
  reason?: string;
}

function getPathState(path: string): PathState {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return { state: "not a file", reason: "it is a folder" };
    if (!stat.isFile()) return { state: "not a file", reason: "it is a pipe, a socket or a device" };
    accessSync(path, constants.R_OK);
    return { state: stat.size === 0 ? "empty" : "file" };
  } catch (error) {
    const reason = toMessage(error);
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT") return { state: "missing" };
    return { state: code === "ENOTDIR" ? "not a file" : "unreadable", reason };
  }
}

function toDatabaseState(
  { pages, check = [], failed }: Inspection,
  expectedSchema: number,
): Pick<DatabaseHealth, "state" | "reason"> {
  const broken = failed.find(({ databaseState }) => databaseState === "broken");
  if (broken) return { state: "broken", reason: broken.message };
  if (check.length > 0) return { state: "broken" };
  if (!pages) {
    const first = failed.find(({ step }) => step === "pages");
    return { state: first?.databaseState ?? "unknown", ...(first && { reason: first.message }) };
  }
  if (pages.schema === 0 && pages.unreadLog > 0) {
    return { state: "unknown", reason: "all its contents are in its log, which could not be read" };
  }
  if (pages.schema === 0) return { state: "empty" };
  return { state: pages.schema < expectedSchema ? "older" : "current" };
}
