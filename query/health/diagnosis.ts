/** What `diagnose` answers, as zod schemas of its JSON form: docs/json.md is written from them. */
import { z } from "zod";
import { ProblemJson, Time } from "../answers.ts";

/**
 * Codes of findings. Stable: scripts may test for them, so a code is never renamed, only added. docs/doctor.md has
 * what each means.
 */
export const FINDING_CODES = [
  "node-too-old",
  "sqlite-unusable",
  "no-home",
  "settings-unreadable",
  "root-missing",
  "root-unreadable",
  "root-not-a-folder",
  "folder-unreadable",
  "no-sessions",
  "database-missing",
  "database-deleted",
  "database-not-a-file",
  "database-unreadable",
  "database-unwritable",
  "database-foreign",
  "database-broken",
  "database-busy",
  "database-older",
  "database-newer",
  "database-unchecked",
  "database-open-to-others",
  "database-of-another-user",
  "folder-open-to-others",
  "disk-full",
  "leftovers",
  "files-behind",
  "files-of-older-extraction",
  "files-unfinished",
  "indexing",
  "problems",
  "sessions-open-to-others",
  "watches-too-few",
  "watching-fails",
] as const;

export const FindingJson = z
  .object({
    level: z
      .enum(["error", "warning", "remark"])
      .describe("error: pidex does not work, or not rightly; warning: it may soon not; remark: good to know"),
    code: z.enum(FINDING_CODES).describe("stable: docs/doctor.md has what each means"),
    message: z.string().describe("what was found"),
    todo: z.string().describe("what to do about it: a command where there is one"),
    path: z.string().optional().describe("the file or folder it is about"),
  })
  .meta({ title: "Finding" });

export const RootHealthJson = z
  .object({
    path: z.string().describe("the folder; with `*` behind it where only some of what is in it is looked at"),
    agent: z.string().optional().describe("the agent whose sessions lie there, where that is known"),
    from: z
      .string()
      .describe(
        "what named it: `option` (`--root`), a variable, a settings file, `default`, or `found` where it was found in the home folder",
      ),
    state: z.enum(["folder", "missing", "not a folder", "unreadable"]),
    reason: z.string().optional().describe("what the system said where it is unreadable"),
    files: z.int().describe("session files in it"),
    bytes: z.int().describe("their size"),
    folders: z.int().describe("folders with session files in it, and those above them"),
  })
  .meta({ title: "Root" });

export const LeftOutJson = z
  .object({
    path: z.string().describe("a folder where an agent keeps sessions"),
    agent: z.string().optional().describe("the agent, where that is known"),
    why: z
      .enum(["unreadable", "not a folder", "same folder", "excluded"])
      .describe("same folder: it is, or leads to, a root that is listed; excluded: a variable leaves it out"),
    detail: z
      .string()
      .optional()
      .describe("what the system said, the root that it is the same as, or the variable that leaves it out"),
  })
  .meta({ title: "Folder left out" });

export const LeftoverJson = z
  .object({
    path: z.string(),
    kind: z
      .enum(["broken", "version", "rebuild"])
      .describe("a database that was found broken; one of another pidex; one that was being built"),
    bytes: z.int().describe("its size, with its side files"),
  })
  .meta({ title: "Leftover" });

export const DatabaseHealthJson = z
  .object({
    path: z.string(),
    from: z.string().describe("what named it: `option` (`--db`), `PIDEX_DB` or `default`"),
    state: z.enum([
      "current",
      "older",
      "empty",
      "missing",
      "broken",
      "busy",
      "unreadable",
      "foreign",
      "not a file",
      "unknown",
    ]),
    reason: z.string().optional().describe("what the system, or SQLite, said of it"),
    newer: z
      .string()
      .optional()
      .describe("the database of a newer pidex, which is left to it: `path` is beside it"),
    bytes: z.int().optional().describe("its size"),
    walBytes: z.int().optional().describe("the size of its write-ahead log"),
    mode: z.string().optional().describe("who may read and write it, in octal digits: `600`"),
    owner: z.string().optional().describe("whose it is: a name where it is yours, else a number"),
    yours: z.boolean().optional(),
    folderMode: z.string().optional().describe("the same of its folder"),
    unwritable: z.string().optional().describe("why you may not write it, or make files beside it"),
    schema: z.int().optional().describe("the version of its tables"),
    journalMode: z.string().optional().describe("`wal`, or `rollback`"),
    pages: z.int().optional(),
    freePages: z.int().optional().describe("pages of it that hold nothing"),
    check: z
      .enum(["ok", "broken", "unfinished"])
      .optional()
      .describe("what SQLite's quick_check came to, the full-text index included"),
    checkMessages: z.array(z.string()).optional().describe("what it said, where it is broken"),
    diskFreeBytes: z.int().optional().describe("room left on its disk"),
    orphans: z
      .array(z.string())
      .optional()
      .describe("where it is missing, what belongs to it and is there: its log, for one"),
    leftovers: z.array(LeftoverJson),
  })
  .meta({ title: "Database" });

export const FreshnessJson = z
  .object({
    new: z.int().describe("session files that are not indexed"),
    changed: z.int().describe("session files that changed since they were indexed"),
    gone: z.int().describe("files that are indexed, and are no longer there"),
    rereading: z.int().describe("files that an older pidex indexed, which are read again"),
    unfinished: z
      .int()
      .describe("files that are indexed in part, because an index run was interrupted or is under way"),
    extractions: z
      .array(z.object({ extraction: z.int(), files: z.int() }))
      .describe("by which extraction the rows of files were made"),
    newestChange: Time.nullable().describe("when the file that changed last, of those indexed, did so"),
  })
  .meta({ title: "Freshness" });

export const ProblemCountJson = z
  .object({
    code: z.string().describe("one of docs/problems.md"),
    count: z.int(),
    first: z.array(ProblemJson).describe("the first three places"),
  })
  .meta({ title: "Problem count" });

export const VersionsJson = z
  .object({
    pidex: z.string(),
    node: z.string(),
    sqlite: z.string().optional().describe("absent where it cannot be loaded"),
    schema: z.int().describe("the version of the tables that this pidex wants"),
    extraction: z.int().describe("the version of what it makes rows of"),
  })
  .meta({ title: "Versions" });

export const OpenToOthersJson = z
  .object({
    count: z.int().describe("session files that everybody on this machine may read"),
    first: z.array(z.string()),
  })
  .meta({ title: "Open to others" });

export const WatchingJson = z
  .object({
    maxWatches: z.int().optional().describe("folders that all programs of a user may watch (Linux)"),
    maxInstances: z.int().optional().describe("watchers that a user may have (Linux)"),
    folders: z.int().describe("folders that `pidex watch` would watch, at least"),
    works: z.boolean().optional().describe("whether a folder could be watched just now"),
    reason: z.string().optional().describe("why not"),
  })
  .meta({ title: "Watching" });

export const UnknownJson = z
  .object({ what: z.string().describe("what could not be found out"), why: z.string() })
  .meta({ title: "Unknown" });

export const DiagnosisJson = z
  .object({
    versions: VersionsJson,
    roots: z.array(RootHealthJson),
    leftOut: z.array(LeftOutJson).describe("folders with sessions that are not looked at, and why"),
    database: DatabaseHealthJson,
    freshness: FreshnessJson.optional().describe("absent where the database cannot be asked"),
    indexing: z.boolean().optional().describe("whether a pidex is indexing at this moment"),
    problems: z
      .array(ProblemCountJson)
      .optional()
      .describe("what is wrong in session files; absent where the database cannot be asked"),
    openToOthers: OpenToOthersJson,
    watching: WatchingJson,
    unknown: z.array(UnknownJson).describe("what could not be found out"),
    findings: z.array(FindingJson).describe("worst first"),
  })
  .meta({ title: "Diagnosis" });

export type Finding = z.infer<typeof FindingJson>;
export type RootHealth = z.infer<typeof RootHealthJson>;
export type DatabaseHealth = z.infer<typeof DatabaseHealthJson>;
export type Freshness = z.infer<typeof FreshnessJson>;
export type ProblemCount = z.infer<typeof ProblemCountJson>;
export type Diagnosis = z.infer<typeof DiagnosisJson>;
