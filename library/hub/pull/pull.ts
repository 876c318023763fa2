import { join } from "node:path";
import { PidexError } from "../../../src/errors.ts";
import { getFileStamp } from "../../../src/file-identity.ts";
import { toMachinePath } from "../../../src/machine-path.ts";
import type { HubClient } from "../client.ts";
import { runInParallel } from "../in-parallel.ts";
import type { OwnFile } from "../protocol.ts";
import type { TransferProgress } from "../transfer-progress.ts";
import { removeOldIncoming } from "./incoming.ts";
import { pullFile } from "./pull-file.ts";
import type { PullState } from "./pull-state.ts";
import { toOtherTargetPath, toPathKey, toTargetPath } from "./target-path.ts";

export interface PullOptions {
  hub: Pick<HubClient, "own" | "ownBytes">;
  /** The name of this machine on the hub. */
  machine: string;
  state: PullState;
  /** The folder with a folder for each machine. */
  folder: string;
  /** For files that are not complete yet, on the same file system. */
  incomingFolder: string;
  /** Whether a file is a session of this machine. */
  isLocalSession(path: string): boolean;
  signal?: AbortSignal | undefined;
  onProgress?: (progress: TransferProgress) => void;
  /** Fetches nothing. */
  dryRun?: boolean;
}

/** What a pull did, or would do. */
export interface PullReport {
  /** Sessions of other machines on the hub. */
  sessions: number;
  added: number;
  updated: number;
  /** Bytes of session files that were fetched, before compression. */
  bytes: number;
  /** Sessions that were deleted here, and stay so. */
  deleted: number;
  /** Sessions with lines of this machine and of another one: those of this machine are in a session of its own now. */
  forked: { path: string; fork: string }[];
  /** Sessions that were not fetched, and why. */
  failed: { path: string; reason: string }[];
  /** The files that were added or updated. */
  paths: string[];
}

/**
 * Fetches the private sessions of the user's other machines as session files. Can be stopped at any time: the next pull goes on.
 *
 * @throws PidexError `HUB_UNAVAILABLE`, `NOT_SIGNED_IN`, `NOT_ALLOWED`, `FILE_UNWRITABLE`; the signal's reason when aborted
 */
export async function pull(options: PullOptions): Promise<PullReport> {
  const { hub, state, machine, signal } = options;
  const report: PullReport = {
    ...{ sessions: 0, added: 0, updated: 0, bytes: 0, deleted: 0 },
    ...{ forked: [], failed: [], paths: [] },
  };
  const files: OwnFile[] = [];
  for await (const file of hub.own(signal)) {
    if (file.machine !== machine && file.cursor > 0) files.push(file);
  }
  report.sessions = files.length;
  const targets = chooseTargets(files, options);
  report.deleted = targets.filter(({ file, target }) => isDeleted(file, target, state)).length;
  const changed = targets.filter(({ file, target }) => !isCurrent(file, target, state));
  if (options.dryRun) return plan(changed, state, report);
  removeOldIncoming(options.incomingFolder);
  try {
    await pullAll(changed, options, report);
  } finally {
    state.save();
  }
  return report;
}

/** A file of another machine, and its path here. */
interface Targeted {
  file: OwnFile;
  target: string;
}

/** A file keeps its path. Of two new ones with the same path, the second gets another. */
function chooseTargets(files: readonly OwnFile[], { state, folder }: PullOptions): Targeted[] {
  const taken = new Set([...state.targets()].map(toPathKey));
  const sorted = [...files].sort((a, b) => (a.machine + a.path < b.machine + b.path ? -1 : 1));
  return sorted.map((file) => {
    const known = state.get(toMachinePath(file.machine, file.path));
    if (known) return { file, target: known.target };
    const first = join(folder, toTargetPath(file));
    const target = taken.has(toPathKey(first)) ? join(folder, toOtherTargetPath(file)) : first;
    taken.add(toPathKey(target));
    return { file, target };
  });
}

/** Whether there is nothing to do, as far as the state of both sides says. */
function isCurrent(file: OwnFile, target: string, state: PullState): boolean {
  const known = state.get(toMachinePath(file.machine, file.path));
  if (!known) return false;
  if (isDeleted(file, target, state)) return true;
  return known.stamp === getFileStamp(target) && known.cursor === file.cursor && known.digest === file.digest;
}

/** Whether an earlier pull found that the user deleted the file. */
function isDeleted(file: OwnFile, target: string, state: PullState): boolean {
  const known = state.get(toMachinePath(file.machine, file.path));
  return known?.isDeleted === true && getFileStamp(target) === undefined;
}

function plan(changed: readonly Targeted[], state: PullState, report: PullReport): PullReport {
  for (const { file, target } of changed) {
    const known = state.get(toMachinePath(file.machine, file.path));
    const isHere = getFileStamp(target) !== undefined;
    if (known && !isHere) report.deleted++;
    else if (known?.cursor === file.cursor && known.digest === file.digest)
      continue; // only went on here
    else {
      report[isHere ? "updated" : "added"]++;
      report.bytes += Math.max(0, file.cursor - (known?.cursor ?? 0));
      report.paths.push(target);
    }
  }
  return report;
}

async function pullAll(
  changed: readonly Targeted[],
  options: PullOptions,
  report: PullReport,
): Promise<void> {
  const { hub, state, incomingFolder, isLocalSession, onProgress } = options;
  const progress = { filesDone: 0, filesTotal: changed.length, bytesDone: 0, bytesTotal: 0 };
  for (const { file } of changed) {
    const known = state.get(toMachinePath(file.machine, file.path));
    progress.bytesTotal += Math.max(0, file.cursor - (known?.cursor ?? 0));
  }
  const onReceived = (bytes: number) => {
    report.bytes += bytes;
    progress.bytesDone += bytes;
    onProgress?.({ ...progress });
  };
  const createTasks = async function* () {
    yield* changed;
  };
  await runInParallel(options.signal, createTasks, async ({ file, target }, signal) => {
    try {
      const context = { hub, state, incomingFolder, isLocalSession, signal, onReceived };
      const { outcome, fork } = await pullFile(file, target, context);
      if (fork !== undefined) report.forked.push({ path: target, fork });
      if (outcome === "deleted") report.deleted++;
      if (outcome === "new" || outcome === "updated") {
        report[outcome === "new" ? "added" : "updated"]++;
        report.paths.push(target);
      }
    } catch (error) {
      if (!(error instanceof PidexError) || isFatal(error)) throw error;
      report.failed.push({ path: toMachinePath(file.machine, file.path), reason: error.message });
    }
    progress.filesDone++;
    onProgress?.({ ...progress });
  });
}

function isFatal({ code }: PidexError): boolean {
  return ["HUB_UNAVAILABLE", "NOT_SIGNED_IN", "NOT_ALLOWED", "UPGRADED"].includes(code);
}
