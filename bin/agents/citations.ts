/** Citations of sessions and entries, and how agents pass them back. */
import { type EntryId, type IndexQueries, PidexError } from "../../library/index.ts";
import { LINE_HASH_PATTERN } from "../../library/internal.ts";
import { toField } from "../format/safe.ts";
import type { RequestContext } from "./answer.ts";

/** The citation of an entry: `path:line#entry`. */
export function formatCitation(path: string, line: number, entryId: EntryId | null): string {
  return `${toField(path)}${formatShortCitation(line, entryId)}`;
}

/** The citation of an entry without the path of its session: `:line#entry`, and with a hash of the line `:line#entry~hash`. */
export function formatShortCitation(line: number, entryId: EntryId | null, hash?: string): string {
  const entry = entryId === null ? "" : `#${toField(String(entryId))}`;
  return `:${line}${entry}${hash === undefined ? "" : `~${hash}`}`;
}

/** A parsed reference to a session or an entry. */
export interface EntryReference {
  /** As `Index.find` takes it. */
  session: string;
  entry?: string;
  line?: number;
  /** The hash that the line had when it was cited. */
  hash?: string;
}

const URI_PATTERN = /^pidex:\/\/session\/([^/]+)(?:\/entry\/([^/]+))?$/;
const CITATION_PATTERN = new RegExp(`^(.*\\.jsonl):(\\d{1,9})(?:#(.+?))?(?:~(${LINE_HASH_PATTERN}))?$`, "s");
const ID_PAIR_PATTERN = /^([^#\s]+)#([^#\s]+)$/;

/** Parses a path, an id, a citation or a `pidex:` URI. */
export function parseReference(text: string): EntryReference {
  const uri = URI_PATTERN.exec(text);
  if (uri)
    return { session: decodeUriPart(uri[1]), ...(uri[2] !== undefined && { entry: decodeUriPart(uri[2]) }) };
  const cited = CITATION_PATTERN.exec(text);
  if (cited) {
    const [, session = "", line, entry, hash] = cited;
    return {
      ...{ session, line: Number(line) },
      ...(entry !== undefined && { entry }),
      ...(hash !== undefined && { hash }),
    };
  }
  const named = text.endsWith(".jsonl") ? undefined : ID_PAIR_PATTERN.exec(text);
  if (named) return { session: named[1] as string, entry: named[2] as string };
  return { session: text };
}

function decodeUriPart(part = ""): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new PidexError(
      "BAD_OPTION",
      `"${part}" is not valid in a URI`,
      "Use pidex://session/ID or pidex://session/ID/entry/ID, with special characters percent-encoded.",
      { cause },
    );
  }
}

/** The resource URI of a session, or of an entry in it. */
export function toResourceUri(sessionId: string, entryId?: EntryId): string {
  const session = `pidex://session/${encodeURIComponent(sessionId)}`;
  return entryId === undefined ? session : `${session}/entry/${encodeURIComponent(String(entryId))}`;
}

/**
 * Finds the session a reference means. A citation may contain a prefix of its id.
 *
 * @throws as `Index.find`
 */
export async function resolveReference(text: string, context: RequestContext) {
  const place = parseReference(text);
  return { place, session: await context.index.find(await resolveSessionName(text, context)) };
}

/** The session of a reference, as `Index.find` takes it. For an agent, `@last` is the newest session other than its own. */
export async function resolveSessionName(text: string, { index, except }: RequestContext): Promise<string> {
  const { session } = parseReference(text);
  if (session !== "@last" || !except) return session;
  const { sessions } = await index.listAll({ limit: 1, except });
  return sessions[0]?.path ?? session;
}

/**
 * Checks that the cited line still is what it was. Lines that were appended since don't matter.
 *
 * @throws PidexError `CITATION_CHANGED` if the line has other bytes, or is gone; and as `Index.entries`
 */
export async function assertUnchanged(
  index: IndexQueries,
  path: string,
  { line, hash }: EntryReference,
): Promise<void> {
  if (hash === undefined || line === undefined) return;
  const [located] = await Array.fromAsync(index.entries(path, { branch: { lines: [line] }, hash: true }));
  if (located?.hash === hash) return;
  throw new PidexError(
    "CITATION_CHANGED",
    located
      ? `line ${line} of ${path} is not the cited one: its hash is ${located.hash}, the citation has ${hash}`
      : `line ${line} of ${path}, which is cited, has no entry`,
    `The session was rewritten after it was cited. Search for it again, or read what the line says now with ${path}:${line}, without the hash.`,
  );
}
