/** Zod schema of the JSON output of `pidex watch`; docs/json.md is generated from it. */
import { z } from "zod";

export const WatchedSyncJson = z
  .object({
    time: z.iso.datetime().describe("time of the sync"),
    ms: z.number().describe("duration in milliseconds"),
    paths: z.array(z.string()).optional().describe("the session files checked; absent if all were"),
    added: z.int().describe("new files"),
    appended: z.int().describe("files with appended lines"),
    reindexed: z.int().describe("files read again from the start"),
    moved: z.int().describe("renamed files"),
    forgotten: z.int().describe("deleted files"),
    faulty: z.int().describe("files that could not be read"),
    linesRead: z.int(),
    bytesRead: z.int(),
  })
  .meta({ title: "Watched sync" });

export type WatchedSync = z.infer<typeof WatchedSyncJson>;
