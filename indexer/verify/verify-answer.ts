/** Zod schemas of a comparison of the index with the session files; docs/json.md is generated from them. */
import { z } from "zod";

const Value = z.union([z.string(), z.number(), z.null()]).optional();

export const DifferenceJson = z
  .object({
    path: z.string().describe("the session file, or the database if the difference belongs to no session"),
    table: z
      .string()
      .describe("the table; `entry_text` for the full-text index, `database` for the database file"),
    line: z.int().optional().describe("line number in the file, from 1"),
    byteOffset: z.int().optional().describe("byte offset of that line in the file"),
    what: z.enum(["missing", "extra", "differs"]).describe("a row is missing, extra, or different"),
    column: z.string().optional().describe("the column that differs"),
    indexed: Value.describe("the value in the index, at most 60 characters"),
    expected: Value.describe("the value in the session file"),
  })
  .meta({ title: "Difference" });

export const VerifyJson = z
  .object({
    files: z.int().describe("session files on disk or in the index"),
    compared: z.int().describe("number of files compared"),
    entries: z.int().describe("number of entries compared"),
    differences: z.array(DifferenceJson).describe("remaining differences; the first few of each kind"),
    differenceCount: z.int().describe("number of remaining differences"),
    repaired: z.array(DifferenceJson).describe("repaired differences; the first few of each kind"),
    repairedFiles: z.int().describe("number of repaired files"),
    changing: z.array(z.string()).describe("files skipped because they changed during the comparison"),
    unlisted: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .describe("folders that could not be read"),
  })
  .meta({ title: "Verification" });

/** One difference between the index and the session files. */
export type Difference = z.infer<typeof DifferenceJson>;

/** The result of comparing the index with the session files. */
export type VerifyReport = z.infer<typeof VerifyJson>;
