/** Lets the user choose: from a list with live search in pi's terminal UI, elsewhere from pi's plain selection. */
import { toMessage } from "../../library/internal.ts";
import { parseTypedQuery } from "../format/typed-query.ts";
import type { PiComponent, PiContext, PiKeybindings, PiTheme, PiTui } from "./pi-types.ts";
import { truncateToColumns } from "./truncate-to-columns.ts";

export interface Choice<T> {
  value: T;
  /** One line, safe for a terminal. */
  text: string;
}

export interface ChooserOptions<T> {
  title: string;
  /** The initial query, and its results. */
  initialQuery: string;
  initialChoices: readonly Choice<T>[];
  /** Returns the choices for a query; "" means no query. */
  find(query: string, signal: AbortSignal): Promise<readonly Choice<T>[]>;
}

/** Maximum number of choices of the plain selection, which shows all at once. */
const MAX_PLAIN_CHOICES = 20;

export async function choose<T>({ ui }: PiContext, options: ChooserOptions<T>): Promise<T | undefined> {
  let isCustom = false;
  const selected = await ui.custom<T | undefined>((tui, theme, keybindings, done) => {
    isCustom = true;
    return new ChooserComponent(options, { tui, theme, keybindings }, done);
  });
  if (isCustom) return selected;
  // The result is the selected text, so numbers keep equal texts apart.
  const texts = options.initialChoices.slice(0, MAX_PLAIN_CHOICES).map(({ text }, n) => `${n + 1}. ${text}`);
  const text = await ui.select(options.title, texts);
  return text === undefined ? undefined : options.initialChoices[texts.indexOf(text)]?.value;
}

/** Visible choices. */
const VISIBLE_ROWS = 10;
/** Keys that move the selection, and by how many choices. */
const MOVES = [
  ["tui.select.up", -1],
  ["tui.select.down", 1],
  ["tui.select.pageUp", -VISIBLE_ROWS],
  ["tui.select.pageDown", VISIBLE_ROWS],
] as const;
const HINTS = "↑↓ move · type to search · enter select · esc cancel";
// biome-ignore lint/suspicious/noControlCharactersInRegex: bracketed paste, as terminals send it
const PASTED = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~)?$/;

/** Draws itself, because pi's components are in pi's own packages. */
export class ChooserComponent<T> implements PiComponent {
  readonly #options: ChooserOptions<T>;
  readonly #screen: { tui: PiTui; theme: PiTheme; keybindings: PiKeybindings };
  readonly #done: (value: T | undefined) => void;
  #typed: string;
  #choices: readonly Choice<T>[];
  #selected = 0;
  /** A message in place of the choices. */
  #message = "";
  #search: AbortController | undefined;

  constructor(
    options: ChooserOptions<T>,
    screen: { tui: PiTui; theme: PiTheme; keybindings: PiKeybindings },
    done: (value: T | undefined) => void,
  ) {
    this.#options = options;
    this.#screen = screen;
    this.#done = done;
    this.#typed = options.initialQuery;
    this.#choices = options.initialChoices;
  }

  render(width: number): string[] {
    const { theme } = this.#screen;
    const line = (text: string, color?: Parameters<PiTheme["fg"]>[0]) => {
      const shown = truncateToColumns(text, width);
      return color === undefined ? shown : theme.fg(color, shown);
    };
    const border = theme.fg("border", "─".repeat(Math.max(width, 1)));
    const first = Math.max(
      0,
      Math.min(this.#selected - VISIBLE_ROWS / 2, this.#choices.length - VISIBLE_ROWS),
    );
    const rows = this.#choices
      .slice(first, first + VISIBLE_ROWS)
      .map(({ text }, n) => (first + n === this.#selected ? line(`→ ${text}`, "accent") : line(`  ${text}`)));
    const count = this.#choices.length === 0 ? "" : ` (${this.#selected + 1} of ${this.#choices.length})`;
    return [
      border,
      line(` ${this.#options.title}${count}`, "accent"),
      line(` > ${this.#typed}_`),
      ...(this.#message === "" ? rows : [line(`  ${this.#message}`, "muted")]),
      line(` ${HINTS}`, "dim"),
      border,
    ];
  }

  handleInput(data: string): void {
    const { keybindings, tui } = this.#screen;
    const last = this.#choices.length - 1;
    if (keybindings.matches(data, "tui.select.cancel")) {
      this.#close(undefined);
      return;
    }
    if (keybindings.matches(data, "tui.select.confirm")) {
      const chosen = this.#choices[this.#selected];
      if (chosen && this.#message === "") this.#close(chosen.value);
      return;
    }
    const move = MOVES.find(([key]) => keybindings.matches(data, key));
    if (move) this.#selected = Math.min(last, this.#selected + move[1]);
    else if (keybindings.matches(data, "tui.editor.deleteWordBackward"))
      this.#type(this.#typed.replace(/\S*\s*$/, ""));
    else if (keybindings.matches(data, "tui.editor.deleteCharBackward"))
      this.#type([...this.#typed].slice(0, -1).join(""));
    else {
      const text = (PASTED.exec(data)?.[1] ?? data).replace(/\s+/g, " ");
      if (!/^\P{C}+$/u.test(text)) return; // an unused key
      this.#type(this.#typed + text);
    }
    this.#selected = Math.max(0, this.#selected);
    tui.requestRender();
  }

  /** Nothing is cached. */
  invalidate(): void {}

  dispose(): void {
    this.#search?.abort();
  }

  #type(typed: string): void {
    this.#typed = typed;
    this.#search?.abort();
    const search = new AbortController();
    this.#search = search;
    const query = queryOf(typed);
    if (query === undefined) return;
    const show = (choices: readonly Choice<T>[], message: string) => {
      if (search.signal.aborted) return; // the query has changed since
      this.#choices = choices;
      this.#message = message;
      this.#selected = 0;
      this.#screen.tui.requestRender();
    };
    this.#options.find(query, search.signal).then(
      (choices) => show(choices, choices.length === 0 ? "No matches." : ""),
      (error: unknown) => show([], toMessage(error)),
    );
  }

  #close(value: T | undefined): void {
    this.#search?.abort();
    this.#done(value);
  }
}

/** The query for the typed text; undefined while its last word has too many completions. */
function queryOf(typed: string): string | undefined {
  const query = parseTypedQuery(typed);
  if (query.by === "nothing") return "";
  if (query.by === "words") return query.query;
  return query.by === "pattern" ? query.regex : undefined;
}
