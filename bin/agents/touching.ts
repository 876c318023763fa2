import type { z } from "zod";
import type { FilesOptions, FileTouch, Index } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { counted, field, oneLine } from "../format/safe.ts";
import { dayAndTime } from "../format/times.ts";
import type { Answer } from "./answer.ts";
import type { TouchAnswer } from "./answers.ts";
import { asManyAsFit } from "./as-many-as-fit.ts";
import { exceptAsking } from "./asking.ts";
import type { Context } from "./context.ts";
import { citationIn } from "./place.ts";
import type { TouchQuestion } from "./questions.ts";
import { briefly, headingOf, lines, nameIn, pathIn, timeIn } from "./told.ts";

/** What is left for anything but the sessions themselves, in tokens. */
const AROUND = 80;
/** Touches of each session that are told, its newest; fewer where the answer has no room for one session with so many. */
const TOUCHES = 4;
const TOKENS_A_TOUCH = 200;

/** Which sessions read, wrote or edited a file, the one that did so last first. */
export async function touching(
  index: Index,
  asked: z.output<typeof TouchQuestion>,
  { asking, redactor }: Context,
): Promise<Answer<TouchAnswer>> {
  const { file, include_asking, redact: _, max_tokens, limit, ...rest } = asked;
  const touches = Math.min(TOUCHES, Math.floor(max_tokens / TOKENS_A_TOUCH));
  const options = { ...rest, ...(include_asking ? {} : exceptAsking(asking)), touches };
  const { told, total, next } = await asManyAsFit(limit, max_tokens - AROUND, async (limit) => {
    const { sessions, ...list } = await index.files(file, { ...options, limit } as FilesOptions);
    const told = sessions.map(({ session, touches, touchCount }) => {
      const data = {
        session: briefly(session, redactor),
        touches: touches.map((touch) => touchOf(touch, redactor)),
        touchCount,
      };
      return { data, text: textOf(data) };
    });
    return { told, ...list };
  });
  const data: TouchAnswer = {
    sessions: told.map(({ data }) => data),
    total,
    ...(next !== undefined && { next }),
  };
  const text =
    told.length === 0
      ? `No session touched ${oneLine(file)}. A pattern is a path, the end of one (tax.ts), a folder (src/) or a glob (*.py).`
      : lines(
          `${counted(total, "session")} touched ${oneLine(file)}, the last one first.`,
          ...told.map(({ text }, n) => `\n${n + 1}. ${text}`),
          next !== undefined && `\nMore: cursor ${next}`,
        );
  return { text, data };
}

function touchOf(
  { path, action, entryId, line, tool, timestamp: written, failed }: FileTouch,
  redactor: Redactor | undefined,
): TouchAnswer["sessions"][number]["touches"][number] {
  const timestamp = timeIn(written);
  return {
    ...{ path: pathIn(path, redactor), action, entryId, line },
    ...(tool !== undefined && { tool: nameIn(tool, redactor) }),
    ...(timestamp !== undefined && { timestamp }),
    ...(failed !== undefined && { failed }),
  };
}

function textOf({ session, touches, touchCount }: TouchAnswer["sessions"][number]): string {
  const more = touchCount - touches.length;
  return lines(
    headingOf(session),
    ...touches.map(({ path, action, line, entryId, tool, timestamp, failed }, n) => {
      const by = tool === undefined ? "" : ` by ${tool}`;
      const when = timestamp === undefined ? "" : ` ${dayAndTime(new Date(timestamp))}`;
      const place = `${n === 0 ? field(session.path) : ""}${citationIn(line, entryId)}`;
      return `${place} ${action} ${field(path)}${by}${failed ? ", which failed" : ""}${when}`;
    }),
    more > 0 && `and ${counted(more, "touch", "touches")} before`,
  );
}
