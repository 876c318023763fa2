import { findTrashedSession } from "../actions/restore.ts";
import { toField, toOneLine } from "../format/safe.ts";
import { getTitleInSentence } from "../format/short-titles.ts";
import { changeEach, type WriteFlags } from "./change-sessions.ts";
import { unsyncedCommand } from "./run.ts";
import { listTrash } from "./trash.ts";
import type { Restored } from "./write-answers.ts";

/** `pidex restore`: moves deleted sessions back from the trash, or lists them as `pidex trash` does. */
export const run = unsyncedCommand(async (io, index, sessions, flags: WriteFlags) => {
  const { dryRun = false } = flags;
  // Listing the trash needs no sync; restored sessions are indexed afterwards.
  if (sessions.length === 0) return listTrash(io, index, flags);
  const trashed = await index.listTrashed();
  const matches = new Set(sessions.map((session) => findTrashedSession(trashed, session)));
  await changeEach(io, index, flags, {
    name: "restored",
    items: matches,
    async change({ id, trashPath }): Promise<Restored> {
      return { sessionId: id, ...(await index.restore(trashPath, { dryRun })) };
    },
    async report({ path, along }, trashed) {
      if (!io.isTerminal) return io.out([path, ...along].map((each) => `${toField(each)}\n`).join(""));
      const verb = dryRun ? "Would restore" : "Restored";
      const files = [path, ...along].map((each) => `${io.style("dim", `  ${toOneLine(each)}`)}\n`).join("");
      await io.out(`${verb} "${getTitleInSentence(trashed)}"\n${files}`);
    },
  });
});
