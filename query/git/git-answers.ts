/** Answers of the queries about git repositories, as zod schemas. docs/blame.md explains them. */
import { z } from "zod";
import type { SessionInfo } from "../answers.ts";
import { EntryIdJson, IsoTimeJson, SessionInfoJson } from "../answers.ts";

export const Confidence = z
  .enum(["certain", "likely"])
  .describe(
    "certain: replaying the session's calls gives this line between the same lines, and no other session wrote it; likely: the lines around it were changed, another session wrote the same line too, or the call replaced a whole file",
  );
export type Confidence = z.infer<typeof Confidence>;

const sessionPath = z.string().describe("path of the session, one of `sessions`");

export const BlameLineJson = z
  .object({
    line: z.int().describe("line number in the file, from 1"),
    text: z.string(),
    commit: z
      .string()
      .nullable()
      .describe("hash of the commit that added the line; null if it is not committed"),
    session: sessionPath.optional(),
    entryId: EntryIdJson.optional().describe("the entry with the call that wrote it"),
    entryLine: z.int().optional().describe("the line of that entry in the session file"),
    timestamp: IsoTimeJson.optional().describe("when the call ended"),
    prompt: z.string().optional().describe("the user's message before the call, in its branch"),
    confidence: Confidence.optional(),
  })
  .meta({ title: "Line of a file" });
export type BlameLine = z.infer<typeof BlameLineJson>;

export const CommitSessionJson = z
  .object({
    session: sessionPath,
    lines: z.int().describe("lines of the commit that the session wrote"),
    removed: z.int().describe("lines that calls removed which wrote no others"),
    files: z.array(z.string()).describe("the files with these lines"),
    confidence: Confidence,
  })
  .meta({ title: "Session of a commit" });
export type CommitSession = z.infer<typeof CommitSessionJson>;

export const CommitJson = z
  .object({
    commit: z.string().describe("its hash"),
    subject: z.string(),
    author: z.string(),
    committed: IsoTimeJson,
    added: z.int().describe("lines it added, by sessions or others; 0 for merges"),
    sessions: z.array(CommitSessionJson).describe("most lines first"),
    costUsd: z.number().describe("what these sessions cost in all, in US dollars"),
  })
  .meta({ title: "Commit" });
export type Commit = z.infer<typeof CommitJson>;

export const UncommittedFileJson = z
  .object({
    file: z.string().describe("path in the working tree"),
    session: sessionPath,
    lines: z.int().describe("lines of the session in the file that are in no commit"),
    confidence: Confidence,
  })
  .meta({ title: "File with uncommitted lines" });
export type UncommittedFile = z.infer<typeof UncommittedFileJson>;

const repository = z.string().describe("the working tree");
const sessions = z.array(SessionInfoJson).describe("the sessions that are named, with `costUsd`");

export const BlameJson = z.object({
  repository,
  file: z.string().describe("path in the working tree"),
  rev: z.string().nullable().describe("hash of the commit that was read; null: none yet"),
  lines: z.array(BlameLineJson),
  sessions,
});
export type Blame = Omit<z.infer<typeof BlameJson>, "sessions"> & { sessions: SessionInfo[] };

export const CommitsJson = z.object({
  repository,
  commits: z.array(CommitJson).describe("newest first"),
  sessions,
  costUsd: z.number().describe("what all these sessions cost: each counts once"),
});
export type Commits = Omit<z.infer<typeof CommitsJson>, "sessions"> & { sessions: SessionInfo[] };

export const UncommittedJson = z.object({
  repository,
  files: z.array(UncommittedFileJson),
  sessions,
  costUsd: z.number().describe("what these sessions cost: each counts once"),
});
export type Uncommitted = Omit<z.infer<typeof UncommittedJson>, "sessions"> & { sessions: SessionInfo[] };
