import {
  type Commit,
  type Commits,
  type Index,
  PidexError,
  type SessionInfo,
  type Uncommitted,
} from "../../library/index.ts";
import { formatDollars } from "../format/numbers.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { formatDateTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { indexCommand, runInterruptibly } from "./run.ts";
import { toSessionJson } from "./session-json.ts";
import { formatRow, formatTable } from "./table.ts";

type Sessions = ReadonlyMap<string, SessionInfo>;

/** `pidex commit`: shows the sessions of commits, the commits of a session, or the files with uncommitted lines of sessions. */
export const run = indexCommand(async (io, index, [named], flags: Flags<"commit">) => {
  const { session, uncommitted, limit, certain } = flags;
  if (named !== undefined && (session !== undefined || uncommitted)) {
    const option = uncommitted ? "--uncommitted" : "--session";
    throw new PidexError("BAD_OPTION", `${option} cannot be used with a commit`, "Remove one of them.");
  }
  if (uncommitted) return writeUncommitted(io, index, flags);
  // No name of a commit, branch or tag contains two dots.
  const isRange = flags.all || named?.includes("..");
  const selection = isRange ? { range: named ?? "HEAD" } : { rev: named };
  const found = await runInterruptibly("interrupted", (signal) =>
    index.commits({ ...(session === undefined ? selection : { session }), limit, certain, signal }),
  );
  const sessions = toMap(found);
  if (flags.json) await writeJson(io, { ...found, sessions: found.sessions.map(toSessionJson) });
  else if (flags.ndjson) await writeJsonLines(io, found.commits);
  else if (!io.isTerminal) await io.out(found.commits.map((commit) => forPipes(commit, sessions)).join(""));
  else {
    const [first] = found.commits;
    const isOne = !isRange && session === undefined;
    const text = isOne && first ? oneCommit(io, first, sessions) : formatCommits(io, found, sessions);
    await withPager(io, flags, async (paged) => {
      await paged.out(text);
    });
  }
});

function toMap({ sessions }: Pick<Commits, "sessions">): Sessions {
  return new Map(sessions.map((session) => [session.path, session]));
}

function forPipes({ commit, sessions: own }: Commit, sessions: Sessions): string {
  return own
    .map(({ session, lines, removed, files, confidence }) =>
      formatRow([commit, session, lines, removed, files.length, confidence, sessions.get(session)?.costUsd]),
    )
    .join("");
}

function oneCommit(io: Io, commit: Commit, sessions: Sessions): string {
  const facts = [
    toOneLine(commit.author),
    formatDateTime(new Date(commit.committed)),
    formatCount(commit.added, "added line"),
  ];
  const heading = `${io.style("bold", `${commit.commit.slice(0, 10)} ${toOneLine(commit.subject)}`)}\n${io.style("dim", facts.join(" · "))}\n\n`;
  if (commit.sessions.length === 0) return `${heading}No edits of sessions.\n`;
  const rows = commit.sessions.map(({ session, lines, removed, files, confidence }) => [
    formatInteger(lines),
    removed === 0 ? "" : formatInteger(removed),
    formatInteger(files.length),
    confidence,
    ...toSessionCells(sessions.get(session)),
  ]);
  const table = formatTable(
    io,
    [
      { heading: "LINES", align: "right", isNeverCut: true },
      { heading: "REMOVED", align: "right", isNeverCut: true, omitOrder: 2 },
      { heading: "FILES", align: "right", isNeverCut: true, omitOrder: 1 },
      { heading: "SURE", omitOrder: 3 },
      ...SESSION_COLUMNS,
    ],
    rows,
  );
  return heading + table;
}

const SESSION_COLUMNS = [
  { heading: "COST", align: "right", isNeverCut: true },
  { heading: "SESSION", isNeverCut: true },
  { heading: "TITLE", shrinksFirst: true },
] as const;

function toSessionCells(session: SessionInfo | undefined): string[] {
  if (!session) return ["", "", ""];
  return [formatDollars(session.costUsd ?? 0), shortId(session.id), getSessionTitle(session)];
}

function formatCommits(io: Io, { commits, costUsd, sessions: all }: Commits, sessions: Sessions): string {
  if (commits.length === 0) return "No commits.\n";
  const rows = commits.map(({ commit, subject, committed, sessions: own, costUsd: cost }) => [
    commit.slice(0, 10),
    formatDateTime(new Date(committed)),
    own.length === 0 ? "" : formatInteger(own.reduce((sum, { lines }) => sum + lines, 0)),
    own.flatMap(({ session }) => shortId(sessions.get(session)?.id ?? "")).join(" "),
    own.length === 0 ? "" : formatDollars(cost),
    toOneLine(subject),
  ]);
  const total = ["total", "", "", formatCount(all.length, "session"), formatDollars(costUsd), ""];
  return formatTable(
    io,
    [
      { heading: "COMMIT", isNeverCut: true },
      { heading: "DATE", isNeverCut: true, omitOrder: 2, style: "dim" },
      { heading: "LINES", align: "right", isNeverCut: true, omitOrder: 1 },
      { heading: "SESSIONS", comfortableWidth: 20 },
      { heading: "COST", align: "right", isNeverCut: true },
      { heading: "SUBJECT", shrinksFirst: true },
    ],
    [...rows, { strong: total }],
  );
}

async function writeUncommitted(io: Io, index: Index, flags: Flags<"commit">): Promise<void> {
  const found = await runInterruptibly("interrupted", (signal) =>
    index.uncommitted({ certain: flags.certain, signal }),
  );
  const sessions = toMap(found);
  if (flags.json) await writeJson(io, { ...found, sessions: found.sessions.map(toSessionJson) });
  else if (flags.ndjson) await writeJsonLines(io, found.files);
  else if (!io.isTerminal) {
    const row = ({ file, session, lines, confidence }: Uncommitted["files"][number]) =>
      formatRow([file, session, lines, confidence, sessions.get(session)?.costUsd]);
    await io.out(found.files.map(row).join(""));
  } else if (found.files.length === 0) await io.out("No uncommitted lines of sessions.\n");
  else {
    const rows = found.files.map(({ file, session, lines, confidence }) => [
      formatInteger(lines),
      toOneLine(file),
      confidence,
      ...toSessionCells(sessions.get(session)),
    ]);
    const columns = [
      { heading: "LINES", align: "right", isNeverCut: true },
      { heading: "FILE", comfortableWidth: 30 },
      { heading: "SURE", omitOrder: 1 },
      ...SESSION_COLUMNS,
    ] as const;
    await withPager(io, flags, async (paged) => {
      await paged.out(formatTable(paged, columns, rows));
    });
  }
}
