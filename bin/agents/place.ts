/** Places in sessions as they are cited, and as agents give them back. */
import { type EntryId, type Index, PidexError } from "../../library/index.ts";
import { field } from "../format/safe.ts";
import { type AskingSession, LAST, lastBefore } from "./asking.ts";

/** Where an entry is, for people and for models: `path:line#entry`. */
export function citation(path: string, line: number, entryId: EntryId | null): string {
  return `${field(path)}${citationIn(line, entryId)}`;
}

/** The same in a session that was just named: `:line#entry`. */
export function citationIn(line: number, entryId: EntryId | null): string {
  return `:${line}${entryId === null ? "" : `#${field(String(entryId))}`}`;
}

/** What somebody gave for a session, read. */
export interface GivenPlace {
  /** As `Index.find` takes it. */
  session: string;
  entry?: string;
  line?: number;
}

const URI = /^pidex:\/\/session\/([^/]+)(?:\/entry\/([^/]+))?$/;
const CITED = /^(.*\.jsonl):(\d{1,9})(?:#(.+))?$/s;
const NAMED = /^([^#\s]+)#([^#\s]+)$/;

/** Reads a path, an id, a citation or an address of ours. */
export function givenPlace(text: string): GivenPlace {
  const uri = URI.exec(text);
  if (uri) return { session: decoded(uri[1]), ...(uri[2] !== undefined && { entry: decoded(uri[2]) }) };
  const cited = CITED.exec(text);
  if (cited) {
    const [, session = "", line, entry] = cited;
    return { session, line: Number(line), ...(entry !== undefined && { entry }) };
  }
  const named = text.endsWith(".jsonl") ? undefined : NAMED.exec(text);
  if (named) return { session: named[1] as string, entry: named[2] as string };
  return { session: text };
}

function decoded(part = ""): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new PidexError(
      "BAD_OPTION",
      `"${part}" is no part of an address`,
      "Write pidex://session/ID or pidex://session/ID/entry/ID, with signs of per cent where ids have odd letters.",
      { cause },
    );
  }
}

/** The address of a session, or of an entry in it. */
export function addressOf(sessionId: string, entryId?: EntryId): string {
  const session = `pidex://session/${encodeURIComponent(sessionId)}`;
  return entryId === undefined ? session : `${session}/entry/${encodeURIComponent(String(entryId))}`;
}

/**
 * The session that somebody means. A citation may name one by what an id begins with.
 *
 * @throws as `Index.find`
 */
export async function findGiven(index: Index, text: string, asking: AskingSession) {
  const place = givenPlace(text);
  return { place, session: await index.find(await sessionGiven(index, text, asking)) };
}

/** The same, as `Index.find` takes it. */
export async function sessionGiven(index: Index, text: string, asking: AskingSession): Promise<string> {
  const { session } = givenPlace(text);
  return session === LAST ? lastBefore(index, asking) : session;
}
