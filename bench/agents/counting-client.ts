/** An MCP client that runs `pidex mcp` in a separate process and counts the tokens that a model would read and write. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const PROGRAM = join(import.meta.dirname, "../../bin/pidex.ts");

/** A tool call and its result. */
export interface CallResult<Data> {
  tool: string;
  params: object;
  /** The result as the model gets it. */
  text: string;
  data: Data;
  /** Tokens of the arguments and the text. */
  tokens: number;
  /** Tokens of the text only. */
  textTokens: number;
  ms: number;
}

export class CountingClient {
  readonly #client: Client;
  readonly #transport: StdioClientTransport;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.#client = client;
    this.#transport = transport;
  }

  /** Starts the server for one root, with the environment that any MCP client passes, which names no calling session. */
  static async start({ root, db }: { root: string; db: string }): Promise<CountingClient> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, "mcp", "--root", root, "--db", db],
      env: { ...getDefaultEnvironment(), TZ: "UTC" },
    });
    const client = new Client({ name: "pidex-bench", version: "1" });
    await client.connect(transport);
    return new CountingClient(client, transport);
  }

  /** Process id of the server. */
  get pid(): number {
    const { pid } = this.#transport;
    if (pid === null) throw new Error("The server has not started");
    return pid;
  }

  /** @throws Error if the tool returns an error */
  async call<Data>(tool: string, params: Record<string, unknown>): Promise<CallResult<Data>> {
    const startedAt = performance.now();
    const { content, structuredContent, isError } = await this.#client.callTool({
      name: tool,
      arguments: params,
    });
    const ms = performance.now() - startedAt;
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    if (isError) throw new Error(`${tool} ${JSON.stringify(params)}: ${text}`);
    const textTokens = countTextTokens(text);
    const tokens = countTextTokens(JSON.stringify(params)) + textTokens;
    return { tool, params, text, data: structuredContent as Data, tokens, textTokens, ms };
  }

  /** Tokens that a model reads before its first call: instructions, and names, descriptions and input schemas of the tools. */
  async countToolTokens(): Promise<number> {
    const { tools } = await this.#client.listTools();
    const descriptions = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    return (
      countTextTokens(JSON.stringify(descriptions)) + countTextTokens(this.#client.getInstructions() ?? "")
    );
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Counts special tokens of the vocabulary, such as `<|endoftext|>`, as plain text. */
export function countTextTokens(text: string): number {
  return countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
}
