import { basename, resolve } from "node:path";
import { type Index, PidexError, SessionManager } from "../../library/index.ts";
import { hasCompressedFile, readSessionHeader } from "../../library/internal.ts";
import { assertWritable } from "../actions/inside-roots.ts";
import { findTrashedSession } from "../actions/restore.ts";
import { toField, toOneLine } from "../format/safe.ts";
import { getTitleInSentence } from "../format/short-titles.ts";
import { changeEach, type WriteFlags } from "./change-sessions.ts";
import { unsyncedCommand } from "./run.ts";
import { listTrash } from "./trash.ts";
import type { Restored } from "./write-answers.ts";

/** A session to restore. */
interface Restorable {
  title: string;
  restore: () => Promise<Restored>;
}

/** `pidex restore`: moves deleted sessions back from the trash and decompresses compressed ones, or lists the trash as `pidex trash` does. */
export const run = unsyncedCommand(async (io, index, sessions, flags: WriteFlags) => {
  const { dryRun = false } = flags;
  // Listing the trash needs no sync; restored sessions are indexed afterwards.
  if (sessions.length === 0) return listTrash(io, index, flags);
  const found = new Map<string, Restorable>();
  let trashed: Awaited<ReturnType<Index["listTrashed"]>> | undefined;
  for (const word of sessions) {
    const compressed = await findCompressed(index, word, dryRun);
    if (compressed) {
      found.set(compressed.path, compressed);
      continue;
    }
    trashed ??= await index.listTrashed();
    const session = findTrashedSession(trashed, word);
    found.set(session.trashPath, {
      title: getTitleInSentence(session),
      restore: async () => ({
        sessionId: session.id,
        ...(await index.restore(session.trashPath, { dryRun })),
      }),
    });
  }
  await changeEach(io, index, flags, {
    name: "restored",
    items: found.values(),
    change: ({ restore }): Promise<Restored> => restore(),
    async report({ path, along }, { title }) {
      if (!io.isTerminal) return io.out([path, ...along].map((each) => `${toField(each)}\n`).join(""));
      const verb = dryRun ? "Would restore" : "Restored";
      const files = [path, ...along].map((each) => `${io.style("dim", `  ${toOneLine(each)}`)}\n`).join("");
      await io.out(`${verb} "${title}"\n${files}`);
    },
  });
});

/** The compressed session that a word names; undefined if it names none. */
async function findCompressed(
  index: Index,
  word: string,
  dryRun: boolean,
): Promise<(Restorable & { path: string }) | undefined> {
  if (word === "@last") return undefined; // the most recently deleted
  const name = word.endsWith(".zst") ? word.slice(0, -".zst".length) : word;
  const info = await index.find(word === name ? word : resolve(name)).catch((error: unknown) => {
    if (error instanceof PidexError && ["NOT_FOUND", "AMBIGUOUS"].includes(error.code)) return undefined;
    throw error;
  });
  // A path may be that of a session which is damaged, or outside of the session folders: both are not in the index.
  const path = info?.path ?? resolve(name);
  if (!hasCompressedFile(path)) return undefined;
  return {
    path,
    title: info ? getTitleInSentence(info) : basename(path),
    async restore() {
      const within = info ? assertWritable(index, info).within : undefined;
      if (!dryRun) SessionManager.decompress(path, { within });
      return { sessionId: info?.id ?? readId(path), path, along: [] };
    },
  };
}

function readId(path: string): string {
  const id = readSessionHeader(path)?.id;
  return typeof id === "string" ? id : "";
}
