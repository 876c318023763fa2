import { foldTag } from "../src/session/tags.ts";
import type { FileRows, NewEntry } from "../src/store/file-rows.ts";
import type { Chunk, ReadEntry } from "./chunks.ts";
import { getModifiedTime } from "./summarize.ts";

/** Converts what was read of a file to rows. @param mtimeNs when the file was modified */
export function toFileRows(chunk: Chunk, mtimeNs: bigint): FileRows {
  const { entries, problems, models, summary, state } = chunk;
  return {
    entries: entries.map(toNewEntry),
    problems: problems.map(({ byteOffset, ...problem }) => ({ byte_offset: byteOffset, ...problem })),
    models,
    session: summary && {
      ...summary,
      modified: getModifiedTime(summary, String(mtimeNs)),
      tags: summary.tags.map((tag) => ({ tag, folded: foldTag(tag) })),
    },
    state: {
      cursor: state.offset,
      terminated: state.terminated,
      lines: state.lines,
      parsed: state.parsed,
      header: state.header,
      version: state.version,
      leaf_id: state.leafId,
    },
  };
}

function toNewEntry({ line, offset, length, extracted }: ReadEntry): NewEntry {
  const { id, parentId, type, role, timestamp, tool, isFailed, textHash, words } = extracted;
  const { toolCalls, toolResult, nestedCalls, touches, label } = extracted;
  return {
    line,
    byte_offset: offset,
    byte_length: length,
    entry_id: id,
    parent_id: parentId,
    type,
    role,
    timestamp,
    tool,
    failed: isFailed ? 1 : 0,
    text_hash: textHash,
    texts: words,
    calls: toolCalls,
    result: toolResult && {
      call: toolResult.call,
      is_error: toolResult.isError ? 1 : 0,
      duration: toolResult.duration,
    },
    nested: nestedCalls.map(({ call, name, isError, duration }) => ({
      ...{ call, name, duration },
      is_error: isError === null ? null : Number(isError),
    })),
    touches,
    label: label && { target: label.targetId, label: label.label },
  };
}
