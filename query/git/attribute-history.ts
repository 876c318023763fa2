import { getOrInsert } from "../../src/get-or-insert.ts";
import {
  attributeVersion,
  type LineAuthor,
  type VersionAuthors,
  type VersionRequest,
} from "./attribute-version.ts";
import type { BlobReader } from "./blob-reader.ts";
import { type CommitWithChanges, type FileChangeInCommit, toKey } from "./file-history.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import { isRelevant } from "./relevant-writes.ts";

/** For each write that is in an earlier commit: the lines of it that are not. By the file that the write names. */
type OpenLines = ReadonlyMap<string, ReadonlyMap<number, ReadonlySet<string>>>;

/** The authors of what commits changed in a file. */
export interface CommitFileAuthors extends Pick<VersionAuthors, "authors" | "removals"> {
  change: FileChangeInCommit;
  /** The lines of the file after the commit. */
  lines: readonly string[];
}

/** The authors of the lines that commits added. */
export class AttributedHistory {
  readonly #writes: Map<string, RecordedWrite[]>;
  readonly #blobs: BlobReader;
  readonly #open = new Map<string, OpenLines>();
  /** Commits without children so far. */
  readonly #heads = new Set<string>();
  readonly #files = new Map<string, Map<string, CommitFileAuthors>>();

  /** @param writes in order of time */
  constructor(writes: readonly RecordedWrite[], blobs: BlobReader) {
    this.#writes = Map.groupBy(writes, ({ file }) => file);
    this.#blobs = blobs;
  }

  /** @param commits each after its ancestors */
  async add(commits: readonly CommitWithChanges[], signal?: AbortSignal): Promise<void> {
    for (const commit of commits) {
      signal?.throwIfAborted();
      await this.#addCommit(commit);
    }
  }

  /** What sessions wrote of a commit, by file. Files without any are missing. */
  getFiles(sha: string): ReadonlyMap<string, CommitFileAuthors> {
    return this.#files.get(sha) ?? new Map();
  }

  /** The author of a line that a commit added. @param position from 0 */
  getAuthor(sha: string, file: string, position: number, text: string): LineAuthor | undefined {
    const found = this.#files.get(sha)?.get(file);
    return found?.lines[position] === text ? found.authors[position] : undefined;
  }

  /**
   * The authors of what the working tree has changed since the last commit. That commit is often not listed, because it changed other files: the
   * listed commits without children have the same lines.
   */
  attributeUncommitted({ tree, files, before, after, added }: UncommittedVersion): VersionAuthors {
    const open = mergeOpenLines([...this.#heads].map((sha) => this.#open.get(sha) ?? new Map()));
    const writes = files
      .flatMap((file) => this.#writes.get(file) ?? [])
      .filter((write) => write.tree === tree && isWriteOpen(open, write))
      .sort((a, b) => a.id - b.id);
    const isOpen = (write: RecordedWrite, id: string) => isLineOpen(open, write, id);
    const addedKeys = new Set(Array.from(added, (n) => toKey(after[n] as string)));
    const relevant = writes.filter((write) => isRelevant(write, { addedKeys, removedKeys: new Set() }));
    const version = { before, after, isAdded: (position: number) => added.has(position), isOpen };
    return attributeRelevant(version, writes, relevant);
  }

  async #addCommit(commit: CommitWithChanges): Promise<void> {
    let open = mergeOpenLines(commit.parents.map((sha) => this.#open.get(sha) ?? new Map()));
    for (const change of commit.changes) {
      const found = await this.#attributeChange(commit, change, open);
      if (!found || found.remaining.size + found.removals.size === 0) continue;
      getOrInsert(this.#files, commit.sha, () => new Map()).set(change.file, found);
      open = withRemaining(open, found.remaining);
    }
    this.#open.set(commit.sha, open);
    for (const parent of commit.parents) this.#heads.delete(parent);
    this.#heads.add(commit.sha);
  }

  async #attributeChange(
    commit: CommitWithChanges,
    change: FileChangeInCommit,
    open: OpenLines,
  ): Promise<(CommitFileAuthors & VersionAuthors) | undefined> {
    const files = new Set([change.file, change.previousFile]);
    const writes = [...files]
      .flatMap((file) => this.#writes.get(file) ?? [])
      // Commits have whole seconds.
      .filter((write) => write.time < (commit.time + 1) * 1000 && isWriteOpen(open, write))
      .sort((a, b) => a.id - b.id);
    const relevant = writes.filter((write) => isRelevant(write, change));
    if (relevant.length === 0) return undefined;
    const before = change.before === undefined ? [] : await this.#blobs.readLines(change.before);
    const after = await this.#blobs.readLines(change.after);
    if (!before || !after) return undefined;
    const added = new Set(
      change.added.flatMap(({ start, count }) => Array.from({ length: count }, (_, n) => start + n)),
    );
    const isOpen = (write: RecordedWrite, id: string) => isLineOpen(open, write, id);
    const version = { before, after, isAdded: (position: number) => added.has(position), isOpen };
    const found = attributeRelevant(version, writes, relevant);
    return { change, lines: after, ...found };
  }
}

/** Writes that are replayed on one version at most, the latest ones. */
const MAX_REPLAYED = 300;

/** Replays the relevant writes, and the others too if one of the relevant ones builds on them. */
function attributeRelevant(
  version: Omit<VersionRequest, "writes">,
  writes: readonly RecordedWrite[],
  relevant: readonly RecordedWrite[],
): VersionAuthors {
  // What a whole-file write kept of others is not its own.
  const isOverwritten = version.before.length > 0 && relevant.some(({ change }) => change.kind === "whole");
  const chosen = isOverwritten ? writes : relevant;
  const found = attributeVersion({ ...version, writes: chosen.slice(-MAX_REPLAYED) });
  if (isOverwritten || found.failed.length === 0 || relevant.length === writes.length) return found;
  return attributeVersion({ ...version, writes: writes.slice(-MAX_REPLAYED) });
}

export interface UncommittedVersion {
  tree: string;
  /** The file's path now, and in the commit if it is another. */
  files: readonly string[];
  before: readonly string[];
  after: readonly string[];
  added: ReadonlySet<number>;
}

function isWriteOpen(open: OpenLines, { file, id }: RecordedWrite): boolean {
  return open.get(file)?.get(id)?.size !== 0;
}

function isLineOpen(open: OpenLines, { file, id }: RecordedWrite, line: string): boolean {
  return open.get(file)?.get(id)?.has(line) !== false;
}

/** What is open after several commits: what is open after each of them. */
function mergeOpenLines(all: readonly OpenLines[]): OpenLines {
  const distinct = all.filter((open, n) => all.indexOf(open) === n);
  if (distinct.length <= 1) return distinct[0] ?? new Map();
  const files = new Map<string, ReadonlyMap<number, ReadonlySet<string>>>();
  for (const [file, writes] of distinct.flatMap((open) => [...open])) {
    const joined = new Map(files.get(file) ?? []);
    for (const [id, lines] of writes) joined.set(id, joined.get(id)?.intersection(lines) ?? lines);
    files.set(file, joined);
  }
  return files;
}

function withRemaining(open: OpenLines, remaining: ReadonlyMap<RecordedWrite, Set<string>>): OpenLines {
  const files = new Map(open);
  for (const [file, writes] of Map.groupBy(remaining, ([write]) => write.file)) {
    const known = new Map(files.get(file) ?? []);
    for (const [{ id }, lines] of writes) known.set(id, lines);
    files.set(file, known);
  }
  return files;
}
