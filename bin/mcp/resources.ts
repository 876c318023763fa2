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
import { toResourceUri } from "../agents/citations.ts";
import type { RequestInput } from "../agents/requests.ts";
import { formatError } from "./format-error.ts";
import type { LazyIndex } from "./lazy-index.ts";

/** Number of sessions in the resource list, newest first. All sessions can be read by URI. */
const MAX_LISTED = 50;
/** Maximum lengths, in tokens. */
const OUTLINE_TOKENS = 4000;
const ENTRY_TOKENS = 10_000;

/** Ids that are unambiguous both in a URI and as a path. */
const PLAIN_ID = /^[\w-][\w.-]*$/;

export function registerResources(server: McpServer, opened: LazyIndex): void {
  const read = async (uri: URL, params: Omit<RequestInput<"read">, "session">, context: ServerContext) => {
    try {
      const { text } = await opened.request("read", { ...params, session: uri.href }, context);
      return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
    } catch (error) {
      if (error instanceof PidexError && error.code === "NOT_FOUND")
        throw new ResourceNotFoundError(uri.href, error.message);
      throw new ProtocolError(ProtocolErrorCode.InternalError, formatError(error, uri.href));
    }
  };

  const list = async (context: ServerContext) => {
    const { data } = await opened.request("list", { limit: MAX_LISTED, max_tokens: 50_000 }, context);
    const idCounts = Map.groupBy(data.sessions, ({ id }) => id);
    return {
      resources: data.sessions.map(({ id, path, title, cwd, modified, messageCount }) => ({
        // Copies in other folders may have the same id, and an id with a slash would be taken for a path: those use the path.
        uri: toResourceUri(idCounts.get(id)?.length === 1 && PLAIN_ID.test(id) ? id : path),
        name: title,
        description: `${cwd}, ${modified}, ${messageCount} messages`,
        mimeType: "text/plain",
      })),
    };
  };

  server.registerResource(
    "session",
    new ResourceTemplate("pidex://session/{id}", { list }),
    { title: "Outline of a session", mimeType: "text/plain" },
    (uri, _, context) => read(uri, { view: "outline", max_tokens: OUTLINE_TOKENS }, context),
  );
  server.registerResource(
    "entry",
    new ResourceTemplate("pidex://session/{id}/entry/{entry}", { list: undefined }),
    { title: "Entry of a session", mimeType: "text/plain" },
    (uri, _, context) => read(uri, { before: 0, after: 0, max_tokens: ENTRY_TOKENS }, context),
  );
}
