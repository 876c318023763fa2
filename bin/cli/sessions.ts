import { basename } from "node:path";
import type { SessionInfo } from "../../index.ts";
import { oneLine } from "./text.ts";

/** What to call a session: its name, else how it began. */
export function titleOf({ name, firstMessage }: SessionInfo): string {
  return oneLine((name ?? firstMessage).slice(0, 2000));
}

/** The last part of its working directory. */
export function projectOf({ cwd }: SessionInfo): string {
  return oneLine(basename(cwd.replaceAll("\\", "/"))) || "-";
}

/** The start of an id, long enough to tell sessions apart: of a UUIDv7 that is its time to the millisecond. */
export function shortId({ id }: SessionInfo): string {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])/i.exec(id);
  if (!uuid) return oneLine(id).slice(0, 13) || "-";
  return id.slice(0, uuid[1] === "7" ? 13 : 8);
}
