import type { SessionInfo } from "../../library/index.ts";
import { oneLine } from "./safe.ts";
import { cut } from "./text.ts";
import { folderName } from "./titles.ts";

/** The last part of its working directory. */
export function projectOf({ cwd }: Pick<SessionInfo, "cwd">): string {
  return cut(folderName(cwd), 24) || "-";
}

/** The start of an id, long enough to tell sessions apart: of a UUIDv7 that is its time to the millisecond. */
export function shortId(id: string): string {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])/i.exec(id);
  if (uuid) return id.slice(0, uuid[1] === "7" ? 13 : 8);
  // An id that its session was given is short as a rule, and of no use when it is cut.
  return cut(oneLine(id), 20) || "-";
}
