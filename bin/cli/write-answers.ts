/** Zod schemas of the JSON output of commands that write sessions; docs/json.md is generated from them. */
import { z } from "zod";

export const MovedJson = z
  .object({
    sessionId: z.string(),
    from: z.string().describe("the session file before the move"),
    path: z.string().describe("the session file after the move"),
    header: z.string().describe("its new first line; the other lines don't change"),
    upgradedFrom: z.int().optional().describe("the version of the file before it was upgraded"),
  })
  .meta({ title: "Moved session" });

export const ForkedJson = z
  .object({
    from: z.string().describe("the session file that was forked"),
    path: z
      .string()
      .optional()
      .describe("the new file; absent with `dryRun`, because its name contains id and time"),
    folder: z.string().describe("the folder of the new file"),
    sessionId: z.string().optional().describe("its id; absent with `dryRun`"),
    header: z.string().describe("its first line; with `dryRun` without id and time"),
    entryCount: z.int().describe("number of entries"),
  })
  .meta({ title: "Forked session" });

export const DeletedFileJson = z
  .object({
    path: z.string(),
    to: z.enum(["trash command", "freedesktop trash", "macOS trash", "nowhere"]),
    trashPath: z.string().optional().describe("its path in the trash, if known"),
  })
  .meta({ title: "Deleted file" });

export const DeletedJson = DeletedFileJson.extend({
  sessionId: z.string(),
  along: z
    .array(DeletedFileJson)
    .describe("deleted with it: the folder of its subagents, its file from before an upgrade"),
}).meta({ title: "Deleted session" });

export const TrashedJson = z
  .object({
    sessionId: z.string(),
    path: z.string().describe("its path before deletion, and after it is restored"),
    trashPath: z.string().describe("its path in the trash"),
    deletedAt: z.string().describe("when it was deleted, in ISO 8601"),
    cwd: z.string(),
    name: z.string().optional(),
    firstMessage: z.string(),
    computedTitle: z.string().optional(),
    messageCount: z.int(),
    created: z.string().optional().describe("the time of its header, in ISO 8601"),
    modified: z.string().describe("the time of its last message, in ISO 8601"),
    bytes: z.int().describe("size of the session file"),
    along: z
      .array(z.object({ path: z.string(), trashPath: z.string() }))
      .describe("deleted with it, and restored with it"),
  })
  .meta({ title: "Trashed session" });

export const PrunableJson = z
  .object({
    sessionId: z.string(),
    path: z.string().describe("the session's path, also if its file is compressed"),
    title: z.string(),
    modified: z.string().describe("the time of its last message, in ISO 8601"),
    bytes: z
      .int()
      .describe("bytes on disk; for the trash, with those of its subagents' sessions, which go along"),
    compressed: z.boolean(),
    reasons: z.array(z.string()).describe("what matched, in words"),
    duplicateOf: z.string().optional().describe("with --duplicates: the session file with all its lines"),
    contents: z
      .object({ images: z.int(), toolOutputs: z.int() })
      .optional()
      .describe("with --contents: bytes of images, and of tool outputs of 16 KiB or more"),
  })
  .meta({ title: "Prunable session" });

export const PrunedJson = z
  .object({
    sessionId: z.string(),
    path: z.string(),
    action: z
      .enum(["compressed", "trashed", "skipped", "failed"])
      .describe("`skipped` if it changed, is in use or compressed already, or would not get smaller"),
    freed: z.int().describe("bytes freed on disk; for the trash, when it is emptied"),
    trashPath: z.string().optional().describe("its path in the trash, if known"),
    code: z.string().optional().describe("the code of the error, such as `SESSION_CHANGED`"),
    message: z.string().optional().describe("why it was left as it is"),
    hint: z.string().optional().describe("what to do about it"),
  })
  .meta({ title: "Pruned session" });

export const RestoredJson = z
  .object({
    sessionId: z.string(),
    path: z.string().describe("the restored session file"),
    along: z
      .array(z.string())
      .describe("restored with it: the folder of its subagents, its file from before an upgrade"),
  })
  .meta({ title: "Restored session" });

export type Moved = z.infer<typeof MovedJson>;
export type Forked = z.infer<typeof ForkedJson>;
export type Deleted = z.infer<typeof DeletedJson>;
export type Trashed = z.infer<typeof TrashedJson>;
export type Prunable = z.infer<typeof PrunableJson>;
export type Pruned = z.infer<typeof PrunedJson>;
export type Restored = z.infer<typeof RestoredJson>;
