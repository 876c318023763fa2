/** A published pi as a process, with pidex installed as a package, and a local model with scripted responses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { BUILT_EXTENSION } from "../../built.ts";
import { type PeerVersion, peerProgram } from "../../peer/peers.ts";
import { waitUntil } from "../../until.ts";

const PROJECT = join(import.meta.dirname, "../../..");

/** A turn of the model: text, or a tool call. */
export type Turn = { says: string } | { calls: string; with: object };

/** A request of pi to the model: the used part of OpenAI's chat completions. */
export interface ModelRequest {
  tools?: { function: { name: string; parameters: object } }[];
  messages: { role: string; content: unknown }[];
}

/** A line of pi's RPC mode. */
export type RpcLine = Record<string, unknown> & { type: string };

export interface PiProcess {
  lines: RpcLine[];
  /** Requests to the model, one per turn. */
  requests: ModelRequest[];
  /** Standard error of pi, including problems and warnings of extensions. */
  stderr(): string;
  send(command: { type: string; [field: string]: unknown }): void;
  /** Waits for the first matching line. */
  line(what: string, fits: (line: RpcLine) => boolean): Promise<RpcLine>;
}

export async function startPi(
  version: PeerVersion,
  {
    folder,
    cwd,
    turns = [],
    env = {},
    mcp,
  }: {
    folder: string;
    cwd: string;
    turns?: Turn[];
    env?: Record<string, string>;
    /** Contents of pi's `mcp.json`; pidex is then not installed as a package. */
    mcp?: object;
  },
): Promise<PiProcess> {
  const agent = join(folder, "agent");
  for (const each of [agent, cwd]) mkdirSync(each, { recursive: true });
  const { url, requests } = await model(turns);
  const packages = mcp ? [] : [installed(folder)];
  writeFileSync(join(agent, "settings.json"), JSON.stringify({ packages }));
  if (mcp) writeFileSync(join(agent, "mcp.json"), JSON.stringify(mcp));
  const provider = { baseUrl: url, api: "openai-completions", apiKey: "none", models: [{ id: "scripted" }] };
  writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { here: provider } }));
  const pi = spawn(
    process.execPath,
    [peerProgram(version), "--mode", "rpc", "--offline", "--provider", "here", "--model", "scripted"],
    {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PI_CODING_AGENT_DIR: agent,
        NO_PROXY: "127.0.0.1",
        ...env,
      },
    },
  );
  const ended = once(pi, "exit");
  onTestFinished(async () => {
    pi.stdin.end(); // pi's normal way to exit
    await ended;
  });
  const lines: RpcLine[] = [];
  createInterface({ input: pi.stdout }).on("line", (text) => lines.push(JSON.parse(text)));
  let stderr = "";
  pi.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return {
    lines,
    requests,
    stderr: () => stderr,
    send: (command) => void pi.stdin.write(`${JSON.stringify(command)}\n`),
    async line(what, fits) {
      await waitUntil(what, () => {
        if (pi.exitCode !== null) throw new Error(`pi ended: ${stderr}`);
        return lines.some(fits);
      });
      return lines.find(fits) as RpcLine;
    },
  };
}

/** pidex as pi's package manager installs it: the published manifest and the build. */
function installed(folder: string): string {
  const home = join(folder, "pidex");
  mkdirSync(home);
  copyFileSync(join(PROJECT, "package.json"), join(home, "package.json"));
  symlinkSync(dirname(dirname(BUILT_EXTENSION)), join(home, "dist"), "junction");
  symlinkSync(join(PROJECT, "skills"), join(home, "skills"), "junction");
  return home;
}

/** Responds like OpenAI's chat completions, one turn per request. */
async function model(turns: Turn[]): Promise<{ url: string; requests: ModelRequest[] }> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const turn = turns[requests.length] ?? { says: "Done." };
      requests.push(JSON.parse(body));
      const calls = "calls" in turn;
      const delta = calls
        ? { tool_calls: [toolCall(`call-${requests.length}`, turn.calls, turn.with)] }
        : { role: "assistant", content: turn.says };
      const chunk = { id: "x", object: "chat.completion.chunk", created: 1, model: "scripted" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const choice of [
        { index: 0, delta, finish_reason: null },
        { index: 0, delta: {}, finish_reason: calls ? "tool_calls" : "stop" },
      ])
        response.write(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`);
      response.end("data: [DONE]\n\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

const toolCall = (id: string, name: string, given: object) => ({
  ...{ index: 0, id, type: "function" },
  function: { name, arguments: JSON.stringify(given) },
});
