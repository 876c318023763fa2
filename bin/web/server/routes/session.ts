/** Routes of one session: metadata, outline, entries, previews, hits and images. */
import type { Hono } from "hono";
import { z } from "zod";
import {
  type ForkLocation,
  type Index,
  type IndexQueries,
  type LocatedEntry,
  PidexError,
} from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION as schema } from "../../../../library/internal.ts";
import { findInSession } from "../../../actions/find-sessions.ts";
import { requireLocalIndex } from "../../../actions/index-location.ts";
import { type NamedCall, nameCall } from "../../../format/call-files.ts";
import { listFileEdits } from "../../../format/file-edits.ts";
import { MAX_FOUND_ENTRIES, MAX_SESSION_HITS } from "../../../format/hit-count.ts";
import { formatPreview } from "../../../format/preview.ts";
import { toTranscript } from "../../../format/transcript.ts";
import type { LocatedEntryJson } from "../../api/session-answers.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { getImage } from "../image.ts";
import { onGet } from "../json-routes.ts";
import { OutlineQuery, toOutlineColumns } from "../outline-columns.ts";
import { FlagParam, NumberParam, parseQuery, TextParam } from "../params.ts";
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
const LinesQuery = z.strictObject({ session, lines: Lines });
const HandoffQuery = z.strictObject({ session, leaf: TextParam.min(1).optional() });
const ImageQuery = z.strictObject({ session, line: NumberParam, block: NumberParam });
/** Entries with a pattern take a second in a large session: the response is early, with those found by then, if there are any. */
const HitsQuery = z.strictObject({
  session,
  query: TextParam,
  /** Finds as many as possible, however long it takes. */
  all: FlagParam.optional(),
  /** The first line to search for a pattern. */
  from: NumberParam.pipe(z.int().min(1)).default(1),
});
/** Hits found in this time are in an early response, in milliseconds. */
const EARLY_MS = 100;

export function addSessionRoutes(api: Hono, index: IndexQueries, { searching, counting }: Hosts): void {
  onGet(api, "session", SessionQuery, async ({ session }) => ({
    schema,
    ...(await getSessionAnswer(index, session)),
  }));

  onGet(api, "candidates", SessionQuery, async ({ session }) => {
    const { sessions } = await index.listAll({ archived: "yes", subagents: "yes" });
    const exact = sessions.filter(({ id }) => id === session);
    const candidates = exact.length > 0 ? exact : sessions.filter(({ id }) => id.startsWith(session));
    return { sessions: candidates.slice(0, 100) };
  });

  onGet(api, "forks", SessionQuery, async ({ session }) => {
    const { parent, forks } = await index.forks(session, { limit: MAX_FORKS });
    return { parent: parent && forkLink(parent), forks: forks.map(forkLink) };
  });

  onGet(api, "commits", SessionQuery, async ({ session }, { req }) => {
    const local = requireLocalIndex(index, "a list of commits");
    const { repository, commits } = await local.commits({ session, signal: req.raw.signal });
    return {
      repository,
      commits: commits.flatMap(({ commit, subject, committed, sessions: [own] }) => {
        if (!own) return [];
        const { lines, removed, confidence } = own;
        return [{ commit, subject, committed, lines, removed, confidence }];
      }),
    };
  });

  // The whole session is read: other requests don't wait for it.
  onGet(api, "handoff", HandoffQuery, (params, { req }) =>
    counting.call("handoff", { ...params, signal: req.raw.signal }),
  );

  onGet(api, "outline", OutlineQuery, async (params) =>
    toOutlineColumns(await index.outline(params.session), params),
  );

  onGet(api, "entries", LinesQuery, async ({ session, lines }) => {
    const entries: LocatedEntryJson[] = [];
    for await (const { entry, ...place } of read(index, session, lines))
      entries.push({ ...place, entry: shortenForPage(entry) as LocatedEntryJson["entry"] });
    return { entries };
  });

  onGet(api, "previews", LinesQuery, async ({ session, lines }) => {
    const previews: { line: number; text: string }[] = [];
    for await (const { entry, line } of read(index, session, lines))
      previews.push({ line, text: formatPreview(entry, MAX_PREVIEW_CHARACTERS) });
    return { previews };
  });

  onGet(api, "calls", LinesQuery, async ({ session, lines }) => {
    const { cwd } = await index.find(session);
    const calls: { line: number; calls: NamedCall[] }[] = [];
    for await (const { entry, line } of read(index, session, lines)) {
      const parts = toTranscript(entry).parts.filter((part) => part.kind === "call");
      calls.push({ line, calls: parts.map((call) => nameCall(call.name, call.arguments, cwd)) });
    }
    return { calls };
  });

  onGet(api, "edits", LinesQuery, async ({ session, lines }) => {
    const { cwd } = await index.find(session);
    return { messages: await listFileEdits(read(index, session, lines), cwd) };
  });

  onGet(api, "hits", HitsQuery, async ({ session, query, all, from }, { req }) => {
    const { path } = await index.find(session);
    const limit = MAX_FOUND_ENTRIES;
    const until = performance.now() + EARLY_MS;
    let isPart = false;
    const scan: Index["scan"] = async function* (pattern, options) {
      const hits = requireLocalIndex(index, "a pattern").scan(pattern, options);
      let count = 0;
      for await (const hit of hits) {
        yield hit;
        const isEarly = !all && performance.now() > until;
        isPart = ++count === limit || isEarly;
        if (isPart) break;
      }
      return { changedFiles: [] };
    };
    const scanOptions = { subagents: "yes", fromLine: from, limit, signal: req.raw.signal } as const;
    const hits = await findInSession({ scan }, { path, query }, scanOptions, async (words) => {
      const options = { subagents: "yes", limit: 1, hits: MAX_SESSION_HITS } as const;
      const { sessions } = await searching.call("search", words, options);
      const found = sessions.flatMap((session) => session.hits);
      isPart = found.length >= MAX_SESSION_HITS;
      return found;
    });
    return { lines: [...new Set(hits.map(({ line }) => line))], more: isPart };
  });

  api.get("/image", async (context) => {
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
}

/** A fork and its branch point, with the session fields that a link needs. */
function forkLink({ session, line, lineThere }: ForkLocation) {
  const { path, id, cwd, modified, messageCount, name, firstMessage, computedTitle } = session;
  return {
    session: { path, id, cwd, modified, messageCount, name, firstMessage, computedTitle },
    line,
    lineThere,
  };
}

/** Reads the entries on the given lines. */
function read(index: IndexQueries, session: string, lines: number[]): AsyncGenerator<LocatedEntry> {
  return index.entries(session, { branch: { lines } });
}
