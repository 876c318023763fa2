import type { SessionInfo } from "../../library/index.ts";
import { toOneLine } from "./safe.ts";
import { truncate } from "./text.ts";
import { formatDateTime } from "./times.ts";
import { folderName } from "./titles.ts";

/** The last component of a session's working directory, at most 24 columns. */
export function getProjectName({ cwd }: Pick<SessionInfo, "cwd">): string {
  return truncate(folderName(cwd), 24) || "-";
}

/** The start of an id, long enough to be unique: for a UUIDv7 its time to the millisecond. */
export function shortId(id: string): string {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])/i.exec(id);
  if (uuid) return id.slice(0, uuid[1] === "7" ? 13 : 8);
  // Custom ids are usually short, and useless when cut.
  return truncate(toOneLine(id), 20) || "-";
}

/** The time of a session's last message. That of a fork may be before its creation, which is then explained. */
export function formatModifiedTime({ modified, created, parentSessionPath }: SessionInfo): string {
  const isCopied = parentSessionPath !== undefined && created !== undefined && modified < created;
  return `${formatDateTime(modified)}${isCopied ? " (copied by the fork)" : ""}`;
}

type Marked = Pick<
  SessionInfo,
  "pinned" | "archived" | "compressed" | "subagent" | "labelCount" | "problemCount"
>;

/** The state of a session as symbols and words before its title. */
export function getMarks(session: Marked & { parentSessionPath?: string | undefined }): string[] {
  const { pinned, archived, compressed, parentSessionPath, subagent, labelCount, problemCount } = session;
  const marks = [
    pinned && "★",
    archived && "archived",
    compressed && "compressed",
    parentSessionPath && "⑂",
    subagent && "subagent",
    labelCount > 0 && `⚑${labelCount}`,
    problemCount > 0 && "!",
  ];
  return marks.flatMap((mark) => mark || []);
}
