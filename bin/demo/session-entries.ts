/** Converts the steps of a story to session entries in pi's format. */
import { estimateTokens, getUsage, MODELS, type Model, type ModelName } from "./models.ts";
import type { Random } from "./random.ts";
import type { Step } from "./stories.ts";

export type Fields = Record<string, unknown>;
export type Entry = Fields & { type: string; id: string; parentId: string | null; timestamp: string };

type SubagentStep = Extract<Step, ["subagent", ...unknown[]]>;

export interface SessionEntriesOptions {
  random: Random;
  /** The start of the session, in Unix milliseconds. */
  start: number;
  model: ModelName;
  /** Entries copied from the parent of a fork. */
  copied?: readonly Entry[];
  /** Writes the session of a subagent. Returns the result that its caller gets, and its end time. */
  run(step: SubagentStep, start: number): { result: Fields; end: number };
}

/** The entries of one session, added one by one. */
export class SessionEntries {
  readonly entries: Entry[] = [];
  /** The time of the last entry, in Unix milliseconds. */
  end: number;
  readonly #random: Random;
  readonly #run: SessionEntriesOptions["run"];
  readonly #marks = new Map<string, string>();
  #leaf: string | null = null;
  #lastMessageId: string | null = null;
  #model: Model;
  #pending: Fields[] = [];
  /** Tokens that the next response reads from the cache, and its new input tokens. */
  #context: number;
  #fresh: number;

  constructor({ random, start, model, copied = [], run }: SessionEntriesOptions) {
    this.#random = random;
    this.#run = run;
    this.#model = MODELS[model];
    this.end = start;
    this.#context = random.between(14_000, 42_000);
    this.#fresh = random.between(800, 3_000);
    for (const entry of copied) {
      this.entries.push(entry);
      this.#leaf = entry.id;
      if (entry.type === "message") this.#lastMessageId = entry.id;
    }
    if (copied.length > 0) return;
    this.#modelEntry();
    this.add("thinking_level_change", { thinkingLevel: random.pick(["low", "medium", "medium", "high"]) });
  }

  /** Adds an entry of any type, this many seconds after the previous one. */
  add(type: string, fields: Fields, seconds = 0.1): Entry {
    this.end += Math.round(seconds * 1000);
    const entry = {
      type,
      id: this.#newId(),
      parentId: this.#leaf,
      timestamp: new Date(this.end).toISOString(),
      ...fields,
    };
    this.#leaf = entry.id;
    this.entries.push(entry);
    return entry;
  }

  addSteps(steps: readonly Step[]): void {
    for (const step of steps) this.#addStep(step);
  }

  #addStep(step: Step): void {
    const call = toCall(step);
    if (call) {
      const { tool, args, output, isError = false, details } = call;
      this.#result(this.#callTool(tool, args), tool, output, { isError, details });
    }
    switch (step[0]) {
      case "user": {
        this.#fresh += estimateTokens(step[1]);
        const content = [{ type: "text", text: step[1] }];
        // The first prompt comes at once; before later ones, the user reads the response.
        const seconds =
          this.#lastMessageId === null ? this.#random.between(1, 20) : this.#random.between(20, 240);
        this.#lastMessageId = this.#message({ role: "user", content }, seconds).id;
        break;
      }
      case "think":
        this.#pending.push({ type: "thinking", thinking: step[1] });
        break;
      case "say":
        this.#pending.push({ type: "text", text: step[1] });
        break;
      case "answer":
        this.#lastMessageId = this.#assistant([{ type: "text", text: step[1] }], "stop").id;
        break;
      case "failure":
        this.#assistant([], "error", { errorMessage: step[1] });
        break;
      case "shell": {
        const [, command, output] = step;
        const ended = { exitCode: 0, cancelled: false, truncated: false };
        this.#message({ role: "bashExecution", command, output, ...ended }, this.#random.between(10, 60));
        break;
      }
      case "model":
        this.#model = MODELS[step[1]];
        this.#modelEntry(this.#random.between(5, 40));
        break;
      case "label":
        this.add("label", { targetId: this.#lastMessageId, label: step[1] }, 4);
        break;
      case "compact":
        this.#compact(step[1]);
        break;
      case "mark":
        if (this.#leaf !== null) this.#marks.set(step[1], this.#leaf);
        break;
      case "back":
        this.#back(step[1], step[2]);
        break;
      case "subagent":
        this.#subagent(step);
        break;
    }
  }

  #callTool(name: string, args: Fields): string {
    const prefix = this.#model.provider === "anthropic" ? "toolu_01" : "call_";
    const id = prefix + this.#random.hex(22);
    this.#assistant([{ type: "toolCall", id, name, arguments: args }], "toolUse");
    return id;
  }

  #result(toolCallId: string, toolName: string, text: string, fields: Fields): void {
    this.#fresh += estimateTokens(text);
    const content = [{ type: "text", text }];
    this.#message(
      { role: "toolResult", toolCallId, toolName, content, ...fields },
      this.#random.between(1, 9),
    );
  }

  #assistant(blocks: Fields[], stopReason: string, fields: Fields = {}): Entry {
    const content = [...this.#pending, ...blocks];
    this.#pending = [];
    // Models output more than they show, and read more than the story contains.
    const output =
      stopReason === "error" ? 0 : this.#random.between(60, 700) + estimateTokens(JSON.stringify(content));
    const usage = getUsage(this.#model, this.#context, this.#fresh, output);
    this.#context += this.#fresh + output;
    this.#fresh = this.#random.between(100, 2_400);
    const { api, provider, id: model } = this.#model;
    const message = { role: "assistant", content, api, provider, model, usage, stopReason, ...fields };
    return this.#message(message, 2 + output / 60);
  }

  #message(message: Fields, seconds: number): Entry {
    const timestamp = this.end + Math.round(seconds * 1000);
    return this.add("message", { message: { ...message, timestamp } }, seconds);
  }

  #modelEntry(seconds?: number): void {
    this.add("model_change", { provider: this.#model.provider, modelId: this.#model.id }, seconds);
  }

  #compact(summary: string): void {
    const firstKeptEntryId = this.#lastMessageId;
    this.add("compaction", { summary, firstKeptEntryId, tokensBefore: this.#context + 90_000 }, 25);
    this.#context = 9_000 + estimateTokens(summary);
  }

  #back(to: string, summary: string): void {
    const target = this.#marks.get(to);
    if (target === undefined) throw new Error(`the story goes back to an unknown mark: ${to}`);
    const fromId = this.#leaf;
    this.#leaf = target;
    this.#lastMessageId = this.add("branch_summary", { fromId, summary }, this.#random.between(60, 900)).id;
  }

  #subagent(step: SubagentStep): void {
    const [, agent, task, , , answer] = step;
    const callId = this.#callTool("subagent", { agent, task });
    const { result, end } = this.#run(step, this.end + 500);
    this.end = Math.max(this.end, end);
    const details = { mode: "single", results: [result] };
    this.#result(callId, "subagent", answer, { isError: false, details });
  }

  #newId(): string {
    let id: string;
    do id = this.#random.hex(8);
    while (this.entries.some((entry) => entry.id === id));
    return id;
  }
}

interface Call {
  tool: string;
  args: Fields;
  output: string;
  isError?: boolean;
  details?: Fields;
}

/** The call of a tool, and what it returns; undefined for other steps. */
export function toCall(step: Step): Call | undefined {
  switch (step[0]) {
    case "bash":
      return { tool: "bash", args: { command: step[1] }, output: step[2] };
    case "failing": {
      const output = `${step[2]}\n\nCommand exited with code 1`;
      return { tool: "bash", args: { command: step[1] }, output, isError: true };
    }
    case "read":
      return { tool: "read", args: { path: step[1] }, output: step[2] };
    case "missing": {
      const output = `ENOENT: no such file or directory, open '${step[1]}'`;
      return { tool: "read", args: { path: step[1] }, output, isError: true };
    }
    case "grep":
      return { tool: "grep", args: { pattern: step[1], path: step[2] }, output: step[3] };
    case "write": {
      const [, path, text] = step;
      const content = `${text}\n`;
      const output = `Successfully wrote ${Buffer.byteLength(content)} bytes to ${path}`;
      return { tool: "write", args: { path, content }, output };
    }
    case "edit": {
      const [, path, oldText, newText, line = 12] = step;
      const firstChangedLine = Number(line);
      const numbered = (sign: string, text: string) =>
        text.split("\n").map((content, n) => `${sign}${String(firstChangedLine + n).padStart(3)} ${content}`);
      const diff = [...numbered("-", oldText), ...numbered("+", newText)].join("\n");
      const output = `Successfully replaced text in ${path}.`;
      const details = { diff, firstChangedLine };
      return { tool: "edit", args: { path, oldText, newText }, output, details };
    }
    default:
      return undefined;
  }
}
