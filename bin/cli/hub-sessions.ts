/** `pidex hub forget`, `retention` and `audit`. */
import { z } from "zod";
import {
  auditRow,
  forgetSessionsAnswer,
  retention as retentionRow,
  type ShelfName,
} from "../../library/hub/protocol.ts";
import { PidexError } from "../../library/index.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { formatDateTime, formatRelativeTime } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { confirm, openClient, readMoment, writeList } from "./hub-client.ts";
import type { Io } from "./io.ts";
import { EXIT, printNotice, withIndex } from "./run.ts";

export async function forget(io: Io, sessions: string[], flags: Flags<"hub forget">): Promise<number> {
  if (flags.undo) return undo(io, sessions, flags);
  const { client } = openClient();
  const request = (dryRun: boolean, chosen: readonly string[]) => {
    const body = { sessions: chosen, dryRun };
    return client.json("POST", "v1/forget-sessions", forgetSessionsAnswer, { body });
  };
  let { files } = await request(true, sessions);
  if (!flags.dryRun) {
    if (!flags.yes) {
      for (const { title, path, messages, modified } of io.ask ? files : []) {
        const about = `${formatRelativeTime(new Date(modified))} · ${formatCount(messages, "message")} · ${toOneLine(path)}`;
        io.err(`${toOneLine(title ?? "(no messages)")}  ${io.style("dim", about)}\n`);
      }
      const what = files.length === 1 ? "this session" : `these ${formatCount(files.length, "session")}`;
      const question = `Delete ${what} from the hub, and stop pushing ${files.length === 1 ? "it" : "them"}?`;
      if (!(await confirm(io, question, "delete sessions"))) {
        printNotice(io, "no sessions were deleted");
        return EXIT.failed;
      }
    }
    // By path, so that only what was shown is deleted.
    ({ files } = await request(
      false,
      files.map(({ path }) => path),
    ));
  }
  await writeList(io, flags, {
    name: flags.dryRun ? "wouldForget" : "forgotten",
    items: files,
    columns: [
      { heading: flags.dryRun ? "WOULD BE DELETED" : "DELETED", shrinksFirst: true },
      { heading: "PATH" },
    ],
    toCells: ({ title, path }) => [toOneLine(title ?? "(no messages)"), toOneLine(path)],
    empty: "No sessions",
  });
  return EXIT.done;
}

/** `pidex hub forget --undo` */
function undo(io: Io, sessions: string[], flags: Flags<"hub forget">): Promise<number> {
  return withIndex(io, { ...flags, sync: true }, async (index) => {
    const { undoForget } = await import("../../library/hub/push/undo-forget.ts");
    const undone = (await undoForget(index, sessions)).map(({ id, path }) => ({ sessionId: id, path }));
    await writeList(io, flags, {
      name: "undone",
      items: undone,
      columns: [{ heading: "PUSHED AGAIN" }, { heading: "PATH", shrinksFirst: true }],
      toCells: ({ sessionId, path }) => [toOneLine(sessionId), toOneLine(path ?? "")],
      empty: "No sessions",
    });
    return EXIT.done;
  });
}

const MINE = "mine";

export async function retention(
  io: Io,
  [project, days]: string[],
  flags: Flags<"hub retention">,
): Promise<number> {
  const { client } = openClient();
  if (days !== undefined && project !== undefined) {
    const shelf: ShelfName = project === MINE ? MINE : { project };
    const number = parseDays(days);
    const sessions = project === MINE ? "your private sessions" : `sessions of ${toOneLine(project)}`;
    const question = `Delete ${sessions} from the hub ${number} days after their last message, from now on?`;
    if (number !== null && !flags.yes && !(await confirm(io, question, "delete sessions"))) {
      printNotice(io, "nothing was changed");
      return EXIT.failed;
    }
    await client.request("PUT", "v1/retention", { body: { shelf, days: number } });
  }
  const answer = await client.json("GET", "v1/retention", z.object({ retention: z.array(retentionRow) }));
  const toName = (shelf: ShelfName) => (shelf === MINE ? MINE : shelf.project);
  await writeList(io, flags, {
    name: "retention",
    items: answer.retention.filter(({ shelf }) => project === undefined || toName(shelf) === project),
    columns: [
      { heading: "PROJECT", shrinksFirst: true },
      { heading: "DAYS", align: "right" },
    ],
    toCells: ({ shelf, days: kept }) => [toOneLine(toName(shelf)), String(kept)],
    empty: "Sessions are kept",
  });
  return EXIT.done;
}

function parseDays(text: string): number | null {
  if (text === "off") return null;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new PidexError(
    "BAD_OPTION",
    `${JSON.stringify(text)} is not a number of days`,
    "Pass a number such as 90, or off.",
  );
}

export async function audit(io: Io, _: string[], flags: Flags<"hub audit">): Promise<void> {
  const { client } = openClient();
  const selection = { since: readMoment("since", flags.since), until: readMoment("until", flags.until) };
  const query = new URLSearchParams({ limit: String(flags.limit) });
  for (const [name, value] of Object.entries(selection))
    if (value !== undefined) query.set(name, String(value));
  const answer = await client.json("GET", `v1/audit?${query}`, z.object({ rows: z.array(auditRow) }));
  await writeList(io, flags, {
    name: "rows",
    items: answer.rows,
    columns: [
      { heading: "TIME" },
      { heading: "MEMBER" },
      { heading: "MACHINE", omitOrder: 1 },
      { heading: "ACTION" },
      { heading: "TARGET", shrinksFirst: true },
    ],
    toCells: ({ time, person, machine, action, target }) => [
      formatDateTime(new Date(time)),
      ...[person, machine, action, target].map(toOneLine),
    ],
    empty: "No rows",
  });
}
