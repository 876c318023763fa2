import type { UsageReport } from "../../library/index.ts";
import { formatCount } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { printNotice } from "./run.ts";

/** Notes that usage figures are incomplete. */
export function notePartialUsage(io: Io, { unreadFiles }: Pick<UsageReport, "unreadFiles">): void {
  if (unreadFiles === 0) return;
  const files = formatCount(unreadFiles, "file is", "files are");
  printNotice(io, `${files} not fully indexed by this version of pidex yet; their cost is not included`);
}
