/** What `pidex verify` answers, as zod schemas of its JSON form: docs/json.md is written from them. */
import { z } from "zod";

const Told = z.union([z.string(), z.number(), z.null()]).optional();

export const DifferenceJson = z
  .object({
    path: z.string().describe("the session file; the database for what belongs to no session"),
    table: z
      .string()
      .describe("the table; `entry_text` for what words find, `database` for the file that holds them"),
    line: z.int().optional().describe("line number in the file, from 1"),
    byteOffset: z.int().optional().describe("byte offset of that line in the file"),
    what: z.enum(["missing", "extra", "differs"]).describe("a row is not there, should not be, or differs"),
    column: z.string().optional().describe("the column that differs"),
    indexed: Told.describe("what the index has, 60 characters of it at most"),
    expected: Told.describe("what the session file says"),
  })
  .meta({ title: "Difference" });

export const VerifyJson = z
  .object({
    files: z.int().describe("session files that there are, or that the index has"),
    compared: z.int().describe("those of them that were compared"),
    entries: z.int().describe("the entries of those"),
    differences: z
      .array(DifferenceJson)
      .describe("what differs, after repairs; of what is alike the first few"),
    differenceCount: z.int().describe("how many there are"),
    repaired: z
      .array(DifferenceJson)
      .describe("what differed and was repaired; of what is alike the first few"),
    repairedFiles: z.int().describe("the files that was in"),
    changing: z
      .array(z.string())
      .describe("files that were written to meanwhile, and so could not be compared"),
    unlisted: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .describe("folders that could not be looked into"),
  })
  .meta({ title: "Verification" });
