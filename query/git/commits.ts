import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { getWorkingFolder } from "../../src/environment.ts";
import { badOption } from "../../src/errors.ts";
import type { Store } from "../../src/store/store.ts";
import type { SessionInfo } from "../answers.ts";
import { parseOptions } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { AttributedHistory, type CommitFileAuthors } from "./attribute-history.ts";
import { BlobReader } from "./blob-reader.ts";
import { readHistory } from "./file-history.ts";
import type { Commit, CommitSession, Commits } from "./git-answers.ts";
import { CommitsOptions } from "./git-options.ts";
import { type ListedCommit, listCommits } from "./listed-commits.ts";
import { readNamedSessions } from "./named-sessions.ts";
import { findTouchedFiles, readWrites } from "./read-writes.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import { openRepository } from "./repository.ts";

/**
 * Commits of a git repository, each with the sessions whose edits it contains. With a session, those with edits of it, and it alone.
 *
 * @throws PidexError `BAD_OPTION`; `NOT_FOUND` for a commit or a session that does not exist; `AMBIGUOUS`; `NOT_A_REPOSITORY`; `GIT_FAILED`; `FILE_CHANGED` and
 *   `FILE_UNREADABLE` for session files
 */
export async function listCommitSessions(
  store: Store,
  options: CommitsOptions,
  signal?: AbortSignal,
): Promise<Commits> {
  const { folder, certain, session, limit, ...selection } = parseOptions(CommitsOptions, options);
  if (Object.values({ ...selection, session }).filter(isDefined).length > 1)
    throw badOption("rev, range and session exclude each other", "Pass one of them.");
  const only = session === undefined ? undefined : await resolveSession(store, session);
  const repository = await openRepository(
    resolve(getWorkingFolder(), folder ?? findFolder(only?.info)),
    signal,
  );
  const since = only && toValidDate(only.info.created);
  const { commits, tips } = await listCommits(repository.tree, { ...selection, since, limit }, signal);
  const changed = new Set(commits.flatMap(({ files }) => files));
  const touched = await findTouchedFiles(store, repository, changed);
  const writes = keepFilesOf(only?.fileId, await readWrites(store, touched));
  const [first] = writes;
  const blobs = new BlobReader(repository.tree);
  const history = new AttributedHistory(writes, blobs);
  try {
    if (first) {
      // Renames are found only if both paths are listed.
      const files = toPathspecs(commits, writes);
      const found = await readHistory(repository.tree, { tips, files, since: first.time }, signal);
      await history.add(found, signal);
    }
  } finally {
    blobs.close();
  }
  const listed = commits.flatMap((commit) => {
    const found = sumAuthors(history.getFiles(commit.sha), certain);
    if (!only) return [{ commit, found }];
    const own = found.get(only.fileId);
    return own ? [{ commit, found: new Map([[only.fileId, own]]) }] : [];
  });
  const named = listed.flatMap(({ found }) => [...found.values()].map(({ write }) => write));
  const sessions = await readNamedSessions(store, named);
  return {
    repository: repository.tree,
    commits: listed.map(({ commit, found }) => toCommit(commit, found, sessions)),
    sessions: [...sessions.values()],
    costUsd: sumCosts([...sessions.values()]),
  };
}

/** With a session: all writes of the files that it wrote. Whose a line is depends on all sessions that wrote the file. */
function keepFilesOf(session: number | undefined, writes: RecordedWrite[]): RecordedWrite[] {
  if (session === undefined) return writes;
  const files = new Set(writes.flatMap((write) => (write.session === session ? [write.file] : [])));
  return writes.filter(({ file }) => files.has(file));
}

/** The session's working directory, if it still exists. */
function findFolder(session: SessionInfo | undefined): string {
  if (!session?.cwd) return ".";
  if (existsSync(session.cwd)) return session.cwd;
  throw badOption(
    `the session's working directory ${session.cwd} does not exist`,
    "If the repository has moved, edits in it are not found. Pass another folder if the session edited files elsewhere.",
  );
}

/** Invalid dates, of headers without a time, are as early as possible. */
const toValidDate = (date: Date) => (Number.isNaN(date.getTime()) ? new Date(0) : date);

const isDefined = (value: unknown) => value !== undefined;

/** More paths than this are not passed to git: the whole history is read. */
const MAX_PATHSPECS = 1000;

function toPathspecs(
  commits: readonly { files: string[] }[],
  writes: readonly RecordedWrite[],
): string[] | undefined {
  const written = new Set(writes.map(({ file }) => file));
  const related = new Set<string>(written);
  for (const { files } of commits) {
    if (files.some((file) => written.has(file))) for (const file of files) related.add(file);
  }
  if (related.size <= MAX_PATHSPECS) return [...related];
  return written.size <= MAX_PATHSPECS ? [...written] : undefined;
}

/** What a session has in a commit. */
interface SessionShare extends Omit<CommitSession, "session" | "files"> {
  write: RecordedWrite;
  files: Set<string>;
}

function sumAuthors(
  files: ReadonlyMap<string, CommitFileAuthors>,
  certain: boolean,
): Map<number, SessionShare> {
  const shares = new Map<number, SessionShare>();
  const add = (
    file: string,
    write: RecordedWrite,
    isCertain: boolean,
    sums: { lines: number; removed: number },
  ) => {
    if (certain && !isCertain) return;
    const known = shares.get(write.session);
    const share: SessionShare = known ?? {
      write,
      files: new Set(),
      lines: 0,
      removed: 0,
      confidence: "likely",
    };
    if (isCertain) share.confidence = "certain";
    share.lines += sums.lines;
    share.removed += sums.removed;
    share.files.add(file);
    shares.set(write.session, share);
  };
  for (const [file, { authors, removals }] of files) {
    for (const author of authors)
      if (author) add(file, author.write, author.isCertain, { lines: 1, removed: 0 });
    for (const [write, removed] of removals) add(file, write, true, { lines: 0, removed });
  }
  return shares;
}

function toCommit(
  { sha, subject, author, time, added }: ListedCommit,
  shares: ReadonlyMap<number, SessionShare>,
  sessions: ReadonlyMap<number, SessionInfo>,
): Commit {
  const own = [...shares].flatMap(([id, { write: _, files, ...share }]) => {
    const info = sessions.get(id);
    return info ? [{ info, share: { session: info.path, ...share, files: [...files].sort() } }] : [];
  });
  own.sort((a, b) => b.share.lines + b.share.removed - (a.share.lines + a.share.removed));
  return {
    commit: sha,
    subject,
    author,
    committed: new Date(time * 1000).toISOString(),
    added,
    sessions: own.map(({ share }) => share),
    costUsd: sumCosts(own.map(({ info }) => info)),
  };
}

export function sumCosts(sessions: readonly SessionInfo[]): number {
  return sessions.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
}
