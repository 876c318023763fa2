import {
  type Index,
  type KeptSession,
  PidexError,
  type PrunableSession,
  type PruneOptions,
} from "../../library/index.ts";
import { findPulledAgent, MOMENT_HINT, parseMoment, statSessionFiles } from "../../library/internal.ts";
import {
  type PlannedSession,
  type PruneAction,
  type PrunedSession,
  planConfigured,
  planTrash,
  pruneSession,
  readPruneSettings,
  settleInterrupted,
} from "../actions/prune.ts";
import { formatBytes, parseByteSize } from "../format/bytes.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { getProjectName, shortId } from "../format/sessions.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import { findSessions, syncAfterWrite } from "./change-sessions.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { EXIT, indexCommand, printNotice } from "./run.ts";
import { type Column, formatRow, formatTable } from "./table.ts";
import type { Prunable, Pruned } from "./write-answers.ts";

type PruneFlags = Flags<"prune">;

/** Sessions to prune; without an action, they are only listed. */
interface Plan {
  sessions: (Omit<PlannedSession, "action"> & { action?: PruneAction })[];
  kept: KeptSession[];
}

/** `pidex prune`: lists old sessions; compresses them, or moves them to the trash. */
export const run = indexCommand(async (io, index, words, flags: PruneFlags) => {
  const action = flags.compress ? "compress" : flags.trash ? "trash" : undefined;
  if (flags.configured && words.length > 0) {
    const hint = "--configured selects sessions by the settings. Pass --compress or --trash for these.";
    throw new PidexError("BAD_OPTION", "--configured cannot be used with sessions", hint);
  }
  const options = await toOptions(index, words, flags);
  if (action && !hasCriteria(words, flags)) {
    const hint = "Select sessions, for example with --older-than 180d, or name them.";
    const what = action === "trash" ? "move all sessions to the trash" : "compress all sessions";
    throw new PidexError("BAD_OPTION", `refusing to ${what}`, hint);
  }
  const plan = flags.configured
    ? await planConfigured(index, readPruneSettings())
    : await review(index, options, action);
  const isReview = (!action && !flags.configured) || flags.dryRun === true;
  if (isReview || (plan.sessions.length === 0 && !flags.yes)) {
    await printReview(io, plan, flags);
    return EXIT.done;
  }
  if (!flags.yes && !(await confirm(io, plan, flags))) {
    printNotice(io, "nothing was changed");
    return EXIT.failed;
  }
  const settled =
    words.length > 0 ? new Set() : await settleInterrupted(index, ({ message }) => printNotice(io, message));
  const sessions = (plan.sessions as PlannedSession[]).map((each) => {
    const { path } = each.session;
    return settled.has(path) ? { ...each, bytes: statSessionFiles(path)?.bytes ?? 0 } : each;
  });
  return prune(io, index, sessions, plan.kept, flags);
});

async function toOptions(index: Index, words: readonly string[], flags: PruneFlags): Promise<PruneOptions> {
  const { olderThan, largerThan, neverResumed, duplicates, contents, here, project, subagents } = flags;
  if (olderThan !== undefined && parseMoment(olderThan) === undefined) {
    throw new PidexError("BAD_OPTION", `--older-than: "${olderThan}" is not an age`, MOMENT_HINT);
  }
  const bytes = largerThan === undefined ? undefined : parseByteSize(largerThan);
  if (largerThan !== undefined && bytes === undefined) {
    throw new PidexError(
      "BAD_OPTION",
      `--larger-than: "${largerThan}" is not a size`,
      "Write a size such as 10MB.",
    );
  }
  const named = await findSessions(index, words);
  return {
    ...{
      cwd: here ? "." : flags.cwd,
      project,
      olderThan,
      largerThan: bytes,
      neverResumed,
      duplicates,
      contents,
    },
    subagents: words.length > 0 ? "yes" : subagents,
    paths: words.length > 0 ? named.map(({ path }) => path) : undefined,
  };
}

function hasCriteria(words: readonly string[], flags: PruneFlags): boolean {
  const { olderThan, largerThan, neverResumed, duplicates, here, cwd, project } = flags;
  return (
    words.length > 0 || [olderThan, largerThan, neverResumed, duplicates, here, cwd, project].some(Boolean)
  );
}

async function review(index: Index, options: PruneOptions, action: PruneAction | undefined): Promise<Plan> {
  const { sessions, kept } = await index.prunable({
    ...options,
    ...(action === "compress" && { compressed: false }),
  });
  if (!action) return { sessions, kept };
  if (action === "trash") {
    const plan = await planTrash(index, sessions, options.paths !== undefined);
    return { ...plan, kept: [...kept, ...plan.kept] };
  }
  const isPulled = ({ session }: PrunableSession) => findPulledAgent(session.path, process.env) !== undefined;
  return {
    sessions: sessions.filter((each) => !isPulled(each)).map((each) => ({ ...each, action })),
    kept: [
      ...kept,
      ...sessions.filter(isPulled).map(({ session }) => ({ session, reason: "pulled" as const })),
    ],
  };
}

async function confirm(io: Io, plan: Plan, flags: PruneFlags): Promise<boolean> {
  if (!io.ask) {
    const hint = "Pass --yes to skip the prompt, or --dry-run to preview.";
    throw new PidexError("BAD_OPTION", "refusing to change sessions without confirmation", hint);
  }
  await printReview(io, plan, { ...flags, json: false, ndjson: false });
  const count = (action: PruneAction) => plan.sessions.filter((each) => each.action === action).length;
  const parts = [
    ...(count("compress") > 0 ? [`compress ${formatCount(count("compress"), "session")}`] : []),
    ...(count("trash") > 0 ? [`move ${formatCount(count("trash"), "session")} to the trash`] : []),
  ].join(" and ");
  const question = `${parts.charAt(0).toUpperCase()}${parts.slice(1)}?`;
  return /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim());
}

async function prune(
  io: Io,
  index: Index,
  sessions: readonly PlannedSession[],
  kept: readonly KeptSession[],
  flags: PruneFlags,
): Promise<number> {
  const done: PrunedSession[] = [];
  try {
    for (const each of sessions) {
      const result = await pruneSession(index, each);
      done.push(result);
      if (flags.ndjson) await writeJsonLines(io, [result satisfies Pruned]);
      else if (!flags.json) await printResult(io, result, each);
    }
  } finally {
    await syncAfterWrite(io, index, flags);
  }
  const freed = done.reduce((sum, each) => sum + each.freed, 0);
  if (flags.json)
    await writeJson(io, {
      dryRun: false,
      freed,
      pruned: done satisfies Pruned[],
      kept: kept.map(toKeptJson),
    });
  else if (io.isTerminal && !flags.ndjson) {
    const isTrashed = done.some(({ action }) => action === "trashed");
    io.err(
      `${formatBytes(freed)} freed${isTrashed ? " when the trash is emptied" : ""}\n${describeKept(kept)}`,
    );
  }
  return done.some(({ action }) => action === "failed") ? EXIT.failed : EXIT.done;
}

async function printResult(io: Io, result: PrunedSession, { session, bytes }: PlannedSession): Promise<void> {
  const { path, action, freed, message, hint, trashPath } = result;
  const isDone = action === "compressed" || action === "trashed";
  if (!isDone) printNotice(io, [`${action}: ${message}`, hint].filter(Boolean).join(". "));
  if (!io.isTerminal) return void (await io.out(formatRow([path, action, freed, trashPath])));
  if (!isDone) return;
  const verb = action === "compressed" ? "Compressed" : "Moved to the trash:";
  const sizes =
    action === "compressed" ? `${formatBytes(bytes)} → ${formatBytes(bytes - freed)}` : formatBytes(freed);
  await io.out(`${verb} "${toOneLine(getSessionTitle(session))}" (${sizes})\n`);
}

const COLUMNS: readonly Column[] = [
  { heading: "ID", style: "dim" },
  { heading: "SIZE", align: "right" },
  { heading: "MODIFIED", omitOrder: 3 },
  { heading: "PROJECT", omitOrder: 2 },
  { heading: "REASON", comfortableWidth: 20, omitOrder: 1 },
  { heading: "TITLE", shrinksFirst: true },
];
const CONTENT_COLUMNS: readonly Column[] = [
  { heading: "IMAGES", align: "right" },
  { heading: "OUTPUTS", align: "right" },
];

async function printReview(io: Io, { sessions, kept }: Plan, flags: PruneFlags): Promise<void> {
  const bytes = sessions.reduce((sum, each) => sum + getBytes(each), 0);
  if (flags.json) {
    return void (await writeJson(io, {
      dryRun: true,
      bytes,
      sessions: sessions.map(toJson),
      kept: kept.map(toKeptJson),
    }));
  }
  if (flags.ndjson) return void (await writeJsonLines(io, sessions.map(toJson)));
  if (!io.isTerminal) {
    const rows = sessions.map((each) => {
      const { session, reasons, contents } = each;
      const { path, id, modified } = session;
      return formatRow([
        id,
        getBytes(each),
        modified.toISOString(),
        path,
        reasons.join(", "),
        toOneLine(getSessionTitle(session)),
        ...(contents ? [contents.images, contents.toolOutputs] : []),
      ]);
    });
    await io.out(rows.join(""));
  } else if (sessions.length > 0) {
    const columns = flags.contents
      ? [...COLUMNS.slice(0, 2), ...CONTENT_COLUMNS, ...COLUMNS.slice(2)]
      : COLUMNS;
    await withPager(io, flags, async (paged) =>
      paged.out(
        formatTable(
          paged,
          columns,
          sessions.map((each) => toRow(each, flags)),
        ),
      ),
    );
  }
  const count = formatCount(sessions.length, "session");
  const what =
    sessions.length === 0
      ? flags.compress
        ? "no sessions to compress"
        : "no sessions match"
      : flags.compress && flags.dryRun
        ? `would compress ${count}, ${formatBytes(bytes)}`
        : flags.trash && flags.dryRun
          ? `would move ${count} to the trash, ${formatBytes(bytes)}`
          : `${count}, ${formatBytes(bytes)}`;
  io.err(`${what}\n${describeKept(kept)}`);
}

function toRow(
  { session, bytes, alongBytes = 0, compressed, reasons, action, contents }: Plan["sessions"][number],
  flags: PruneFlags,
): string[] {
  const why = [
    ...(flags.configured && action ? [action] : []),
    ...reasons,
    ...(compressed ? ["compressed"] : []),
  ];
  const parts = flags.contents
    ? [formatBytes(contents?.images ?? 0), formatBytes(contents?.toolOutputs ?? 0)]
    : [];
  return [
    ...[shortId(session.id), formatBytes(bytes + alongBytes), ...parts, formatRelativeTime(session.modified)],
    ...[getProjectName(session), why.join(", "), getSessionTitle(session)],
  ];
}

/** Bytes on disk, with those of the sessions that go to the trash with it. */
const getBytes = ({ bytes, alongBytes = 0 }: Plan["sessions"][number]): number => bytes + alongBytes;

function toJson({
  session,
  alongBytes = 0,
  ...each
}: Plan["sessions"][number]): Prunable & { action?: PruneAction } {
  const { id: sessionId, path, modified } = session;
  return {
    sessionId,
    path,
    title: toOneLine(getSessionTitle(session)),
    modified: modified.toISOString(),
    ...each,
    bytes: each.bytes + alongBytes,
  };
}

function toKeptJson({ session, reason }: KeptSession): { sessionId: string; path: string; reason: string } {
  return { sessionId: session.id, path: session.path, reason };
}

const KEPT: Partial<Record<KeptSession["reason"], string>> = {
  active: "written in the last minute",
  pulled: "pulled from another machine",
  subagents: "with subagents' sessions",
};

/** `kept: 3 pinned, 1 tagged`, with a newline; empty if none were kept. */
function describeKept(kept: readonly KeptSession[]): string {
  if (kept.length === 0) return "";
  const counts = Map.groupBy(kept, ({ reason }) => reason);
  const parts = [...counts].map(([reason, { length }]) => `${length} ${KEPT[reason] ?? reason}`);
  return `kept: ${parts.join(", ")} (name a session to include it)\n`;
}
