/** The client of the SDK, with the published server as a child process over stdio. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";

export interface Connected {
  client: Client;
  /** The standard error of the server. */
  said: () => string;
  /** Calls a tool, and returns its text and data. */
  call: (name: string, args: object, options?: object) => Promise<Called>;
}

export interface Called {
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: any answer
  data: any;
  isError: boolean;
}

export interface ConnectOptions {
  db?: string;
  env?: Record<string, string>;
  /** When to close it: after the test by default, or after all tests of the file. */
  atEnd?: (end: () => Promise<void>) => void;
}

export async function connected(
  root: string,
  { db = join(temporaryFolder(), "index.db"), env = {}, atEnd = onTestFinished }: ConnectOptions = {},
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BUILT_PIDEX, "mcp", "--root", root, "--db", db],
    env: { ...(process.env as Record<string, string>), ...env },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  atEnd(() => client.close());
  await client.connect(transport);
  return {
    client,
    said: () => said,
    async call(name, args, options) {
      const { content, structuredContent, isError } = await client.callTool(
        { name, arguments: args as Record<string, unknown> },
        options,
      );
      const [first] = content as { type: string; text: string }[];
      return { text: first?.text ?? "", data: structuredContent, isError: isError === true };
    },
  };
}
