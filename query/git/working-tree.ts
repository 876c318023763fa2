import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PidexError, systemCode } from "../../src/errors.ts";
import { toLines } from "./blob-reader.ts";
import { runGit } from "./run-git.ts";

/** The commit of HEAD; undefined before the first commit. */
export async function findHead(tree: string, signal?: AbortSignal): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"];
  const { status, output } = await runGit(tree, args, signal);
  return status === 0 ? output.toString().trim() : undefined;
}

/** The paths that HEAD has of files that were renamed in the index since, by their new paths. */
export async function readStagedRenames(tree: string, signal?: AbortSignal): Promise<Map<string, string>> {
  const args = ["diff-index", "--cached", "-M", "--diff-filter=R", "--name-status", "-z", "HEAD", "--"];
  const { output } = await runGit(tree, args, signal);
  const fields = output.toString().split("\0");
  const renames = new Map<string, string>();
  for (let n = 0; n + 2 < fields.length; n += 3)
    renames.set(fields[n + 2] as string, fields[n + 1] as string);
  return renames;
}

/** Paths per command. */
const CHUNK_SIZE = 500;

/** Those of some files that git ignores. */
export async function findIgnored(
  tree: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  const ignored = new Set<string>();
  for (let n = 0; n < files.length; n += CHUNK_SIZE) {
    const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"];
    const { output } = await runGit(tree, [...args, ...files.slice(n, n + CHUNK_SIZE)], signal);
    for (const file of output.toString().split("\0")) if (file !== "") ignored.add(file);
  }
  return ignored;
}

/**
 * The lines of a file in the working tree.
 *
 * @throws PidexError `NOT_FOUND`, `BINARY_FILE`, `FILE_UNREADABLE`
 */
export function readWorkingFile(tree: string, file: string): string[] {
  const path = join(tree, file);
  let content: Buffer;
  try {
    if (!lstatSync(path).isFile()) throw fileNotFound(`${file} is not a file`);
    content = readFileSync(path);
  } catch (error) {
    if (error instanceof PidexError) throw error;
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw fileNotFound(`there is no file ${file}`, error);
    throw new PidexError("FILE_UNREADABLE", `cannot read ${file}`, "Check its permissions.", {
      cause: error,
    });
  }
  const lines = toLines(content);
  if (!lines) throw binaryFile(file);
  return lines;
}

export function fileNotFound(message: string, cause?: unknown): PidexError {
  const hint = "Name a file in the working tree, or with rev one that the commit has.";
  return new PidexError("NOT_FOUND", message, hint, { cause });
}

export function binaryFile(file: string): PidexError {
  return new PidexError("BINARY_FILE", `${file} is binary or larger than 8 MB`, "Name a text file.");
}
