import type { z } from "zod";
import type { FilesOptions, FileTouch, Index } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import type { Answer } from "./answer.ts";
import type { TouchAnswer } from "./answers.ts";
import { formatShortCitation } from "./citations.ts";
import { excludeCurrentSession } from "./current-session.ts";
import { fitToBudget } from "./fit-to-budget.ts";
import {
  formatSessionLine,
  joinLines,
  toBriefSession,
  toSafeName,
  toSafePath,
  toTimestamp,
} from "./format-session.ts";
import type { TouchParams } from "./params.ts";
import type { RequestContext } from "./request-context.ts";

/** Tokens reserved for everything but the sessions. */
const RESERVED_TOKENS = 80;
/** Maximum number of touches per session, newest first. Lower if one session with as many would exceed the budget. */
const MAX_TOUCHES = 4;
const TOKENS_PER_TOUCH = 200;

/** Returns the sessions that read, wrote or edited a file, most recent touch first. */
export async function findTouchingSessions(
  index: Index,
  params: z.output<typeof TouchParams>,
  { currentSession, redactor }: RequestContext,
): Promise<Answer<TouchAnswer>> {
  const { file, include_current_session, redact: _, max_tokens, limit, ...rest } = params;
  const touches = Math.min(MAX_TOUCHES, Math.floor(max_tokens / TOKENS_PER_TOUCH));
  const options = {
    ...rest,
    ...(include_current_session ? {} : excludeCurrentSession(currentSession)),
    touches,
  };
  const { items, total, next } = await fitToBudget(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const { sessions, ...list } = await index.files(file, { ...options, limit } as FilesOptions);
    const items = sessions.map(({ session, touches, touchCount }) => {
      const data = {
        session: toBriefSession(session, redactor),
        touches: touches.map((touch) => toTouch(touch, redactor)),
        touchCount,
      };
      return { data, text: formatSession(data) };
    });
    return { items, ...list };
  });
  const data: TouchAnswer = {
    sessions: items.map(({ data }) => data),
    total,
    ...(next !== undefined && { next }),
  };
  const text =
    items.length === 0
      ? `No session touched ${toOneLine(file)}. A pattern is a path, the end of one (tax.ts), a folder (src/) or a glob (*.py).`
      : joinLines(
          `${formatCount(total, "session")} touched ${toOneLine(file)}, most recent first.`,
          ...items.map(({ text }, n) => `\n${n + 1}. ${text}`),
          next !== undefined && `\nMore: cursor ${next}`,
        );
  return { text, data };
}

function toTouch(
  { path, action, entryId, line, tool, timestamp: written, failed }: FileTouch,
  redactor: Redactor | undefined,
): TouchAnswer["sessions"][number]["touches"][number] {
  const timestamp = toTimestamp(written);
  return {
    ...{ path: toSafePath(path, redactor), action, entryId, line },
    ...(tool !== undefined && { tool: toSafeName(tool, redactor) }),
    ...(timestamp !== undefined && { timestamp }),
    ...(failed !== undefined && { failed }),
  };
}

function formatSession({ session, touches, touchCount }: TouchAnswer["sessions"][number]): string {
  const more = touchCount - touches.length;
  return joinLines(
    formatSessionLine(session),
    ...touches.map(({ path, action, line, entryId, tool, timestamp, failed }, n) => {
      const by = tool === undefined ? "" : ` by ${tool}`;
      const when = timestamp === undefined ? "" : ` ${formatDateTime(new Date(timestamp))}`;
      const place = `${n === 0 ? toField(session.path) : ""}${formatShortCitation(line, entryId)}`;
      return `${place} ${action} ${toField(path)}${by}${failed ? " (failed)" : ""}${when}`;
    }),
    more > 0 && `and ${formatCount(more, "earlier touch", "earlier touches")}`,
  );
}
