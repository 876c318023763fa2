import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { getWorkingFolder } from "../../src/environment.ts";
import { badOption, systemCode } from "../../src/errors.ts";
import type { Store } from "../../src/store/store.ts";
import { parseOptions } from "../options.ts";
import { AttributedHistory } from "./attribute-history.ts";
import type { LineAuthor } from "./attribute-version.ts";
import { type BlamedLine, readBlame } from "./blamed-lines.ts";
import { BlobReader } from "./blob-reader.ts";
import { readHistory } from "./file-history.ts";
import type { Blame, BlameLine } from "./git-answers.ts";
import { BlameOptions } from "./git-options.ts";
import { matchLines } from "./match-lines.ts";
import { readNamedSessions, readOrigins } from "./named-sessions.ts";
import { findTouchedFiles, readWrites } from "./read-writes.ts";
import { openRepository, type Repository, resolveCommit, toRealPath, toTreePath } from "./repository.ts";
import { fileNotFound, findHead, findIgnored, readStagedRenames, readWorkingFile } from "./working-tree.ts";

/**
 * The lines of a file in a git repository, each with the session that wrote it, if one did.
 *
 * @param path absolute, or relative to the working directory
 * @throws PidexError `BAD_OPTION`; `NOT_FOUND` for a file or a commit that does not exist; `NOT_A_REPOSITORY`; `BINARY_FILE`; `GIT_FAILED`;
 *   `FILE_CHANGED` and `FILE_UNREADABLE` for session files
 */
export async function blameFile(
  store: Store,
  path: string,
  options: BlameOptions,
  signal?: AbortSignal,
): Promise<Blame> {
  const { rev, from = 1, to = Number.MAX_SAFE_INTEGER, certain } = parseOptions(BlameOptions, options);
  if (to < from) throw badOption("the last line is before the first", "Pass from <= to.");
  const { repository, file } = await locateFile(path, signal);
  const version = await readVersion(repository, file, rev, signal);
  const authors = await findAuthors(store, repository, file, version, signal);
  if (from > version.lines.length && version.lines.length > 0)
    throw badOption(
      `${file} has ${version.lines.length} lines, none of them number ${from}`,
      "Name lines that the file has.",
    );
  const chosen = version.lines.map((text, n) => ({
    line: n + 1,
    text,
    commit: version.blamed[n]?.commit ?? null,
    author: authors[n],
  }));
  const shown = chosen
    .filter(({ line }) => line >= from && line <= to)
    .map((line) => (certain && !line.author?.isCertain ? { ...line, author: undefined } : line));
  const writes = [...new Set(shown.flatMap(({ author }) => author?.write ?? []))];
  const sessions = await readNamedSessions(store, writes);
  const origins = await readOrigins(store, writes);
  const lines = shown.map(({ author, ...line }): BlameLine => {
    const info = author && sessions.get(author.write.session);
    if (!author || !info) return line;
    const origin = origins.get(author.write.id);
    return {
      ...line,
      session: info.path,
      entryId: origin?.entryId ?? null,
      entryLine: author.write.line,
      timestamp: new Date(author.write.time).toISOString(),
      ...(origin?.prompt !== undefined && { prompt: origin.prompt }),
      confidence: author.isCertain ? "certain" : "likely",
    };
  });
  return {
    repository: repository.tree,
    file,
    rev: version.commit ?? null,
    lines,
    sessions: [...sessions.values()],
  };
}

/** @throws PidexError `NOT_FOUND`, `NOT_A_REPOSITORY`, `GIT_FAILED` */
async function locateFile(
  path: string,
  signal?: AbortSignal,
): Promise<{ repository: Repository; file: string }> {
  const absolute = resolve(getWorkingFolder(), path);
  // The file itself may be a link, which git tracks as such.
  const real = join(toRealPath(dirname(absolute)), absolute.slice(dirname(absolute).length));
  const folder = findExistingFolder(dirname(real));
  const repository = await openRepository(folder, signal);
  const file = toTreePath(repository.tree, real);
  if (file === undefined) throw fileNotFound(`${path} is not a file in ${repository.tree}`);
  return { repository, file };
}

function findExistingFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    try {
      if (lstatSync(at).isDirectory() || dirname(at) === at) return at;
    } catch (error) {
      if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
    }
  }
}

/** A version of a file. */
interface FileVersion {
  lines: string[];
  /** The commit that the version is, or that the working tree is based on; undefined if there is none yet. */
  commit: string | undefined;
  /** The commits of its lines; undefined for lines that are not committed. */
  blamed: (BlamedLine | undefined)[];
  /** The lines in the commit, if the version is not a commit's. */
  base: string[] | undefined;
  /** The file's path in the commit. */
  committedFile: string;
}

async function readVersion(
  { tree }: Repository,
  file: string,
  rev: string | undefined,
  signal?: AbortSignal,
): Promise<FileVersion> {
  const commit = rev === undefined ? await findHead(tree, signal) : await resolveCommit(tree, rev, signal);
  if (rev !== undefined && commit !== undefined) {
    const { lines, blamed } = await readBlame(tree, commit, file, signal);
    if (!lines) throw fileNotFound(`${file} is not in commit ${rev}`);
    return { lines, commit, blamed, base: undefined, committedFile: file };
  }
  const lines = readWorkingFile(tree, file);
  if (commit === undefined) {
    return { lines, commit, blamed: [], base: [], committedFile: file };
  }
  const committedFile = (await readStagedRenames(tree, signal)).get(file) ?? file;
  const committed = await readBlame(tree, commit, committedFile, signal);
  const base = committed.lines ?? [];
  if (!committed.lines && (await findIgnored(tree, [file], signal)).size > 0) {
    throw fileNotFound(`${file} is ignored by git`);
  }
  const matches = matchLines(base, lines);
  const blamed = lines.map((_, n) => committed.blamed[matches[n] as number]);
  return { lines, commit, blamed, base, committedFile };
}

async function findAuthors(
  store: Store,
  repository: Repository,
  file: string,
  { lines, commit, blamed, base, committedFile }: FileVersion,
  signal?: AbortSignal,
): Promise<(LineAuthor | undefined)[]> {
  const files = new Set([file, committedFile]);
  for (const line of blamed) {
    if (line) files.add(line.file);
    if (line?.previousFile !== undefined) files.add(line.previousFile);
  }
  const writes = await readWrites(store, await findTouchedFiles(store, repository, files));
  const [first] = writes;
  if (!first) return [];
  const blobs = new BlobReader(repository.tree);
  try {
    const history = new AttributedHistory(writes, blobs);
    if (commit !== undefined) {
      const range = { tips: [commit], files: [...files], since: first.time };
      await history.add(await readHistory(repository.tree, range, signal), signal);
    }
    const authors = blamed.map((line, n) =>
      line ? history.getAuthor(line.commit, line.file, line.position, lines[n] as string) : undefined,
    );
    if (!base) return authors;
    const added = new Set(lines.keys().filter((n) => !blamed[n]));
    if (added.size === 0) return authors;
    const uncommitted = history.attributeUncommitted({
      ...{
        tree: repository.tree,
        files: [...new Set([file, committedFile])],
        before: base,
        after: lines,
        added,
      },
    });
    return lines.map((_, n) => (added.has(n) ? uncommitted.authors[n] : authors[n]));
  } finally {
    blobs.close();
  }
}
