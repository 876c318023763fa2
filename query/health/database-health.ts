import { accessSync, constants, statSync } from "node:fs";
import { systemCode } from "../../src/errors.ts";
import {
  diskFree,
  fileFacts,
  leftovers,
  linkTarget,
  sidesOf,
  whyUnwritable,
} from "../../src/store/sqlite/database-file.ts";
import type { DatabaseHealth, Diagnosis } from "./diagnosis.ts";
import type { Step } from "./health-messages.ts";
import { type Inspection, inspect } from "./inspect.ts";

export interface HealthOptions {
  path: string;
  /** What named the path. */
  from: string;
  /** Problems of files whose paths start with none of these are left out. */
  prefixes: readonly string[];
  /** The version of the tables that this pidex wants. */
  schema: number;
  /** How long the look into the database may take, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** What was found out of a database, and what could not be. */
export interface LookedAt {
  health: DatabaseHealth;
  inspection: Inspection;
  unknown: Diagnosis["unknown"];
}

/**
 * Looks at a database as a file and into it, whatever state it is in, and changes nothing. Where a newer pidex made it,
 * the one that this pidex keeps beside it is looked at.
 *
 * @throws the signal's reason when aborted
 */
export async function databaseHealth(options: HealthOptions): Promise<LookedAt> {
  const path = linkTarget(options.path); // as it is opened
  const looked = await lookAt(path, options);
  const schema = looked.inspection.pages?.schema ?? 0;
  if (schema <= options.schema) return looked;
  const own = await lookAt(`${path}.v${options.schema}`, options);
  const beside = leftovers(path, own.health.path);
  return { ...own, health: { ...own.health, newer: path, leftovers: beside } };
}

async function lookAt(
  path: string,
  { from, prefixes, schema, timeoutMs, signal }: HealthOptions,
): Promise<LookedAt> {
  const unknown: Diagnosis["unknown"] = [];
  /** Finds something out, or keeps why that is not possible. */
  const find = <T>(what: string, look: () => T): T | undefined => {
    try {
      return look();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      unknown.push({ what, why: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };
  const seen = stateOf(path);
  const exists = seen.state === "file" || seen.state === "empty";
  const unwritable = find("whether the database may be written", () => whyUnwritable(path));
  const diskFreeBytes = find("how much room its disk has", () => diskFree(path));
  const base = {
    path,
    from,
    ...(seen.reason !== undefined && { reason: seen.reason }),
    ...((exists || seen.state === "unreadable") && find("size, mode and owner", () => fileFacts(path))),
    ...(unwritable !== undefined && { unwritable }),
    ...(diskFreeBytes !== undefined && { diskFreeBytes }),
    leftovers: find("what was left beside the database", () => leftovers(path, path)) ?? [],
  };
  const orphans = seen.state === "missing" ? sidesOf(path) : [];
  const isFile = seen.state === "file";
  const inspection = await inspect({ path: isFile ? path : undefined, prefixes, timeoutMs, signal });
  for (const { step, message, because } of inspection.failed) {
    if (because !== "foreign" && (step !== "sqlite" || inspection.late))
      unknown.push({ what: STEPS[step], why: message });
  }
  if (!isFile) {
    const state = seen.state as "missing";
    return { health: { ...base, state, ...(orphans.length > 0 && { orphans }) }, inspection, unknown };
  }

  const { pages, check } = inspection;
  if (pages && pages.unreadLog > 0) {
    const why = "it cannot be read where it is, and there is no room for a temporary copy";
    unknown.push({ what: `what the write-ahead log says (${pages.unreadLog} bytes)`, why });
  }
  const checked = check === undefined ? (inspection.late ? "unfinished" : undefined) : "ok";
  const health: DatabaseHealth = {
    ...base,
    ...stateInside(inspection, schema),
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
  sqlite: "which SQLite pidex has",
  indexing: "whether a pidex is indexing",
  pages: "what stands in the database",
  files: "which files are indexed",
  problems: "what is wrong in session files",
  check: "whether all pages of the database are whole",
};

interface Seen {
  state: "file" | "empty" | "missing" | "not a file" | "unreadable";
  reason?: string;
}

/** What a path leads to. */
function stateOf(path: string): Seen {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return { state: "not a file", reason: "a folder lies there" };
    if (!stat.isFile()) return { state: "not a file", reason: "it is a pipe, a socket or a device" };
    accessSync(path, constants.R_OK);
    return { state: stat.size === 0 ? "empty" : "file" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT") return { state: "missing" };
    return { state: code === "ENOTDIR" ? "not a file" : "unreadable", reason };
  }
}

/** What the look into it says of a database. */
function stateInside(
  { pages, check = [], failed }: Inspection,
  wanted: number,
): Pick<DatabaseHealth, "state" | "reason"> {
  const broken = failed.find(({ because }) => because === "broken");
  if (broken) return { state: "broken", reason: broken.message };
  if (check.length > 0) return { state: "broken" };
  if (!pages) {
    const first = failed.find(({ step }) => step === "pages");
    return { state: first?.because ?? "unknown", ...(first && { reason: first.message }) };
  }
  if (pages.schema === 0 && pages.unreadLog > 0) {
    return { state: "unknown", reason: "all of it stands in its log, which is not read" };
  }
  if (pages.schema === 0) return { state: "empty" };
  return { state: pages.schema < wanted ? "older" : "current" };
}
