/** What the commands that write sessions answer, as zod schemas of its JSON form: docs/json.md is written from them. */
import { z } from "zod";

export const OrganisedJson = z
  .object({
    path: z.string().describe("the session file"),
    sessionId: z.string(),
    name: z.string().optional(),
    pinned: z.boolean(),
    archived: z.boolean(),
    tags: z.array(z.string()),
    entryId: z.string().optional().describe("of `pidex label`, the entry"),
    label: z.string().optional().describe("of `pidex label`, the label it has"),
    upgradedFrom: z
      .int()
      .optional()
      .describe("the version the file had, or has, when it is upgraded before anything is appended"),
    lines: z
      .array(z.string())
      .describe(
        "the lines that were appended to the file; with `dryRun` those that would be, but for id and time",
      ),
  })
  .meta({ title: "Organised session" });

export const MovedJson = z
  .object({
    sessionId: z.string(),
    from: z.string().describe("the session file as it was"),
    path: z.string().describe("the session file as it is now, or would be"),
    header: z.string().describe("its new first line; the others stay as they are"),
    upgradedFrom: z.int().optional().describe("the version the file had, or has, when it is upgraded first"),
  })
  .meta({ title: "Moved session" });

export const ForkedJson = z
  .object({
    from: z.string().describe("the session file it was forked from"),
    path: z.string().optional().describe("the new file; absent with `dryRun`, as its name has id and time"),
    folder: z.string().describe("the folder it lies in"),
    sessionId: z.string().optional().describe("its id; absent with `dryRun`"),
    header: z.string().describe("its first line; with `dryRun` but for id and time"),
    entryCount: z.int().describe("the entries it has"),
  })
  .meta({ title: "Forked session" });

export const GoneJson = z
  .object({
    path: z.string(),
    to: z.enum(["trash command", "freedesktop trash", "macOS trash", "nowhere"]),
    trashPath: z.string().optional().describe("where it lies now, where that is known"),
  })
  .meta({ title: "Gone" });

export const DeletedJson = GoneJson.extend({
  sessionId: z.string(),
  along: z
    .array(GoneJson)
    .describe("what went with it: the folder of its subagents, its file from before an upgrade"),
}).meta({ title: "Deleted session" });

export const TrashedJson = z
  .object({
    sessionId: z.string(),
    path: z.string().describe("where it was, and is when it is restored"),
    trashPath: z.string().describe("where it is now"),
    deletedAt: z.string().describe("when it was deleted, in ISO 8601"),
    cwd: z.string(),
    name: z.string().optional(),
    firstMessage: z.string(),
    messageCount: z.int(),
    along: z
      .array(z.object({ path: z.string(), trashPath: z.string() }))
      .describe("what went to the trash along with it, and is restored with it"),
  })
  .meta({ title: "Trashed session" });

export const RestoredJson = z
  .object({
    sessionId: z.string(),
    path: z.string().describe("the session file, where it was before"),
    along: z
      .array(z.string())
      .describe("what was restored with it: the folder of its subagents, its file from before an upgrade"),
  })
  .meta({ title: "Restored session" });

export type Moved = z.infer<typeof MovedJson>;
export type Forked = z.infer<typeof ForkedJson>;
export type Deleted = z.infer<typeof DeletedJson>;
export type Trashed = z.infer<typeof TrashedJson>;
export type Restored = z.infer<typeof RestoredJson>;
