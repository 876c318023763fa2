/** An MCP client that starts `pidex mcp` as a process of its own, and counts the tokens that a model would read and write. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const PROGRAM = join(import.meta.dirname, "../../bin/pidex.ts");

/** One call of a tool. */
export interface CallResult<Data> {
  tool: string;
  params: object;
  /** What a client hands to the model. */
  text: string;
  data: Data;
  /** Of its arguments and its text together. */
  tokens: number;
  /** Of its text alone. */
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

  /** Starts the server over one root. Of the environment it gets what any client passes on, so no session asks. */
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

  /** The process of the server. */
  get pid(): number {
    const { pid } = this.#transport;
    if (pid === null) throw new Error("the server has not started");
    return pid;
  }

  /** @throws Error when the tool says that something is wrong */
  async call<Data>(tool: string, params: Record<string, unknown>): Promise<CallResult<Data>> {
    const began = performance.now();
    const { content, structuredContent, isError } = await this.#client.callTool({
      name: tool,
      arguments: params,
    });
    const ms = performance.now() - began;
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    if (isError) throw new Error(`${tool} ${JSON.stringify(params)}: ${text}`);
    const textTokens = countTextTokens(text);
    const tokens = countTextTokens(JSON.stringify(params)) + textTokens;
    return { tool, params, text, data: structuredContent as Data, tokens, textTokens, ms };
  }

  /** What a model reads of the tools before it calls any: names, descriptions and what they take. */
  async toolTokens(): Promise<number> {
    const { tools } = await this.#client.listTools();
    const described = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return countTextTokens(JSON.stringify(described)) + countTextTokens(this.#client.getInstructions() ?? "");
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Whatever a text holds is text: what looks like a sign of the vocabulary's own is none. */
export function countTextTokens(text: string): number {
  return countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
}
