/** The MCP server over HTTP, for any number of clients. The caller authenticates requests. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { AgentIndexOptions } from "../agents/agent-index.ts";
import { Opened } from "./opened.ts";
import { makeServer } from "./server.ts";

export interface McpOverHttp {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export function mcpOverHttp(
  options: AgentIndexOptions & { onNotice: (message: string) => void },
): McpOverHttp {
  const opened = new Opened(options);
  const handler = createMcpHandler(() => makeServer(opened), {
    onerror: (error) => options.onNotice(error.message),
  });
  return {
    fetch: (request) => handler.fetch(request),
    async close() {
      await handler.close();
      await opened.close();
    },
  };
}
