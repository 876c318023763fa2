/** The commands of a session: which worked last, which fail, and what made a failing one work. */
import { toOneLine } from "../../format/safe.ts";
import { findErrorLine } from "./error-line.ts";
import { cutEnd, detach } from "./statements.ts";

const MAX_COMMAND = 140;
/** Forms of commands that are remembered. */
const MAX_FORMS = 2000;

/** A command in all its variants: `npm test`, with any arguments. */
export interface CommandForm {
  /** The last successful command, or else the last one, on one line. */
  command: string;
  /** The line of its call. */
  line: number;
  runs: number;
  /** The error of the last run, if it failed. */
  error?: string;
  /** The line of that error. */
  errorLine?: number;
  /** Whether it tests, builds, runs or publishes, rather than looks at something. */
  isAction: boolean;
}

/** A failure, and the success that followed. */
export interface SolvedError {
  line: number;
  command: string;
  error: string;
  /** The files that were changed in between. */
  changed: string[];
  solvedLine?: number;
}

/** Programs that only look: what they found is in the answers. */
const LOOKING =
  /^(?:ls|cat|head|tail|grep|rg|fd|find|wc|pwd|echo|which|tree|file|stat|du|awk|sleep|cd|printf|jq|less|env|true|ps|date|diff|sort|cp|mv|rm|mkdir|touch|chmod|sed|tee|open|kill|pkill|export|source|for|while|if|test|\[|git (?:status|log|diff|show|blame|branch|ls-files|grep|remote))\b/;

export class CommandLog {
  readonly #forms = new Map<string, CommandForm>();
  readonly #failing = new Map<string, SolvedError>();
  /** Failures in order. */
  readonly errors: SolvedError[] = [];

  get forms(): CommandForm[] {
    return [...this.#forms.values()];
  }

  /** @param line that of the call @param resultLine that of the output */
  add(command: string, line: number, output: string, resultLine: number, isError: boolean): void {
    const shown = detach(cutEnd(toOneLine(withoutFolder(command).slice(0, 1000)), MAX_COMMAND));
    if (shown === "") return;
    const key = toForm(shown);
    const isAction = !LOOKING.test(shown);
    const form = this.#forms.get(key);
    const error = isError ? findErrorLine(output) : undefined;
    if (form) {
      form.runs++;
      if (!isError || form.error !== undefined) Object.assign(form, { command: shown, line });
      if (error === undefined) {
        delete form.error;
        delete form.errorLine;
      } else Object.assign(form, { error, errorLine: resultLine });
    } else if (this.#forms.size < MAX_FORMS) {
      const failed = error === undefined ? {} : { error, errorLine: resultLine };
      this.#forms.set(key, { command: shown, line, runs: 1, ...failed, isAction });
    }
    if (error === undefined) {
      const failing = this.#failing.get(key);
      if (failing) failing.solvedLine = resultLine;
      this.#failing.delete(key);
    } else if (isAction) this.addError(key, { line: resultLine, command: shown, error, changed: [] });
  }

  /** Adds an error of any tool. @param key what solves it: a later success of the same */
  addError(key: string, error: SolvedError): void {
    if (error.error === "") return;
    const isRepeated = this.#failing.get(key)?.error === error.error;
    if (!isRepeated) this.errors.push(error);
    this.#failing.set(key, isRepeated ? (this.#failing.get(key) as SolvedError) : error);
  }

  /** Notes that a file was changed: it may solve what fails now. */
  addChange(path: string): void {
    for (const failing of this.#failing.values())
      if (failing.changed.length < 3 && !failing.changed.includes(path)) failing.changed.push(path);
  }
}

/** Without the folder that agents change to, and without what shortens the output. */
function withoutFolder(command: string): string {
  return command
    .trim()
    .replace(/^(?:(?:#[^\n]*\n|cd\s+\S+\s*(?:&&|;|\n))\s*)+/, "")
    .replace(/\s*(?:2>&1)?\s*(?:\|\s*(?:head|tail|grep|cat|less|wc)\b[^|&;]*)*$/, "");
}

/** The program and its subcommand: commands with the same form do the same with other arguments. */
function toForm(command: string): string {
  const words = command.split(/\s+(?:[|&;>2]|$)/)[0]?.split(" ") ?? [];
  const plain = words.filter((word) => !/^(?:-|[A-Z_]+=)/.test(word));
  return plain.slice(0, /^(?:npm|npx|yarn|pnpm|bun|uv|gh|docker)$/.test(plain[0] ?? "") ? 3 : 2).join(" ");
}
