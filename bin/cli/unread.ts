import type { UsageReport } from "../../index.ts";
import { counted } from "../wording/safe.ts";
import type { Io } from "./io.ts";
import { notice } from "./run.ts";

/** Says that numbers are not whole yet. */
export function tellOfUnread(io: Io, { unreadFiles }: Pick<UsageReport, "unreadFiles">): void {
  if (unreadFiles === 0) return;
  const files = counted(unreadFiles, "file was", "files were");
  notice(io, `${files} read by an older pidex, and not again yet: what they cost is not in here`);
}
