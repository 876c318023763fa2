/** Values that shells complete: from the index as it is, without updating it. */
import { existsSync } from "node:fs";
import { type IndexQueries, openHub, openIndex } from "../../library/index.ts";
import { getDatabasePath } from "../../library/internal.ts";
import { formatPreview } from "../format/preview.ts";
import { unquoteValue } from "../format/query-words.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { getProjectName } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import { treeLines } from "../format/tree-lines.ts";
import type { VALUE_KINDS } from "./common-options.ts";
import type { Io } from "./io.ts";

export type ValueKind = (typeof VALUE_KINDS)[number];

export type Shell = "bash" | "zsh" | "fish";

export interface ValuesRequest {
  kind: ValueKind;
  /** The beginning of the value. */
  prefix: string;
  /** The session of entries. */
  session: string | undefined;
}

/** A value, and a description for shells that show one. */
interface CompletionValue {
  value: string;
  about: string;
}

const MAX_SESSIONS = 200;
const MAX_ENTRIES = 100;
const MAX_TITLE_WIDTH = 60;
/** Only a hub knows machines and people. */
const OF_HUBS: readonly ValueKind[] = ["machine", "person"];
const HUB_TIMEOUT_MS = 2000;

/** Prints values, one per line, in the form that a shell's completion script reads. Prints nothing if there is no index, or on any error. */
export async function printCompletionValues(io: Io, shell: Shell, request: ValuesRequest): Promise<void> {
  const values = await readValues(request).catch(() => []);
  await io.out(values.map((each) => FORMATS[shell](each)).join(""));
}

/**
 * Values that consist of harmless characters: bash's `compgen -W` evaluates its words, and a session file from elsewhere may have the id
 * `$(rm -rf ~)`.
 */
const HARMLESS = /^@?[\p{L}\p{N}][\p{L}\p{N}._/@+-]*$/u;

const FORMATS: Readonly<Record<Shell, (each: CompletionValue) => string>> = {
  bash: ({ value }) => (HARMLESS.test(value) ? `${value}\n` : ""),
  zsh: ({ value, about }) => `${value.replace(/[\\:]/g, "\\$&")}:${about}\n`,
  fish: ({ value, about }) => `${value}\t${about}\n`,
};

async function readValues({ kind, prefix, session }: ValuesRequest): Promise<CompletionValue[]> {
  await using index = await open(kind);
  if (index === undefined) return [];
  const signal = AbortSignal.timeout(HUB_TIMEOUT_MS);
  const values =
    kind === "sessions"
      ? await listSessions(index)
      : kind === "entries"
        ? await listEntries(index, session ?? "")
        : (await index.complete(`${kind}:${prefix}`, undefined, { signal })).options.map(
            ({ text, sessions }) => ({
              value: unquoteValue(text),
              about: sessions === undefined ? "" : formatCount(sessions, "session"),
            }),
          );
  return values
    .map(({ value, about }) => ({ value: toOneLine(value), about: toOneLine(about) }))
    .filter(({ value }) => value !== "" && !value.startsWith("-"));
}

async function open(kind: ValueKind) {
  if (OF_HUBS.includes(kind)) return openHub();
  return existsSync(getDatabasePath()) ? openIndex() : undefined;
}

async function listSessions(index: IndexQueries): Promise<CompletionValue[]> {
  const sessions = await index.listSummaries({ limit: MAX_SESSIONS, archived: "yes" });
  const named = sessions.map((session) => {
    const { id, modified } = session;
    const title = truncate(getSessionTitle(session), MAX_TITLE_WIDTH);
    return { value: id, about: `${title} · ${getProjectName(session)}, ${formatRelativeTime(modified)}` };
  });
  return [{ value: "@last", about: "the most recently active session" }, ...named];
}

/** The entries that `pidex tree` shows, newest first. */
async function listEntries(index: IndexQueries, session: string): Promise<CompletionValue[]> {
  const lines = treeLines(await index.outline(session), { all: false })
    .filter(({ calls }) => calls === undefined)
    .slice(-MAX_ENTRIES)
    .reverse();
  const numbers = lines.map(({ line }) => line);
  const previews = new Map<number, string>();
  for await (const { line, entry } of index.entries(session, { branch: { lines: numbers } })) {
    previews.set(line, formatPreview(entry, MAX_TITLE_WIDTH));
  }
  return lines.map(({ id, line, label }) => ({
    value: String(id ?? ""),
    about: [label === undefined ? "" : `[${label}]`, previews.get(line)].filter(Boolean).join(" "),
  }));
}
