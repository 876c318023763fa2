/** One session: what it is, its tree, its entries, the pictures in them. */
import { Hono } from "hono";
import { z } from "zod";
import { type ForkPlace, type Index, PidexError, type PlacedEntry } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { findInSession, MAX_SESSION_HITS } from "../../../actions/find-sessions.ts";
import { preview } from "../../../format/preview.ts";
import type {
  CandidatesAnswer,
  EntriesAnswer,
  HitsAnswer,
  OutlineAnswer,
  PlacedEntryJson,
  PreviewsAnswer,
} from "../../api/session-answers.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { AskedNumber, AskedText, asked, optionalTexts } from "../asked.ts";
import { imageIn } from "../image.ts";
import { outlineColumns } from "../outline-columns.ts";
import { aboutSession } from "../session-about.ts";
import { shortened } from "../shortened.ts";

/** Entries that are told at once. */
const MOST_LINES = 500;
/** How long the words about an entry are at most, in characters. */
const MOST_PREVIEW = 90;
/** Forks whose place is told; how many there are, the session itself tells. */
const MOST_FORKS = 30;

/** Lines of a file: `3,4,9-20`. */
const Lines = AskedText.regex(
  /^\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*$/,
  "are no lines such as 3,4,9-20",
).transform((text, context) => {
  const lines: number[] = [];
  for (const part of text.split(",")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let line = first; line <= last && lines.length <= MOST_LINES; line++) lines.push(line);
  }
  if (lines.length <= MOST_LINES) return lines;
  context.addIssue({ code: "custom", message: `are more than ${MOST_LINES}` });
  return z.NEVER;
});

const session = AskedText.min(1);
const One = z.strictObject({ session });
const Outlined = z.strictObject({
  session,
  from: AskedNumber.optional(),
  ...optionalTexts("mark", "at", "leaf"),
});
const Placed = z.strictObject({ session, lines: Lines });
const Pictured = z.strictObject({ session, line: AskedNumber, block: AskedNumber });
const Looked = z.strictObject({ session, query: AskedText });

export function sessionRoutes(index: Index, { searching }: Hosts): Hono {
  const routes = new Hono();
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/session", async (context) => {
    const { session } = asked(One, context.req.url);
    return context.json({ schema, ...(await aboutSession(index, session)) });
  });

  routes.get("/candidates", async (context) => {
    const { session } = asked(One, context.req.url);
    const { sessions } = await index.listAll({ archived: "yes", subagents: "yes" });
    const exact = sessions.filter(({ id }) => id === session);
    const meant = exact.length > 0 ? exact : sessions.filter(({ id }) => id.startsWith(session));
    return context.json({ sessions: meant.slice(0, 100) } satisfies Told<CandidatesAnswer>);
  });

  routes.get("/forks", async (context) => {
    const { session } = asked(One, context.req.url);
    const { parent, forks } = await index.forks(session, { limit: MOST_FORKS });
    return context.json({ ...(parent && { parent: forkLink(parent) }), forks: forks.map(forkLink) });
  });

  routes.get("/outline", async (context) => {
    const { session, ...rest } = asked(Outlined, context.req.url);
    return context.json<OutlineAnswer>(outlineColumns(await index.outline(session), rest));
  });

  routes.get("/entries", async (context) => {
    const { session, lines } = asked(Placed, context.req.url);
    const entries: PlacedEntryJson[] = [];
    for await (const { entry, ...place } of read(index, session, lines))
      entries.push({ ...place, entry: shortened(entry) as PlacedEntryJson["entry"] });
    return context.json<EntriesAnswer>({ entries });
  });

  routes.get("/previews", async (context) => {
    const { session, lines } = asked(Placed, context.req.url);
    const previews: PreviewsAnswer["previews"] = [];
    for await (const { entry, line } of read(index, session, lines))
      previews.push({ line, text: preview(entry, MOST_PREVIEW) });
    return context.json<PreviewsAnswer>({ previews });
  });

  routes.get("/hits", async (context) => {
    const { session, query } = asked(Looked, context.req.url);
    const { path } = await index.find(session);
    return context.json<HitsAnswer>({ lines: await linesWith(index, searching, path, query) });
  });

  routes.get("/image", async (context) => {
    const { session, line, block } = asked(Pictured, context.req.url);
    const [placed] = await Array.fromAsync(read(index, session, [line]));
    const image = placed && imageIn(placed.entry, block);
    const message = "there is no picture that could be shown";
    if (!image) throw new PidexError("NOT_FOUND", message, "Look at the entry itself.");
    context.header("Content-Type", image.type);
    context.header("Content-Disposition", "inline");
    context.header("Content-Security-Policy", "default-src 'none'; sandbox");
    return context.body(image.bytes);
  });

  return routes;
}

/** A fork and its place, with as much of the session as a link needs. */
function forkLink({ session, line, lineThere }: ForkPlace) {
  const { path, id, cwd, modified, messageCount, name, firstMessage } = session;
  return { session: { path, id, cwd, modified, messageCount, name, firstMessage }, line, lineThere };
}

/** The entries on some lines. */
function read(index: Index, session: string, lines: number[]): AsyncGenerator<PlacedEntry> {
  return index.entries(session, { branch: { lines } });
}

/** The lines of a session that hold what is looked for, as the page looks for it while it is typed. */
async function linesWith(
  index: Index,
  searching: Hosts["searching"],
  path: string,
  text: string,
): Promise<number[]> {
  const hits = await findInSession(index, { path, query: text }, { subagents: "yes" }, async (query) => {
    const options = { subagents: "yes", limit: 1, hits: MAX_SESSION_HITS } as const;
    const { sessions } = await searching.call("search", query, options);
    return sessions.flatMap((session) => session.hits);
  });
  return [...new Set(hits.map(({ line }) => line))];
}

/** An answer before it went through JSON: its lists of sessions have Dates yet. */
type Told<T> = { [Key in keyof T]: Key extends "sessions" ? readonly object[] : T[Key] };
