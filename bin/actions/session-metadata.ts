import { z } from "zod";

/** The metadata of a session, and the lines written to change it. The tables of docs/json.md are generated from it. */
export const SessionMetadataJson = z
  .object({
    path: z.string().describe("the session file"),
    sessionId: z.string(),
    name: z.string().optional(),
    pinned: z.boolean(),
    archived: z.boolean(),
    tags: z.array(z.string()),
    entryId: z.string().optional().describe("the entry, for `pidex label`"),
    label: z.string().optional().describe("its label, for `pidex label`"),
    upgradedFrom: z
      .int()
      .optional()
      .describe("the version of the file before it was upgraded for this change"),
    lines: z
      .array(z.string())
      .describe(
        "the lines appended to the file; with `dryRun` those that would be, with another id and time",
      ),
  })
  .meta({ title: "Changed session" });
export type SessionMetadata = z.infer<typeof SessionMetadataJson>;
