/** Sessions and entries as resources: `pidex://session/<id>` and `pidex://session/<id>/entry/<id>`. */
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { PidexError } from "../../library/index.ts";
import type { Answer } from "../agents/answer.ts";
import type { ReadAnswer } from "../agents/answers.ts";
import { addressOf } from "../agents/place.ts";
import type { ReadAsked } from "../agents/questions.ts";
import { controlOf } from "./control.ts";
import { wordsOf } from "./failure.ts";
import type { Opened } from "./opened.ts";

/** Sessions that a list of resources has: the newest. All others have addresses as well. */
const LISTED = 50;
/** How long they are at most, in tokens. */
const OUTLINE_TOKENS = 4000;
const ENTRY_TOKENS = 10_000;

/** What neither addresses nor paths take for something else. */
const PLAIN_ID = /^[\w-][\w.-]*$/;

export function registerResources(server: McpServer, opened: Opened): void {
  const read = async (uri: URL, asked: Omit<ReadAsked, "session">, context: ServerContext) => {
    const { text } = await answered(uri, async () => {
      const index = await opened.index();
      return index.read({ ...asked, session: uri.href }, controlOf(context));
    });
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
  };

  const list = async (context: ServerContext) => {
    const index = await opened.index();
    const { data } = await index.list({ limit: LISTED, max_tokens: 50_000 }, controlOf(context));
    const idCounts = Map.groupBy(data.sessions, ({ id }) => id);
    return {
      resources: data.sessions.map(({ id, path, title, cwd, modified, messageCount }) => ({
        // An id is that of one session of a folder: copies elsewhere may have the same. One with a slash would be a path.
        uri: addressOf(idCounts.get(id)?.length === 1 && PLAIN_ID.test(id) ? id : path),
        name: title,
        description: `${cwd}, ${modified}, ${messageCount} messages`,
        mimeType: "text/plain",
      })),
    };
  };

  server.registerResource(
    "session",
    new ResourceTemplate("pidex://session/{id}", { list }),
    { title: "A session, in outline", mimeType: "text/plain" },
    (uri, _, context) => read(uri, { view: "outline", max_tokens: OUTLINE_TOKENS }, context),
  );
  server.registerResource(
    "entry",
    new ResourceTemplate("pidex://session/{id}/entry/{entry}", { list: undefined }),
    { title: "An entry of a session", mimeType: "text/plain" },
    (uri, _, context) => read(uri, { before: 0, after: 0, max_tokens: ENTRY_TOKENS }, context),
  );
}

async function answered(uri: URL, ask: () => Promise<Answer<ReadAnswer>>): Promise<Answer<ReadAnswer>> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PidexError && error.code === "NOT_FOUND")
      throw new ResourceNotFoundError(uri.href, error.message);
    throw new ProtocolError(ProtocolErrorCode.InternalError, wordsOf(error, uri.href));
  }
}
