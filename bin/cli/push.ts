import type { Index } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, printNotice, runUntilSignal, runWithBar, syncWithProgress, unsyncedCommand } from "./run.ts";
import { formatRow, formatTable } from "./table.ts";
import type { PlannedPush } from "./transfer-answers.ts";
import { formatPushed, listLeftOut, startPushing } from "./watched-push.ts";

const INTERRUPTED = "interrupted; the next push continues where this one stopped";

/** `pidex push`: sends what the hub lacks. */
export const run = unsyncedCommand(async (io, index, _, flags: Flags<"push">) => {
  if (flags.dryRun) return printPlan(io, index, flags);
  const { pushIndex, isSharing } = await import("../../library/hub/push/push-index.ts");
  if (!isSharing()) printNotice(io, "no project is shared: run pidex share FOLDER");
  if (flags.watch) return watch(io, index, flags);
  await syncWithProgress(io, index);
  const report = await runWithBar(io, "Pushing", INTERRUPTED, (signal, bar) =>
    pushIndex(index, { signal, onProgress: (progress) => bar.update(progress) }),
  );
  if (flags.json || flags.ndjson) await writeJson(io, { push: report });
  else {
    const sessions = formatCount(report.sessions, "shared session");
    await io.out(`${sessions}: ${formatPushed(report) || "up to date"}\n`);
  }
  for (const line of listLeftOut(report)) printNotice(io, line);
  for (const { path, reason } of report.failed) printNotice(io, `${path} was not sent: ${reason}`);
  return report.failed.length > 0 ? EXIT.failed : EXIT.done;
});

/** Pushes until Ctrl+C or SIGTERM. */
async function watch(io: Io, index: Index, flags: Flags<"push">): Promise<number> {
  await runUntilSignal(["SIGINT", "SIGTERM"], async (signal) => {
    const pushing = await startPushing(io, index, flags.json ? "json" : flags.ndjson ? "ndjson" : "text");
    try {
      const watching = await index.watch({
        signal,
        onSynced: () => pushing.request(),
        onNotice: (text) => printNotice(io, text),
        onProblem: (error) => printNotice(io, `sync failed: ${toMessage(error)}; retrying`),
      });
      io.err(`pidex: pushing from ${index.roots.map(toOneLine).join(", ")}; Ctrl+C stops\n`);
      await watching.closed;
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
    } finally {
      await pushing.close();
    }
  });
  io.err("pidex: stopped pushing\n");
  return EXIT.done;
}

const COLUMNS = [
  { heading: "FOLDER", shrinksFirst: true },
  { heading: "TO" },
  { heading: "SESSIONS", align: "right" },
  { heading: "SIZE", align: "right" },
] as const;

async function printPlan(io: Io, index: Index, flags: Flags<"push">): Promise<number> {
  await syncWithProgress(io, index);
  const { planIndexPush } = await import("../../library/hub/push/push-index.ts");
  const planned = await runWithBar(io, "Reading", INTERRUPTED, (signal) => planIndexPush(index, { signal }));
  const answers = planned.map(({ project, ...plan }): PlannedPush => {
    const { folder, share } = project;
    const shared = share === "team" ? { share, project: project.project } : { share: "mine" as const };
    return { folder, ...shared, ...plan };
  });
  if (flags.json) await writeJson(io, { dryRun: true, projects: answers });
  else if (flags.ndjson) await writeJsonLines(io, answers);
  else if (answers.length === 0) io.err("no project is shared: run pidex share FOLDER\n");
  else
    await io.out(io.isTerminal ? forPeople(io, answers) : answers.flatMap(forPipes).map(formatRow).join(""));
  for (const { path, reason } of answers.flatMap(({ failed }) => failed)) {
    printNotice(io, `${path} would not be sent: ${reason}`);
  }
  return EXIT.done;
}

function forPeople(io: Io, planned: readonly PlannedPush[]): string {
  const rows = planned.map((plan) => [
    toOneLine(plan.folder),
    plan.project === undefined ? "your machines" : toOneLine(plan.project),
    formatInteger(plan.sessions),
    formatBytes(plan.bytes),
  ]);
  const masked = planned.flatMap((plan) => plan.masked);
  const lines = masked.map(
    ({ sessionId, kind, count }) => `  ${shortId(sessionId)}  ${formatCount(count, kind)}\n`,
  );
  return (
    formatTable(io, COLUMNS, rows) +
    (lines.length > 0 ? `\nSecrets that would be masked:\n${lines.join("")}` : "")
  );
}

/** Rows for scripts: the folder's, then one for each kind of secret in each session. */
function forPipes({
  folder,
  share,
  project,
  sessions,
  bytes,
  masked,
}: PlannedPush): (string | number | undefined)[][] {
  return [
    [folder, share, project, sessions, bytes],
    ...masked.map(({ path, kind, count }) => [path, "masked", kind, count]),
  ];
}
