/** Collects what a brief may state, in one pass over the entries of a branch. */
import type { Entry, LocatedEntry } from "../../../library/index.ts";
import type { Redactor } from "../../../library/internal.ts";
import type { CallPart, Part, ResultPart } from "../../format/parts.ts";
import { toOneLine } from "../../format/safe.ts";
import { toTranscript } from "../../format/transcript.ts";
import { CommandLog } from "./command-log.ts";
import { findErrorLine } from "./error-line.ts";
import { FileChanges } from "./file-changes.ts";
import { extractTerms, scoreSentence, splitSentences } from "./sentences.ts";
import { cutEnd, detach, type Statement } from "./statements.ts";
import { toPrompt } from "./to-prompt.ts";

/** A sentence that may be stated. */
export interface Candidate extends Statement {
  score: number;
  terms: readonly string[];
  from: "answer" | "remark" | "summary";
}

/** A message of the user, and what came of it. */
export interface Request extends Statement {
  /** Whether it corrects, rejects or decides something. */
  isCorrection: boolean;
  /** Whether the user stopped the agent, or it failed, before it answered. */
  isInterrupted: boolean;
  /** What was said in response, in order. */
  candidates: Candidate[];
  /** Whether it is not a request but a summary of what was before. */
  isSummary: boolean;
  /** The line of the answer; undefined if there is none. */
  answerLine?: number;
}

function newRequest(line: number, text: string): Request {
  return { line, text, isCorrection: false, isInterrupted: false, isSummary: false, candidates: [] };
}

/** Sentences kept per request: those that say most. */
const MAX_CANDIDATES = 16;
/** The same of a summary, which covers many requests. */
const MAX_OF_SUMMARY = 40;
const MAX_SENTENCE = 260;
/** Sentences that say less are left out. */
const MIN_SCORE = 0.5;
/** Sentences are weighted by where they are from. */
const WEIGHTS = { answer: 1, remark: 0.5, summary: 1.3 };

export class SessionFacts {
  readonly requests: Request[] = [];
  readonly commands = new CommandLog();
  readonly files: FileChanges;
  readonly subagents: Statement[] = [];
  /** Open items of lists, by their text, with the line that has them. */
  readonly todos = new Map<string, { line: number; path?: string | undefined }>();
  readonly #redactor: Redactor | undefined;
  readonly #calls = new Map<string, { call: CallPart; line: number }>();

  constructor(folder: string, redactor: Redactor | undefined) {
    this.files = new FileChanges(folder);
    this.#redactor = redactor;
  }

  /** Entries in branch order. */
  add({ entry, line }: LocatedEntry): void {
    const { kind, parts } = toTranscript(entry);
    switch (kind) {
      case "person":
        this.#addRequest(parts, line);
        break;
      case "assistant":
        this.#addResponse(entry, parts, line);
        break;
      case "summary":
        this.#addSummary(joinTexts(parts), line);
        break;
      case "tool":
        for (const part of parts) if (part.kind === "result") this.#addResult(part, line);
        break;
      case "shell":
        for (const part of parts)
          if (part.kind === "execution") {
            const isError = part.exitCode !== undefined && part.exitCode !== 0;
            this.#addCommand(part.command, line, part.output, line, isError);
          }
        break;
    }
  }

  /** Call it after the last entry. */
  finish(): void {
    this.#keepBest(this.requests.findLast(({ isSummary }) => !isSummary));
  }

  #addRequest(parts: readonly Part[], line: number): void {
    const text = this.#mask(joinTexts(parts));
    const prompt = toPrompt(text);
    const images = parts.filter((part) => part.kind === "image").length;
    if (prompt.text === "" && images === 0) return;
    this.finish();
    this.requests.push({
      ...newRequest(line, prompt.text || "(an image)"),
      isCorrection: prompt.isCorrection,
    });
  }

  #addResponse(entry: Entry, parts: readonly Part[], line: number): void {
    const request = this.#current(line);
    const text = joinTexts(parts);
    const calls = parts.filter((part) => part.kind === "call");
    for (const call of calls) if (call.id !== undefined) this.#calls.set(call.id, { call, line });
    for (const part of parts) {
      if (part.kind === "aborted") request.isInterrupted = true;
      if (part.kind === "error" && !/abort/i.test(part.text)) {
        request.isInterrupted = true;
        const error = this.#mask(toOneLine(part.text.slice(0, 500)));
        this.commands.addError("model", {
          line,
          command: "model request",
          error: cutEnd(error, 160),
          changed: [],
        });
      }
    }
    if (text.trim() === "") return;
    const isAnswer = calls.length === 0 && entry.type === "message";
    if (isAnswer) {
      request.answerLine = line;
      request.isInterrupted = parts.some((part) => part.kind === "aborted" || part.kind === "error");
    }
    this.#addSentences(text, line, isAnswer ? "answer" : "remark");
    this.#addTodos(text, line);
  }

  /** A summary belongs to no request. What follows it still belongs to the request before it. */
  #addSummary(text: string, line: number): void {
    const summary = { ...newRequest(line, ""), isSummary: true };
    this.#addSentences(text, line, "summary", summary);
    this.#keepBest(summary, MAX_OF_SUMMARY);
    if (summary.candidates.length > 0) this.requests.push(summary);
  }

  #addSentences(
    text: string,
    line: number,
    from: Candidate["from"],
    { candidates } = this.#current(line),
  ): void {
    const sentences = splitSentences(this.#mask(text));
    for (const [n, sentence] of sentences.entries()) {
      const isFirst = n === 0 && from === "answer";
      const terms = extractTerms(sentence);
      const content = scoreSentence(sentence, terms.length);
      if (content < MIN_SCORE) continue;
      const score = (content + (isFirst ? 0.4 : 0)) * WEIGHTS[from];
      candidates.push({ line, text: cutEnd(sentence, MAX_SENTENCE), score, terms, from });
    }
    if (candidates.length > 20 * MAX_CANDIDATES) this.#keepBest(this.#current(line));
  }

  #addResult({ callId = "", isError, content, nested }: ResultPart, line: number): void {
    const made = this.#calls.get(callId);
    this.#calls.delete(callId);
    for (const { call, error } of nested?.calls ?? []) {
      if (!call.arguments) continue;
      const output = error || joinTexts(content);
      this.#addOutcome(call.name, call.arguments, line, output, line, call.status === "error");
    }
    if (made)
      this.#addOutcome(made.call.name, made.call.arguments, made.line, joinTexts(content), line, isError);
  }

  #addOutcome(
    name: string | undefined,
    args: Record<string, unknown>,
    line: number,
    output: string,
    resultLine: number,
    isError: boolean,
  ): void {
    if (typeof args.command === "string" && !("path" in args)) {
      if (/^(?:Command|Operation) aborted/.test(output)) return;
      this.#addCommand(args.command, line, output, resultLine, isError);
      return;
    }
    const { task, prompt = task, path = args.file_path } = args;
    if (typeof prompt === "string" && /agent|task|delegate|explore/i.test(name ?? "")) {
      const [result = ""] = splitSentences(this.#mask(output.slice(0, 5000)));
      const about = cutEnd(toOneLine(this.#mask(prompt.slice(0, 2000))), 160);
      this.subagents.push({ line: resultLine, text: `${about}${result && ` → ${cutEnd(result, 200)}`}` });
      return;
    }
    if (Array.isArray(args.todos)) this.#replaceTodos(args.todos, line);
    if (isError) {
      const error = this.#mask(findErrorLine(output));
      if (/aborted/i.test(error)) return;
      const about = typeof path === "string" ? toOneLine(path.slice(-100)) : "";
      this.commands.addError(`${name} ${about}`, {
        line: resultLine,
        command: `${toOneLine(name ?? "tool")} ${about}`.trim(),
        error,
        changed: [],
      });
      return;
    }
    const changed = this.files.addCall(name, args, line);
    if (changed !== undefined) {
      this.commands.addChange(changed);
      const written = args.content ?? args.newText ?? args.new_string;
      if (typeof written === "string" && /\.(?:md|txt|org)$/i.test(changed))
        this.#addTodos(written, line, changed);
    } else if (typeof path === "string" && /read|view|cat|open/i.test(name ?? "")) this.files.addRead(path);
  }

  #addCommand(command: string, line: number, output: string, resultLine: number, isError: boolean): void {
    const masked = this.#mask(command.slice(0, 5000));
    const shown = isError ? this.#mask(output.slice(0, 20_000) + output.slice(20_000).slice(-20_000)) : "";
    this.commands.add(masked, line, shown, resultLine, isError);
    if (!isError) this.files.addCommand(command, line);
  }

  /** A new list replaces the one before. */
  #addTodos(text: string, line: number, path?: string): void {
    const items = [...text.slice(0, 100_000).matchAll(/^\s*(?:[-*]|\d+\.)\s+\[([ xX])\]\s+(.+)$/gm)];
    if (items.length > 2) this.todos.clear();
    for (const [, mark, item = ""] of items) {
      const shown = cutEnd(toOneLine(this.#mask(item.slice(0, 500))), 160);
      this.todos.delete(shown);
      if (mark === " " && this.todos.size < 1000) this.todos.set(detach(shown), { line, path });
    }
  }

  /** The list of a tool that replaces it as a whole. */
  #replaceTodos(todos: readonly unknown[], line: number): void {
    this.todos.clear();
    for (const todo of todos) {
      const { content, text = content, status } = Object(todo) as Record<string, unknown>;
      if (typeof text === "string" && !/^(?:completed|done|cancelled)$/.test(String(status)))
        this.todos.set(cutEnd(toOneLine(this.#mask(text.slice(0, 500))), 160), { line });
    }
  }

  /** The request that is being answered. What precedes the first one, as in a session that an agent started, belongs to an empty one. */
  #current(line: number): Request {
    const last = this.requests.findLast(({ isSummary }) => !isSummary);
    if (last) return last;
    const none = newRequest(line, "");
    this.requests.push(none);
    return none;
  }

  /** Keeps the sentences of a request that say most, in order. */
  #keepBest(request: Request | undefined, count = MAX_CANDIDATES): void {
    if (!request) return;
    const best = new Set(request.candidates.toSorted((a, b) => b.score - a.score).slice(0, count));
    const kept = request.candidates.filter((candidate) => best.has(candidate));
    request.candidates = kept.map(({ text, terms, ...rest }) => ({
      ...rest,
      text: detach(text),
      terms: terms.map(detach),
    }));
  }

  #mask(text: string): string {
    return this.#redactor ? this.#redactor.redactText(text) : text;
  }
}

function joinTexts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
