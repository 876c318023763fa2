/** Zod schema of the JSON output of `pidex tags`; docs/json.md is generated from it. */
import { z } from "zod";

export const TagJson = z
  .object({
    tag: z.string(),
    sessions: z.int().describe("number of sessions that have it, including archived and subagent sessions"),
    modified: z.iso.datetime().describe("when the newest of them was last modified"),
  })
  .meta({ title: "Tag" });
export type TagJson = z.infer<typeof TagJson>;
