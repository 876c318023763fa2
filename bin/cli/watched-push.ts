/** Pushes of commands that watch. */
import type { Index } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatDuration } from "../format/numbers.ts";
import { formatCount } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { printNotice } from "./run.ts";

/** The numbers of a push. */
interface PushNumbers {
  sessions: number;
  sent: number;
  bytes: number;
  resent: number;
  moved: number;
}

/** A push in one line, without the number of shared sessions: `pushed 1.2 MB of 3 sessions`. Empty if nothing was sent. */
export function formatPushed({ sent, bytes, resent, moved }: PushNumbers): string {
  return [
    sent > 0 && `pushed ${formatBytes(bytes)} of ${formatCount(sent, "session")}`,
    resent > 0 && `${formatCount(resent, "session")} replaced on the hub`,
    moved > 0 && `${formatCount(moved, "moved file")} deleted from the hub`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What a push left out, in one line each. */
export function listLeftOut({
  forgotten,
  expired,
}: {
  forgotten: readonly unknown[];
  expired: number;
}): string[] {
  const lines: string[] = [];
  const count = forgotten.length;
  if (count > 0) {
    const [were, are, them] = count === 1 ? ["was", "is", "it"] : ["were", "are", "them"];
    const undo = `pidex hub forget --undo SESSION lets ${them} be pushed again`;
    lines.push(
      `${formatCount(count, "session")} ${were} forgotten on the hub and ${are} not pushed; ${undo}`,
    );
  }
  if (expired > 0) {
    const are = expired === 1 ? "is" : "are";
    const limit = "than the hub keeps sessions of the project (pidex hub retention)";
    lines.push(`${formatCount(expired, "session")} ${are} not pushed, older ${limit}`);
  }
  return lines;
}

/**
 * Starts pushes of an index to the hub, if this machine is signed in and shares a project: also if it does so later. Call `request` after
 * each sync.
 *
 * @param output how pushes are reported; problems always are
 */
export async function startPushing(
  io: Io,
  index: Index,
  output: "text" | "json" | "ndjson" | "none",
): Promise<{ request(): void; close(): Promise<void> }> {
  const { startContinuousPush } = await import("../../library/hub/push/push-index.ts");
  let noted = "";
  return startContinuousPush(index, {
    onTransferred(report) {
      const pushed = formatPushed(report);
      if (pushed !== "" && output === "json") void writeJson(io, { push: report });
      else if (pushed !== "" && output === "ndjson") void writeJsonLines(io, [report]);
      else if (pushed !== "" && output === "text")
        void io.out(`${new Date().toLocaleTimeString("sv-SE")} ${pushed}\n`);
      for (const { path, reason } of report.failed) printNotice(io, `${path} was not sent: ${reason}`);
      const leftOut = listLeftOut(report);
      if (leftOut.join("\n") !== noted) for (const line of leftOut) printNotice(io, line);
      noted = leftOut.join("\n");
    },
    onProblem: (error, retryMs) =>
      printNotice(io, `push failed: ${toMessage(error)}; retrying in ${formatDuration(retryMs)}`),
    onRecovered: () => printNotice(io, "pushing works again"),
  });
}
