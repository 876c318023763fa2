/** Routes of one session: metadata, outline, entries, previews, hits and images. */
import { Hono } from "hono";
import { z } from "zod";
import { type ForkLocation, type Index, type LocatedEntry, PidexError } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { findInSession, MAX_SESSION_HITS } from "../../../actions/find-sessions.ts";
import { formatPreview } from "../../../format/preview.ts";
import type { Reply } from "../../api/answers.ts";
import type { LocatedEntryJson } from "../../api/session-answers.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { getImage } from "../image.ts";
import { toOutlineColumns } from "../outline-columns.ts";
import { NumberParam, optionalTexts, parseQuery, TextParam } from "../params.ts";
import { getSessionAnswer } from "../session-answer.ts";
import { shortenForPage } from "../shorten-for-page.ts";

/** Maximum number of entries per request. */
const MAX_LINES = 500;
/** Maximum length of a preview, in characters. */
const MAX_PREVIEW_CHARACTERS = 90;
/** Maximum number of forks listed. The session has the total count. */
const MAX_FORKS = 30;

/** Lines of a file: `3,4,9-20`. */
const Lines = TextParam.regex(
  /^\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*$/,
  "must be line numbers such as 3,4,9-20",
).transform((text, context) => {
  const lines: number[] = [];
  for (const part of text.split(",")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let line = first; line <= last && lines.length <= MAX_LINES; line++) lines.push(line);
  }
  if (lines.length <= MAX_LINES) return lines;
  context.addIssue({ code: "custom", message: `must be at most ${MAX_LINES}` });
  return z.NEVER;
});

const session = TextParam.min(1);
const SessionQuery = z.strictObject({ session });
const OutlineQuery = z.strictObject({
  session,
  from: NumberParam.optional(),
  ...optionalTexts("mark", "at", "leaf"),
});
const LinesQuery = z.strictObject({ session, lines: Lines });
const ImageQuery = z.strictObject({ session, line: NumberParam, block: NumberParam });
const HitsQuery = z.strictObject({ session, query: TextParam });

export function createSessionRoutes(index: Index, { searching }: Hosts): Hono {
  const routes = new Hono();
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/session", async (context) => {
    const { session } = parseQuery(SessionQuery, context.req.url);
    return context.json<Reply<"session">>({ schema, ...(await getSessionAnswer(index, session)) });
  });

  routes.get("/candidates", async (context) => {
    const { session } = parseQuery(SessionQuery, context.req.url);
    const { sessions } = await index.listAll({ archived: "yes", subagents: "yes" });
    const exact = sessions.filter(({ id }) => id === session);
    const candidates = exact.length > 0 ? exact : sessions.filter(({ id }) => id.startsWith(session));
    return context.json<Reply<"candidates">>({ sessions: candidates.slice(0, 100) });
  });

  routes.get("/forks", async (context) => {
    const { session } = parseQuery(SessionQuery, context.req.url);
    const { parent, forks } = await index.forks(session, { limit: MAX_FORKS });
    const links = { parent: parent && forkLink(parent), forks: forks.map(forkLink) };
    return context.json<Reply<"forks">>(links);
  });

  routes.get("/outline", async (context) => {
    const { session, ...rest } = parseQuery(OutlineQuery, context.req.url);
    return context.json<Reply<"outline">>(toOutlineColumns(await index.outline(session), rest));
  });

  routes.get("/entries", async (context) => {
    const { session, lines } = parseQuery(LinesQuery, context.req.url);
    const entries: LocatedEntryJson[] = [];
    for await (const { entry, ...place } of read(index, session, lines))
      entries.push({ ...place, entry: shortenForPage(entry) as LocatedEntryJson["entry"] });
    return context.json<Reply<"entries">>({ entries });
  });

  routes.get("/previews", async (context) => {
    const { session, lines } = parseQuery(LinesQuery, context.req.url);
    const previews: { line: number; text: string }[] = [];
    for await (const { entry, line } of read(index, session, lines))
      previews.push({ line, text: formatPreview(entry, MAX_PREVIEW_CHARACTERS) });
    return context.json<Reply<"previews">>({ previews });
  });

  routes.get("/hits", async (context) => {
    const { session, query } = parseQuery(HitsQuery, context.req.url);
    const { path } = await index.find(session);
    return context.json<Reply<"hits">>({ lines: await linesWith(index, searching, path, query) });
  });

  routes.get("/image", async (context) => {
    const { session, line, block } = parseQuery(ImageQuery, context.req.url);
    const [placed] = await Array.fromAsync(read(index, session, [line]));
    const image = placed && getImage(placed.entry, block);
    const message = "the entry has no image that can be shown";
    if (!image) throw new PidexError("NOT_FOUND", message, "Open the entry itself.");
    context.header("Content-Type", image.type);
    context.header("Content-Disposition", "inline");
    context.header("Content-Security-Policy", "default-src 'none'; sandbox");
    return context.body(image.bytes);
  });

  return routes;
}

/** A fork and its branch point, with the session fields that a link needs. */
function forkLink({ session, line, lineThere }: ForkLocation) {
  const { path, id, cwd, modified, messageCount, name, firstMessage } = session;
  return { session: { path, id, cwd, modified, messageCount, name, firstMessage }, line, lineThere };
}

/** Reads the entries on the given lines. */
function read(index: Index, session: string, lines: number[]): AsyncGenerator<LocatedEntry> {
  return index.entries(session, { branch: { lines } });
}

/** The lines of a session that match the text typed on the page. */
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
