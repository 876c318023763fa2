import { listForgottenKeys } from "../forgotten-keys.ts";
import type { Exclusions } from "../protocol.ts";
import { type FileToPush, isSameShelf } from "./push-file.ts";

const MS_PER_DAY = 86_400_000;

/** Files by what the hub would do with them. */
export interface Sorted {
  accepted: FileToPush[];
  /** Deleted by `pidex hub forget`: refused. */
  forgotten: FileToPush[];
  /** Older than the hub keeps sessions of their project: deleted again within an hour. */
  expired: FileToPush[];
}

/** Sorts out the files that a hub would refuse or soon delete. */
export function sortOut(files: readonly FileToPush[], hub: Exclusions, now = Date.now()): Sorted {
  const forgotten = new Set(hub.forgotten);
  const sorted: Sorted = { accepted: [], forgotten: [], expired: [] };
  for (const file of files) {
    const { path, session, shelf, modified } = file;
    const days = hub.retention.find((each) => isSameShelf(each.shelf, shelf))?.days;
    const keyed = { person: hub.person, machine: hub.machine, path, sessionId: session };
    if (forgotten.size > 0 && listForgottenKeys(keyed).some((key) => forgotten.has(key))) {
      sorted.forgotten.push(file);
    } else if (days !== undefined && modified.getTime() < now - days * MS_PER_DAY) sorted.expired.push(file);
    else sorted.accepted.push(file);
  }
  return sorted;
}
