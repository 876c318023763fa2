import { resolve } from "node:path";
import { getWorkingFolder } from "../../src/environment.ts";
import { PidexError } from "../../src/errors.ts";
import type { Store } from "../../src/store/store.ts";
import { parseOptions } from "../options.ts";
import { AttributedHistory } from "./attribute-history.ts";
import type { LineAuthor } from "./attribute-version.ts";
import { BlobReader } from "./blob-reader.ts";
import { sumCosts } from "./commits.ts";
import { readHistory } from "./file-history.ts";
import type { Confidence, Uncommitted } from "./git-answers.ts";
import { UncommittedOptions } from "./git-options.ts";
import { matchLines } from "./match-lines.ts";
import { readNamedSessions } from "./named-sessions.ts";
import { findTouchedFiles, readWrites } from "./read-writes.ts";
import { openRepository } from "./repository.ts";
import { findHead, findIgnored, readStagedRenames, readWorkingFile } from "./working-tree.ts";

/** A file that differs from HEAD. */
interface ChangedFile {
  file: string;
  committedFile: string;
  before: string[];
  after: string[];
  added: Set<number>;
  isCommitted: boolean;
}

/**
 * The files of a working tree with lines that sessions wrote and that are in no commit of its branch.
 *
 * @throws PidexError `BAD_OPTION`, `NOT_A_REPOSITORY`, `GIT_FAILED`; `FILE_CHANGED` and `FILE_UNREADABLE` for session files
 */
export async function listUncommitted(
  store: Store,
  options: UncommittedOptions,
  signal?: AbortSignal,
): Promise<Uncommitted> {
  const { folder = ".", certain } = parseOptions(UncommittedOptions, options);
  const repository = await openRepository(resolve(getWorkingFolder(), folder), signal);
  const { tree } = repository;
  const head = await findHead(tree, signal);
  const renames = head === undefined ? new Map<string, string>() : await readStagedRenames(tree, signal);
  const touched = await findTouchedFiles(store, { ...repository, trees: [tree] }, undefined);
  const blobs = new BlobReader(tree);
  try {
    const changed: ChangedFile[] = [];
    for (const file of new Set([...touched.values()].map(({ file }) => file).concat(...renames.keys()))) {
      const found = await compareFile(blobs, tree, head, file, renames.get(file) ?? file);
      if (found) changed.push(found);
    }
    const ignored = await findIgnored(
      tree,
      changed.filter(({ isCommitted }) => !isCommitted).map(({ file }) => file),
      signal,
    );
    const candidates = changed.filter(({ file }) => !ignored.has(file));
    const files = new Set(candidates.flatMap(({ file, committedFile }) => [file, committedFile]));
    const writes = await readWrites(store, await findTouchedFiles(store, repository, files));
    const history = new AttributedHistory(writes, blobs);
    const [first] = writes;
    if (first && head !== undefined) {
      const range = { tips: [head], files: files.size <= 1000 ? [...files] : undefined, since: first.time };
      await history.add(await readHistory(tree, range, signal), signal);
    }
    const found = candidates.flatMap(({ file, committedFile, ...version }) => {
      const paths = [...new Set([file, committedFile])];
      const { authors } = history.attributeUncommitted({ tree, files: paths, ...version });
      return countBySession(authors, certain).map((share) => ({ file, ...share }));
    });
    const sessions = await readNamedSessions(
      store,
      found.map(({ write }) => write),
    );
    return {
      repository: tree,
      files: found.flatMap(({ write, ...share }) => {
        const session = sessions.get(write.session)?.path;
        return session === undefined ? [] : [{ ...share, session }];
      }),
      sessions: [...sessions.values()],
      costUsd: sumCosts([...sessions.values()]),
    };
  } finally {
    blobs.close();
  }
}

async function compareFile(
  blobs: BlobReader,
  tree: string,
  head: string | undefined,
  file: string,
  committedFile: string,
): Promise<ChangedFile | undefined> {
  let after: string[];
  try {
    after = readWorkingFile(tree, file);
  } catch (error) {
    if (error instanceof PidexError) return undefined; // deleted, a folder, or binary: it has no lines
    throw error;
  }
  const before = head === undefined ? undefined : await blobs.readLines(`${head}:${committedFile}`);
  const matches = matchLines(before ?? [], after);
  const added = new Set(after.keys().filter((n) => matches[n] === -1));
  if (added.size === 0) return undefined;
  return { file, committedFile, before: before ?? [], after, added, isCommitted: before !== undefined };
}

function countBySession(authors: readonly (LineAuthor | undefined)[], certain: boolean) {
  const counted = authors.flatMap((author) => (author && (author.isCertain || !certain) ? [author] : []));
  return [...Map.groupBy(counted, ({ write }) => write.session).values()].map((own) => ({
    write: (own[0] as LineAuthor).write,
    lines: own.length,
    confidence: (own.some(({ isCertain }) => isCertain) ? "certain" : "likely") as Confidence,
  }));
}
