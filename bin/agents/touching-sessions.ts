import type { FilesOptions, FileTouch } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { TouchAnswer } from "./answers.ts";
import { formatShortCitation } from "./citations.ts";
import { fitToBudget } from "./fit-to-budget.ts";
import {
  formatSessionLine,
  joinLines,
  toBriefSession,
  toSafeName,
  toSafePath,
  toTimestamp,
} from "./format-session.ts";
import type { Params, TouchParams } from "./params.ts";

/** Tokens reserved for everything but the sessions. */
const RESERVED_TOKENS = 80;
/** Maximum number of touches per session, newest first. Lower if one session with as many would exceed the budget. */
const MAX_TOUCHES = 4;
const TOKENS_PER_TOUCH = 200;

/** Returns the sessions that read, wrote or edited a file, most recent touch first. */
export async function findTouchingSessions(
  { file, max_tokens, limit, ...filters }: Params<typeof TouchParams>,
  { index, except, redactor }: RequestContext,
): Promise<Answer<TouchAnswer>> {
  const touches = Math.min(MAX_TOUCHES, Math.floor(max_tokens / TOKENS_PER_TOUCH));
  const { items, total, next } = await fitToBudget(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const { sessions, ...list } = await index.files(file, {
      ...filters,
      except,
      touches,
      limit,
    } as FilesOptions);
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
  const text =
    items.length === 0
      ? `No session touched ${toOneLine(file)}. A pattern is a path, the end of one (tax.ts), a folder (src/) or a glob (*.py).`
      : joinLines(
          `${formatCount(total, "session")} touched ${toOneLine(file)}, most recent first.`,
          ...items.map(({ text }, n) => `\n${n + 1}. ${text}`),
        );
  return { text, data: { sessions: items.map(({ data }) => data), total, next } };
}

function toTouch(
  { path, action, entryId, line, tool, timestamp: written, failed }: FileTouch,
  redactor: Redactor | undefined,
): TouchAnswer["sessions"][number]["touches"][number] {
  return {
    ...{ path: toSafePath(path, redactor), action, entryId, line, failed },
    tool: tool === undefined ? undefined : toSafeName(tool, redactor),
    timestamp: toTimestamp(written),
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
