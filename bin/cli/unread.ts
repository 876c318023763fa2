import type { UsageReport } from "../../library/index.ts";
import { counted } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { notice } from "./run.ts";

/** Notes that usage figures are incomplete. */
export function tellOfUnread(io: Io, { unreadFiles }: Pick<UsageReport, "unreadFiles">): void {
  if (unreadFiles === 0) return;
  const files = counted(unreadFiles, "file is", "files are");
  notice(io, `${files} not fully indexed by this version of pidex yet; their cost is not included`);
}
