/** Options of the queries about git repositories, as zod schemas. */
import { z } from "zod";

const certain = z
  .boolean()
  .default(false)
  .describe("only lines whose session is certain; others have no session");

export const BlameOptions = z.strictObject({
  rev: z
    .string()
    .min(1)
    .optional()
    .describe("a commit, branch or tag; default: the file in the working tree"),
  from: z.int().min(1).optional().describe("the first line, from 1"),
  to: z.int().min(1).optional().describe("the last line"),
  certain,
});
export type BlameOptions = z.input<typeof BlameOptions>;

export const CommitsOptions = z.strictObject({
  folder: z.string().min(1).optional().describe("a folder in the repository; default: the working directory"),
  rev: z.string().min(1).optional().describe("one commit; default: HEAD"),
  range: z
    .string()
    .min(1)
    .optional()
    .describe("several commits instead: `A..B`, or a branch for all of its commits"),
  session: z
    .string()
    .min(1)
    .optional()
    .describe(
      "instead, the commits on any branch that contain edits of this session, as `find` accepts it; `folder` is then by default its working directory",
    ),
  limit: z.int().min(1).max(100_000).default(10_000).describe("maximum number of commits, newest first"),
  certain,
});
export type CommitsOptions = z.input<typeof CommitsOptions>;

export const UncommittedOptions = z.strictObject({
  folder: z.string().min(1).optional().describe("a folder in the repository; default: the working directory"),
  certain,
});
export type UncommittedOptions = z.input<typeof UncommittedOptions>;
