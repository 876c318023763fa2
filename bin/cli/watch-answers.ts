/** What `pidex watch` tells, as a zod schema of its JSON form: docs/json.md is written from it. */
import { z } from "zod";

export const WatchedJson = z
  .object({
    time: z.iso.datetime().describe("when the sync was done"),
    ms: z.number().describe("how long it took, in milliseconds"),
    paths: z
      .array(z.string())
      .optional()
      .describe("the session files that were looked at; absent when all were"),
    added: z.int().describe("files that are new"),
    appended: z.int().describe("files of which new lines were read"),
    reindexed: z.int().describe("files that were read again"),
    moved: z.int().describe("files that have another name"),
    forgotten: z.int().describe("files that are gone"),
    faulty: z.int().describe("files that could not be read"),
    linesRead: z.int(),
    bytesRead: z.int(),
  })
  .meta({ title: "Watched sync" });

export type Watched = z.infer<typeof WatchedJson>;
