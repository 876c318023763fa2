/** The picker on a terminal: pi-tui's alternate screen, and its end, whatever ends it. */
import { constants } from "node:os";
import {
  type Component,
  Input,
  KeybindingsManager,
  ProcessTerminal,
  setKeybindings,
  TUI_KEYBINDINGS,
  TuiAltScreen,
} from "@earendil-works/pi-tui";
import { withSigns } from "../format/safe.ts";
import type { Size } from "./frames/layout.ts";

/** What is drawn, and told of keys. */
export interface Shown {
  /** As many lines as the terminal has, none wider than it is. */
  draw(size: Size): string[];
  /** One key, as the terminal sent it. */
  press(data: string): void;
  /** A signal ends the process: 128 and its number is to be the exit code. */
  ended(exit: number): void;
  failed(error: unknown): void;
}

const ENDING = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
const SUSPEND = "\x1a"; // Ctrl+Z

export class Screen {
  readonly #tui: TuiAltScreen;
  readonly #terminal = new ProcessTerminal();
  readonly #shown: Shown;
  readonly #listeners: (() => void)[] = [];
  #isOpen = false;
  /** Whether the terminal is the shell's meanwhile. */
  #isSuspended = false;

  constructor(shown: Shown) {
    this.#shown = shown;
    setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, noneOfTheViewport()));
    this.#tui = new TuiAltScreen(this.#terminal, undefined, undefined, { mouse: false });
    const root: Component = {
      render: () => shown.draw(this.size),
      handleInput: (data) => this.#press(data),
      invalidate: () => {},
    };
    this.#tui.setLayoutRoot(root);
    this.#tui.setFocus(root);
  }

  get size(): Size {
    return { columns: Math.max(1, this.#terminal.columns), rows: Math.max(1, this.#terminal.rows) };
  }

  open(): void {
    for (const signal of ENDING) {
      const end = () => this.#shown.ended(128 + constants.signals[signal]);
      process.on(signal, end);
      this.#listeners.push(() => process.off(signal, end));
    }
    const fail = (error: unknown) => this.#shown.failed(error);
    process.on("uncaughtException", fail);
    this.#listeners.push(() => process.off("uncaughtException", fail));
    this.#isOpen = true;
    this.#tui.start();
  }

  /** Draws soon, and at most once a frame. */
  redraw(): void {
    if (this.#isOpen && !this.#isSuspended) this.#tui.requestRender();
  }

  /** Draws now: what somebody waits for. */
  redrawNow(): void {
    if (this.#isOpen && !this.#isSuspended) this.#tui.renderNow();
  }

  /** Writes what is no part of the screen, for the terminal itself. */
  write(text: string): void {
    this.#terminal.write(text);
  }

  /** Leaves the terminal as it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#leave();
    for (const stop of this.#listeners.splice(0)) stop();
    process.stdin.pause();
  }

  #leave(): void {
    this.#tui.stop({ preserveScreen: true });
    process.stdin.setRawMode?.(false); // it may have been raw when this began
  }

  #press(data: string): void {
    if (data !== SUSPEND) this.#shown.press(data);
    else if (process.platform !== "win32") this.#suspend();
  }

  /** Ctrl+Z, as of any other program: back to the shell, until it says to go on. */
  #suspend(): void {
    this.#isSuspended = true;
    this.#leave();
    process.once("SIGCONT", () => {
      this.#isSuspended = false;
      if (!this.#isOpen) return;
      this.#tui.start();
      this.#tui.requestRender(true); // what was to be drawn when it stopped would hold up all else
    });
    process.kill(0, "SIGTSTP");
  }
}

/** pi-tui's keys for a viewport that it scrolls itself: there is none here. */
function noneOfTheViewport(): Record<string, []> {
  const own = Object.keys(TUI_KEYBINDINGS).filter((name) => name.startsWith("tui.altScreen."));
  return Object.fromEntries(own.map((name) => [name, []]));
}

/** A line that is typed into. */
export class TextLine {
  readonly #input: Input;

  constructor(prompt: string, text = "") {
    this.#input = new Input({ prompt });
    this.#input.setValue(text);
    this.#input.focused = true;
    this.#input.handleInput(LINE_END);
  }

  get text(): string {
    return this.#input.getValue();
  }

  /** Puts a text there, with the cursor behind it. */
  set text(text: string) {
    this.#input.setValue(text);
    this.#input.handleInput(LINE_END);
  }

  /** Whether the cursor is behind the last character. */
  press(data: string): void {
    this.#input.handleInput(withoutControls(data));
  }

  /**
   * What stands in it may come from a session, and is drawn as signs where a terminal would obey it.
   *
   * @param hasCursor whether what is typed goes here: true of one line at a time
   */
  draw(columns: number, hasCursor = true): string {
    // pi-tui takes the mark of one cursor out of a frame: another's would go to the terminal.
    this.#input.focused = hasCursor;
    const { text } = this;
    const shown = withSigns(text);
    // As long as the text itself, so that the cursor stays where it is.
    if (shown !== text) this.#input.setValue(shown);
    const drawn = this.#input.render(columns)[0] ?? "";
    if (shown !== text) this.#input.setValue(text);
    return drawn;
  }
}

const LINE_END = "\x05"; // Ctrl+E

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const PASTED = /^\x1b\[200~([\s\S]*)\x1b\[201~$/;

/** What is pasted, on one line: newlines part words, and the rest would be obeyed when it is drawn. */
function withoutControls(data: string): string {
  const pasted = PASTED.exec(data)?.[1];
  if (pasted === undefined) return data;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return `\x1b[200~${pasted.replace(/[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, " ")}\x1b[201~`;
}
