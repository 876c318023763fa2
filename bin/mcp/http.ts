/** The MCP server over HTTP, for any number of clients. The caller authenticates requests. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { AgentIndexOptions } from "../agents/agent-index.ts";
import { LazyIndex } from "./lazy-index.ts";
import { createServer } from "./server.ts";

export interface McpHttpServer {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export function createMcpHttpServer(
  options: AgentIndexOptions & { onNotice: (message: string) => void },
): McpHttpServer {
  const opened = new LazyIndex(options);
  const handler = createMcpHandler(() => createServer(opened), {
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
