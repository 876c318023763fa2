/** The result of `diagnose` as zod schemas of its JSON form. docs/json.md is generated from them. */
import { z } from "zod";
import { IsoTimeJson, ProblemJson } from "../answers.ts";

/**
 * Codes of findings. Scripts may test for them, so codes are only added, never renamed. docs/doctor.md explains each.
 */
export const FINDING_CODES = [
  "node-too-old",
  "sqlite-unusable",
  "no-home",
  "settings-unreadable",
  "config-invalid", // of `pidex doctor` only: the library does not read config.toml
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
  "files-of-other-folders",
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
      .enum(["error", "warning", "info"])
      .describe(
        "error: pidex does not work correctly; warning: it may soon stop working; info: nothing is wrong",
      ),
    code: z.enum(FINDING_CODES).describe("stable; docs/doctor.md explains each"),
    message: z.string().describe("what is wrong"),
    todo: z.string().describe("how to fix it: a command if there is one"),
    path: z.string().optional().describe("the file or folder concerned"),
  })
  .meta({ title: "Finding" });

export const RootHealthJson = z
  .object({
    path: z.string().describe("the folder, followed by `*` if only part of its contents is read"),
    agent: z.string().optional().describe("the agent that keeps sessions there, if known"),
    from: z
      .string()
      .describe(
        "its source: `option` (`--root`), a variable, a settings file, `default`, or `found` (discovered in the home folder)",
      ),
    state: z.enum(["folder", "missing", "not a folder", "unreadable"]),
    reason: z.string().optional().describe("the system's error if it is unreadable"),
    files: z.int().describe("number of session files in it"),
    bytes: z.int().describe("their total size"),
    folders: z.int().describe("number of folders with session files in it, including their parents"),
  })
  .meta({ title: "Root" });

export const SkippedFolderJson = z
  .object({
    path: z.string().describe("a folder where an agent keeps sessions"),
    agent: z.string().optional().describe("the agent, if known"),
    why: z
      .enum(["unreadable", "not a folder", "same folder", "excluded"])
      .describe("same folder: it is, or links to, a listed root; excluded: a variable excludes it"),
    detail: z
      .string()
      .optional()
      .describe("the system's error, the root that is the same folder, or the variable that excludes it"),
  })
  .meta({ title: "Skipped folder" });

export const LeftoverJson = z
  .object({
    path: z.string(),
    kind: z
      .enum(["broken", "version", "rebuild"])
      .describe(
        "broken: a damaged database that was set aside; version: the database of another pidex version; rebuild: an unfinished rebuild",
      ),
    bytes: z.int().describe("its size, including its log and shared-memory file"),
  })
  .meta({ title: "Leftover" });

export const DatabaseHealthJson = z
  .object({
    path: z.string(),
    from: z.string().describe("source of the path: `option` (`--db`), `PIDEX_DB` or `default`"),
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
    reason: z.string().optional().describe("the error of the system or SQLite"),
    newer: z
      .string()
      .optional()
      .describe("the database of a newer pidex, which is left unchanged; `path` is beside it"),
    bytes: z.int().optional().describe("its size"),
    walBytes: z.int().optional().describe("the size of its write-ahead log"),
    mode: z.string().optional().describe("its permissions in octal, such as `600`"),
    owner: z.string().optional().describe("its owner: the user name if it is you, otherwise the user id"),
    yours: z.boolean().optional().describe("whether you own it"),
    folderMode: z.string().optional().describe("the permissions of its folder, in octal"),
    unwritable: z.string().optional().describe("why it, or its folder, is not writable"),
    schema: z.int().optional().describe("its schema version"),
    journalMode: z.string().optional().describe("`wal` or `rollback`"),
    pages: z.int().optional().describe("number of pages"),
    freePages: z.int().optional().describe("number of unused pages"),
    check: z
      .enum(["ok", "broken", "unfinished"])
      .optional()
      .describe(
        "result of SQLite's quick_check of all tables; `pidex verify` also checks the words of the full-text index",
      ),
    checkMessages: z.array(z.string()).optional().describe("messages of quick_check if it is broken"),
    diskFreeBytes: z.int().optional().describe("free space on its disk"),
    orphans: z
      .array(z.string())
      .optional()
      .describe("if it is missing: files that belong to it and still exist, such as its log"),
    leftovers: z.array(LeftoverJson),
  })
  .meta({ title: "Database" });

export const FreshnessJson = z
  .object({
    new: z.int().describe("session files that are not indexed yet"),
    changed: z.int().describe("session files that changed after they were indexed"),
    gone: z.int().describe("indexed files that no longer exist"),
    rereading: z.int().describe("files indexed by an older pidex, which will be reindexed"),
    unfinished: z
      .int()
      .describe("partly indexed files, because indexing was interrupted or is still running"),
    extractions: z
      .array(z.object({ extraction: z.int(), files: z.int() }))
      .describe("number of files by the version of the extraction that indexed them"),
    newestChange: IsoTimeJson.nullable().describe("time of the most recent change to an indexed file"),
  })
  .meta({ title: "Freshness" });

export const ProblemCountJson = z
  .object({
    code: z.string().describe("a code from docs/problems.md"),
    count: z.int(),
    first: z.array(ProblemJson).describe("the first three problems"),
  })
  .meta({ title: "Problem count" });

export const VersionsJson = z
  .object({
    pidex: z.string(),
    node: z.string(),
    sqlite: z.string().optional().describe("absent if it cannot be loaded"),
    schema: z.int().describe("the schema version of this pidex"),
    extraction: z.int().describe("its version of the extraction, which turns files into rows"),
  })
  .meta({ title: "Versions" });

export const OpenToOthersJson = z
  .object({
    count: z.int().describe("number of session files that all users of this machine can read"),
    first: z.array(z.string()).describe("the paths of the first ones"),
    roots: z.array(z.string()).describe("the roots that contain them, as in `roots`"),
  })
  .meta({ title: "Open to others" });

export const WatchingJson = z
  .object({
    maxWatches: z
      .int()
      .optional()
      .describe("maximum number of folders that all programs of a user can watch (Linux)"),
    maxInstances: z.int().optional().describe("maximum number of watchers per user (Linux)"),
    folders: z.int().describe("minimum number of folders that `pidex watch` would watch"),
    works: z.boolean().optional().describe("whether watching a folder worked just now"),
    reason: z.string().optional().describe("why it did not work"),
  })
  .meta({ title: "Watching" });

export const UnknownJson = z
  .object({ what: z.string().describe("what could not be determined"), why: z.string() })
  .meta({ title: "Unknown" });

export const DiagnosisJson = z
  .object({
    versions: VersionsJson,
    roots: z.array(RootHealthJson),
    skippedFolders: z.array(SkippedFolderJson).describe("session folders that are not read, and why"),
    database: DatabaseHealthJson,
    freshness: FreshnessJson.optional().describe("absent if the database cannot be queried"),
    indexing: z.boolean().optional().describe("whether a pidex process is indexing now"),
    problems: z
      .array(ProblemCountJson)
      .optional()
      .describe("problems in session files; absent if the database cannot be queried"),
    openToOthers: OpenToOthersJson,
    watching: WatchingJson,
    unknown: z.array(UnknownJson).describe("what could not be determined"),
    findings: z.array(FindingJson).describe("worst first"),
  })
  .meta({ title: "Diagnosis" });

export type Finding = z.infer<typeof FindingJson>;
export type RootHealth = z.infer<typeof RootHealthJson>;
export type DatabaseHealth = z.infer<typeof DatabaseHealthJson>;
export type Freshness = z.infer<typeof FreshnessJson>;
export type ProblemCount = z.infer<typeof ProblemCountJson>;
export type Diagnosis = z.infer<typeof DiagnosisJson>;
