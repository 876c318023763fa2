/** A list to choose from in pi's screen, found anew at each key. Drawn by hand: pi's own components are in packages of pi. */
import { typedQuery } from "../format/typed-query.ts";
import { fitting } from "./fitting.ts";
import type { PiComponent, PiKeybindings, PiTheme, PiTui } from "./pi-types.ts";

export interface Choice<T> {
  value: T;
  /** One line, safe for a terminal. */
  text: string;
}

export interface Choosing<T> {
  title: string;
  /** What was typed already, and what that finds. */
  typed: string;
  first: readonly Choice<T>[];
  /** What a query finds; "" is none. */
  find(query: string, signal: AbortSignal): Promise<readonly Choice<T>[]>;
}

/** Choices that are seen at once. */
const ROWS = 10;
const HINTS = "↑↓ choose · type to search · enter takes it · esc leaves";
// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals put around what is pasted
const PASTED = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~)?$/;

export class ChooserComponent<T> implements PiComponent {
  readonly #choosing: Choosing<T>;
  readonly #screen: { tui: PiTui; theme: PiTheme; keybindings: PiKeybindings };
  readonly #done: (value: T | undefined) => void;
  #typed: string;
  #choices: readonly Choice<T>[];
  #at = 0;
  /** What is said in place of choices. */
  #said = "";
  #looking: AbortController | undefined;

  constructor(
    choosing: Choosing<T>,
    screen: { tui: PiTui; theme: PiTheme; keybindings: PiKeybindings },
    done: (value: T | undefined) => void,
  ) {
    this.#choosing = choosing;
    this.#screen = screen;
    this.#done = done;
    this.#typed = choosing.typed;
    this.#choices = choosing.first;
  }

  render(width: number): string[] {
    const { theme } = this.#screen;
    const line = (text: string, color?: Parameters<PiTheme["fg"]>[0]) => {
      const shown = fitting(text, width);
      return color === undefined ? shown : theme.fg(color, shown);
    };
    const border = theme.fg("border", "─".repeat(Math.max(width, 1)));
    const first = Math.max(0, Math.min(this.#at - ROWS / 2, this.#choices.length - ROWS));
    const rows = this.#choices
      .slice(first, first + ROWS)
      .map(({ text }, n) => (first + n === this.#at ? line(`→ ${text}`, "accent") : line(`  ${text}`)));
    const count = this.#choices.length === 0 ? "" : ` (${this.#at + 1} of ${this.#choices.length})`;
    return [
      border,
      line(` ${this.#choosing.title}${count}`, "accent"),
      line(` > ${this.#typed}_`),
      ...(this.#said === "" ? rows : [line(`  ${this.#said}`, "muted")]),
      line(` ${HINTS}`, "dim"),
      border,
    ];
  }

  handleInput(data: string): void {
    const { keybindings, tui } = this.#screen;
    const last = this.#choices.length - 1;
    if (keybindings.matches(data, "tui.select.cancel")) {
      this.#leave(undefined);
      return;
    }
    if (keybindings.matches(data, "tui.select.confirm")) {
      const chosen = this.#choices[this.#at];
      if (chosen && this.#said === "") this.#leave(chosen.value);
      return;
    }
    if (keybindings.matches(data, "tui.select.up")) this.#at = Math.max(0, this.#at - 1);
    else if (keybindings.matches(data, "tui.select.down")) this.#at = Math.min(last, this.#at + 1);
    else if (keybindings.matches(data, "tui.select.pageUp")) this.#at = Math.max(0, this.#at - ROWS);
    else if (keybindings.matches(data, "tui.select.pageDown")) this.#at = Math.min(last, this.#at + ROWS);
    else if (keybindings.matches(data, "tui.editor.deleteWordBackward"))
      this.#type(this.#typed.replace(/\S*\s*$/, ""));
    else if (keybindings.matches(data, "tui.editor.deleteCharBackward"))
      this.#type([...this.#typed].slice(0, -1).join(""));
    else {
      const text = (PASTED.exec(data)?.[1] ?? data).replace(/\s+/g, " ");
      if (!/^\P{C}+$/u.test(text)) return; // a key that means nothing here
      this.#type(this.#typed + text);
    }
    this.#at = Math.max(0, this.#at);
    tui.requestRender();
  }

  /** Nothing is kept of how it was drawn. */
  invalidate(): void {}

  dispose(): void {
    this.#looking?.abort();
  }

  #type(typed: string): void {
    this.#typed = typed;
    this.#looking?.abort();
    const looking = new AbortController();
    this.#looking = looking;
    const query = queryOf(typed);
    if (query === undefined) return;
    const show = (choices: readonly Choice<T>[], said: string) => {
      if (looking.signal.aborted) return; // more was typed meanwhile
      this.#choices = choices;
      this.#said = said;
      this.#at = 0;
      this.#screen.tui.requestRender();
    };
    this.#choosing.find(query, looking.signal).then(
      (choices) => show(choices, choices.length === 0 ? "Nothing was found." : ""),
      (error: unknown) => show([], error instanceof Error ? error.message : String(error)),
    );
  }

  #leave(value: T | undefined): void {
    this.#looking?.abort();
    this.#done(value);
  }
}

/** What is looked for when so much is typed; undefined while that begins too many words. */
function queryOf(typed: string): string | undefined {
  const query = typedQuery(typed);
  if (query.by === "nothing") return "";
  if (query.by === "words") return query.query;
  return query.by === "pattern" ? query.regex : undefined;
}
