import { writeSync } from "node:fs";
import type { Pool, PoolClient } from "pg";
import { ingestLocked, lockRemote } from "../../../indexer/ingest-remote.ts";
import { badOption, PidexError } from "../../../src/errors.ts";
import { toMachinePath } from "../../../src/machine-path.ts";
import { MAX_HEADER_OFFSET_BYTES } from "../../../src/session/parse-line.ts";
import { writeAudit } from "../../../src/store/postgres/audit.ts";
import { EMPTY_DIGEST, type StoredFile } from "../../../src/store/postgres/files.ts";
import { isForgotten } from "../../../src/store/postgres/forgotten.ts";
import { toStorable } from "../../../src/store/postgres/insert-rows.ts";
import { findMachineFiles, type MachineFileRow } from "../../../src/store/postgres/machine-files.ts";
import type { Caller } from "../../../src/store/postgres/people.ts";
import { readBytes } from "../../../src/store/postgres/segments.ts";
import { addProjectShelf, getPrivateShelf, lockForAppend } from "../../../src/store/postgres/shelves.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";
import { type KeyedFile, listForgottenKeys } from "../forgotten-keys.ts";
import type { AppendHeader, HubFileState, ShelfName } from "../protocol.ts";
import { toActor, toTarget } from "./access.ts";
import { forgetFiles } from "./forget-file.ts";

const MS_TO_NS = 1_000_000n;

/** How far the hub has files of the caller's machine, in the order of the paths. */
export async function getFileStates(
  pool: Pool,
  { machine }: Caller,
  paths: readonly string[],
): Promise<(HubFileState & { shelf: ShelfName | null })[]> {
  const files = await findMachineFiles(pool, machine.id, paths);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return paths.map((path) => {
    const file = byPath.get(toStorable(path));
    if (!file) return { cursor: 0, digest: EMPTY_DIGEST, shelf: null };
    const { cursor, digest } = file;
    return { cursor, digest, shelf: toShelfName(file) };
  });
}

function toShelfName({ project }: Pick<MachineFileRow, "project">): ShelfName {
  return project === null ? "mine" : { project };
}

/** The hub has another state of a file than the machine expects. */
class Conflict extends Error {
  readonly state: HubFileState;

  constructor(state: HubFileState) {
    super("the hub has another state of the file");
    this.state = state;
  }
}

/** The state of a file after an append. */
export interface AppendResult extends HubFileState {
  /** Whether the machine expected another state before it, so that nothing was added. */
  isConflict: boolean;
}

/**
 * Adds lines to a file of the caller's machine, all or none of them.
 *
 * @param fd of the received bytes
 * @throws PidexError `NOT_ALLOWED` if the role does not allow the shelf, `BAD_OPTION` if the file is on another one or the bytes are
 *   not those that the header says, `SESSION_FORGOTTEN` if the session is not accepted again
 */
export async function appendLines(
  pool: Pool,
  caller: Caller,
  header: AppendHeader,
  fd: number,
): Promise<AppendResult> {
  try {
    const state = await inTransaction(pool, (client) => append(client, caller, header, fd));
    return { ...state, isConflict: false };
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return { ...error.state, isConflict: true };
  }
}

async function append(
  client: PoolClient,
  { person, machine }: Caller,
  header: AppendHeader,
  fd: number,
): Promise<HubFileState> {
  const { path, cursor, digest, next, bytes, modified, subagent } = header;
  const shelf =
    header.shelf === "mine"
      ? await getPrivateShelf(client, person.id)
      : await addProjectShelf(client, header.shelf.project);
  // Sent together, and run in this order.
  const [, file] = await Promise.all([
    lockForAppend(client, shelf),
    lockRemote(client, { shelf, machine: machine.id, path, subagent: subagent ? 1 : 0 }),
  ]);
  if (file.shelf !== shelf) {
    const hint = "pidex push deletes it there first: update pidex on this machine, and push again.";
    throw badOption(`the hub has ${path} on another shelf`, hint);
  }
  if (file.cursor !== cursor || file.digest !== digest) {
    throw new Conflict({ cursor: file.cursor, digest: file.digest });
  }
  await restoreBeginning(client, file, fd);
  const end = cursor + bytes;
  const state = await ingestLocked(client, file, { fd, end, mtimeNs: BigInt(modified) * MS_TO_NS });
  if (state.cursor !== end || state.digest !== next) {
    const hint = "The file changed while it was read: push again.";
    throw badOption("the bytes do not match the digest that was sent", hint);
  }
  await assertNotForgotten(client, {
    ...{ person: person.id, machine: machine.name, path: file.path },
    sessionId: state.sessionId,
  });
  return { cursor: state.cursor, digest: state.digest };
}

/**
 * The last statements of an append, so that its locks are held only for a moment. They use the id in the file, not what the machine says.
 *
 * @throws PidexError `SESSION_FORGOTTEN`
 */
async function assertNotForgotten(client: PoolClient, file: KeyedFile): Promise<void> {
  if (!(await isForgotten(client, file.person, listForgottenKeys(file)))) return;
  const hint = "pidex hub forget --undo SESSION lets it be pushed again.";
  throw new PidexError("SESSION_FORGOTTEN", "the session was deleted from the hub by pidex hub forget", hint);
}

/** Adds the beginning of a file whose header has not come yet to the temporary file: a title may be there, which a session begins with. */
async function restoreBeginning(client: PoolClient, file: StoredFile, fd: number): Promise<void> {
  if (file.header !== "awaited" || file.cursor === 0) return;
  const bytes = await readBytes(client, file, 0, Math.min(file.cursor, MAX_HEADER_OFFSET_BYTES));
  writeSync(fd, bytes, 0, bytes.length, 0);
}

/** @throws PidexError `NOT_ALLOWED` if the caller may not push to a shelf */
export function assertMayPush({ person: { role } }: Caller, shelf: ShelfName): void {
  if (shelf === "mine" || role === "owner" || role === "member") return;
  const hint = "Ask an owner of the hub for the role member, or share the folder without --team.";
  throw new PidexError("NOT_ALLOWED", `the role ${role} cannot push to projects of the team`, hint);
}

/** Deletes files of the caller's machine, which it may send again. @returns how many there were */
export async function forgetPaths(pool: Pool, caller: Caller, paths: readonly string[]): Promise<number> {
  const files = await findMachineFiles(pool, caller.machine.id, paths);
  return forgetFiles(pool, files, (client, { path, project }) => {
    const target = toTarget({ project, path: toMachinePath(caller.machine.name, path) });
    return writeAudit(client, toActor(caller), "forget", target);
  });
}
