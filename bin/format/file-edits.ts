/** The files that tool calls changed, with the lines added and removed in each. */
import { isPatch, PATCH_FILE_LINE } from "../../src/session/edit-arguments.ts";
import { extractEdit } from "./edits.ts";
import { toOneLine } from "./safe.ts";
import { relativeTo } from "./tool-call.ts";
import { toTranscript } from "./transcript.ts";

type Entry = Parameters<typeof toTranscript>[0];

/** A change of a file by a call, safe for display. */
export interface FileEdit {
  /** Relative to the session's folder, if that contains it. */
  path: string;
  added: number;
  removed: number;
  /** The position of the call among the parts of its message, from 0. */
  part: number;
}

/** The changes that one message made. */
export interface MessageEdits {
  line: number;
  edits: FileEdit[];
}

const MAX_PATH_LENGTH = 1000;

/**
 * The changes of each message that made some, without those of failed calls and of calls without a result.
 *
 * @param entries messages, each before the results of its calls
 * @param folder the session's folder
 */
export async function listFileEdits(
  entries: AsyncIterable<{ entry: Entry; line: number }>,
  folder: string | undefined,
): Promise<MessageEdits[]> {
  const messages: MessageEdits[] = [];
  let pending = new Map<string, FileEdit[]>();
  for await (const { entry, line } of entries) {
    const { kind, parts } = toTranscript(entry);
    if (kind === "assistant") {
      messages.push({ line, edits: [] });
      pending = new Map();
    }
    for (const [position, part] of parts.entries()) {
      if (part.kind === "call" && part.id !== undefined) {
        const edits = editsOf(part.name, part.arguments, folder);
        pending.set(
          part.id,
          edits.map((edit) => ({ ...edit, part: position })),
        );
      } else if (part.kind === "result" && part.callId !== undefined && !part.isError) {
        messages.at(-1)?.edits.push(...(pending.get(part.callId) ?? []));
        pending.delete(part.callId);
      }
    }
  }
  return messages.filter(({ edits }) => edits.length > 0);
}

function editsOf(
  name: string | undefined,
  args: Record<string, unknown>,
  folder: string | undefined,
): Omit<FileEdit, "part">[] {
  const edit = extractEdit(name, args);
  if (!edit) return [];
  const toShown = (path: string) =>
    toOneLine(
      relativeTo(folder, path)
        .replace(/^(?:\.\/)+/, "")
        .slice(0, MAX_PATH_LENGTH),
    );
  const isOfPatch = edit.coveredArguments.has("patch") && isPatch(edit.lines.join("\n"));
  const files = isOfPatch ? splitPatch(edit.lines) : [];
  if (files.length > 1 || edit.about === "")
    return files.map((file) => ({ ...file, path: toShown(file.path) }));
  return [{ path: toShown(edit.about), added: edit.added, removed: edit.removed }];
}

/** What a patch does to each of its files. */
function splitPatch(lines: readonly string[]): Omit<FileEdit, "part">[] {
  const files: Omit<FileEdit, "part">[] = [];
  let before = "";
  for (const line of lines) {
    const named = PATCH_FILE_LINE.exec(line)?.[1];
    const file = files.at(-1);
    if (named !== undefined) {
      const path = named === "/dev/null" ? before : named; // a deleted file
      files.push({ path: path.trim(), added: 0, removed: 0 });
    } else if (/^--- /.test(line)) before = line.replace(/^--- (?:a\/)?/, "");
    else if (file && line.startsWith("+")) file.added++;
    else if (file && line.startsWith("-")) file.removed++;
  }
  return files;
}
