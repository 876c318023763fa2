/** How a demo story is told: steps, as plain values. `session-entries.ts` makes entries of them. */
import type { ModelName } from "./models.ts";
import type { ProjectName } from "./projects.ts";

export type Step =
  | { kind: "user" | "answer" | "think" | "say" | "compact" | "failure"; text: string }
  | {
      kind: "call";
      tool: string;
      args: Record<string, unknown>;
      output: string;
      failed?: boolean;
      details?: Record<string, unknown>;
    }
  | { kind: "shell"; command: string; output: string; exitCode: number }
  | { kind: "model"; model: ModelName }
  | { kind: "label"; text: string }
  | { kind: "mark"; name: string }
  | { kind: "back"; to: string; summary: string }
  | { kind: "subagent"; agent: string; task: string; model: ModelName; steps: Step[]; answer: string };

/** A whole number between two, both among them: counts and durations that differ from session to session. */
export type Count = (low: number, high: number) => number;

export interface Story {
  project: ProjectName;
  /** Each combination of these words gives one session. */
  vary: Record<string, readonly string[]>;
  tell(given: Record<string, string>, count: Count): Step[];
  /** What it is called, where somebody named it. */
  name?(given: Record<string, string>): string;
  tags?: readonly string[];
  /** How a fork of it goes on from the last answer, and what that is called. */
  fork?(given: Record<string, string>, count: Count): { name: string; steps: Step[] };
}

interface StoryOf<Key extends string> {
  project: ProjectName;
  vary: Record<Key, readonly string[]>;
  tell(given: Record<Key, string>, count: Count): Step[];
  name?(given: Record<Key, string>): string;
  tags?: readonly string[];
  fork?(given: Record<Key, string>, count: Count): { name: string; steps: Step[] };
}

/** A story whose words are checked against what varies. */
export const story = <Key extends string>(told: StoryOf<Key>): Story => told as Story;

type Text = string | readonly string[];
const joined = (text: Text): string => (typeof text === "string" ? text : text.join("\n"));

const saying =
  (kind: "user" | "answer" | "think" | "say" | "compact") =>
  (...lines: string[]): Step => ({ kind, text: lines.join("\n") });

export const user = saying("user");
export const answer = saying("answer");
/** What the model thinks before its next call or answer. */
export const think = saying("think");
/** What the model says with its next call. */
export const say = saying("say");
export const compact = saying("compact");

/** An answer that never came: the provider failed. */
export const failure = (text: string): Step => ({ kind: "failure", text });
export const model = (model: ModelName): Step => ({ kind: "model", model });
/** Labels the last answer or prompt. */
export const label = (text: string): Step => ({ kind: "label", text });
/** A place to come back to. */
export const mark = (name: string): Step => ({ kind: "mark", name });
/** Leaves what was tried since the mark, and goes on from there. */
export const back = (to: string, ...summary: string[]): Step => ({
  kind: "back",
  to,
  summary: summary.join("\n"),
});

const call = (tool: string, args: Record<string, unknown>, output: Text, failed = false): Step => ({
  kind: "call",
  tool,
  args,
  output: joined(output),
  failed,
});

export const bash = (command: string, output: Text): Step => call("bash", { command }, output);
/** A command that exits with 1. */
export const failing = (command: string, output: Text): Step => call("bash", { command }, output, true);
export const read = (path: string, output: Text): Step => call("read", { path }, output);
/** A file that is not there. */
export const missing = (path: string): Step =>
  call("read", { path }, `ENOENT: no such file or directory, open '${path}'`, true);
export const grep = (pattern: string, path: string, output: Text): Step =>
  call("grep", { pattern, path }, output);
export const write = (path: string, content: Text): Step => {
  const text = `${joined(content)}\n`;
  return call(
    "write",
    { path, content: text },
    `Successfully wrote ${Buffer.byteLength(text)} bytes to ${path}`,
  );
};

/** A replaced text, which begins at `line` of the file. */
export function edit(path: string, oldText: Text, newText: Text, line = 12): Step {
  const [before, after] = [joined(oldText), joined(newText)];
  const numbered = (sign: string, text: string): string[] =>
    text.split("\n").map((content, index) => `${sign}${String(line + index).padStart(3)} ${content}`);
  const diff = [...numbered("-", before), ...numbered("+", after)].join("\n");
  return {
    kind: "call",
    tool: "edit",
    args: { path, oldText: before, newText: after },
    output: `Successfully replaced text in ${path}.`,
    details: { diff, firstChangedLine: line },
  };
}

/** A command that the user ran with `!`. */
export const shell = (command: string, output: Text, exitCode = 0): Step => ({
  kind: "shell",
  command,
  output: joined(output),
  exitCode,
});

/** Work that is handed to an agent with a session of its own. */
export const subagent = (
  agent: string,
  task: string,
  model: ModelName,
  steps: Step[],
  answer: string,
): Step => ({ kind: "subagent", agent, task, model, steps, answer });
