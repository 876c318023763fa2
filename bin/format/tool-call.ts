import { toSafeJson } from "./json-text.ts";
import { toOneLine } from "./safe.ts";

/** A tool call's main argument on one line. */
export interface MainArgument {
  /** Safe for a terminal, cut at 1,000 characters. */
  text: string;
  /** Whether it is a path: the end says most, so narrow displays cut the start. */
  isPath: boolean;
}

/** @param folder the session's folder; paths below it are relative to it */
export function getMainArgument(
  args: Record<string, unknown> | null | undefined,
  folder: string | undefined,
): MainArgument {
  const { command, path = args?.file_path, pattern, query, code } = args ?? {};
  const about = command ?? path ?? pattern ?? query ?? code;
  if (typeof about !== "string" && typeof args?.task === "string") {
    const { agent, task } = args;
    const text = typeof agent === "string" ? `${agent}: ${task}` : task; // of a subagent
    return { text: toOneLine(text.slice(0, 1000)), isPath: false };
  }
  if (typeof about !== "string")
    return { text: toOneLine(toSafeJson(args ?? {}).slice(0, 1000)), isPath: false };
  const isPath = about === path;
  const text = isPath ? relativeTo(folder, about) : about;
  return { text: toOneLine(text.slice(0, 1000)), isPath };
}

/** The path relative to a folder, if the folder contains it. */
export function relativeTo(folder: string | undefined, path: string): string {
  if (!folder) return path;
  const start = folder.replace(/[/\\]+$/, "");
  return path.startsWith(start) && /^[/\\]./.test(path.slice(start.length))
    ? path.slice(start.length + 1)
    : path;
}
