/** The terminal: pi-tui's alternate screen, restored however the process ends. */
import { constants } from "node:os";
import {
  type Component,
  Input,
  isKeyRelease,
  KeybindingsManager,
  matchesKey,
  ProcessTerminal,
  parseOsc11BackgroundColor,
  setKeybindings,
  TUI_KEYBINDINGS,
  TuiAltScreen,
} from "@earendil-works/pi-tui";
import { toSafeInput } from "../format/safe.ts";
import type { Size } from "./frames/layout.ts";

/** A turn of the wheel, or a press of the left button. */
export interface MouseEvent {
  /** Lines that the wheel scrolls, negative for up; undefined for a press. */
  by?: number | undefined;
  /** Position on the screen, from 0. */
  row: number;
  column: number;
}

/** The content of a screen: draws it and handles keys. */
export interface ScreenContent {
  /** As many lines as the terminal has rows, none wider than its columns. */
  draw(size: Size): string[];
  /** Handles one key, as sent by the terminal. */
  onKey(data: string): void;
  onMouse(event: MouseEvent): void;
  /** Called with the terminal's answer to `askBackground`, red, green and blue from 0 to 255. */
  onBackground(color: { r: number; g: number; b: number }): void;
  /** Called on a signal that ends the process. @param exit 128 plus the signal's number */
  onSignal(exit: number): void;
  onError(error: unknown): void;
}

const ENDING = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
const SUSPEND = "\x1a"; // Ctrl+Z
/** Reports of buttons and the wheel, not of movements, which are many. pi-tui's own reports include those. */
const ENABLE_MOUSE = "\x1b[?1000h\x1b[?1006h";
const DISABLE_MOUSE = "\x1b[?1006l\x1b[?1000l";
const ASK_BACKGROUND = "\x1b]11;?\x07"; // OSC 11
/** Lines of text per notch of the wheel. */
const WHEEL_LINES = 3;

export class Screen {
  readonly #tui: TuiAltScreen;
  readonly #terminal = new ProcessTerminal();
  readonly #content: ScreenContent;
  readonly #listeners: (() => void)[] = [];
  #isOpen = false;
  /** Whether the shell or another program has the terminal. */
  #isSuspended = false;

  readonly #hasMouse: boolean;

  /** @param hasMouse whether the terminal reports the mouse */
  constructor(content: ScreenContent, hasMouse: boolean) {
    this.#content = content;
    this.#hasMouse = hasMouse;
    setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, withoutViewportKeys()));
    this.#tui = new TuiAltScreen(this.#terminal, undefined, undefined, {
      mouse: false,
      wheelScrollLines: WHEEL_LINES,
    });
    const root: Component = {
      render: () => content.draw(this.size),
      handleInput: (data) => this.#press(data),
      handleMouse: ({ type, button, wheelDelta: by, screenX: column, screenY: row }) => {
        const isUsed = type === "wheel" || (type === "press" && button === "left");
        if (isUsed) content.onMouse({ by, row, column });
        return { handled: true, render: isUsed };
      },
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
      const end = () => {
        if (signal === "SIGINT" && this.#isSuspended) return; // Ctrl+C is for the program that has the terminal
        this.#content.onSignal(128 + constants.signals[signal]);
      };
      process.on(signal, end);
      this.#listeners.push(() => process.off(signal, end));
    }
    const fail = (error: unknown) => this.#content.onError(error);
    process.on("uncaughtException", fail);
    this.#listeners.push(() => process.off("uncaughtException", fail));
    this.#isOpen = true;
    this.#enter();
  }

  /** Asks the terminal for its background. Some never answer; nothing waits for it. */
  askBackground(): void {
    this.write(ASK_BACKGROUND);
  }

  /** Schedules a draw, at most one per frame. */
  redraw(): void {
    if (this.#isOpen && !this.#isSuspended) this.#tui.requestRender();
  }

  /** Draws immediately: for results that the user waits for. */
  redrawNow(): void {
    if (this.#isOpen && !this.#isSuspended) this.#tui.renderNow();
  }

  /** Writes to the terminal directly, for example an escape sequence. */
  write(text: string): void {
    this.#terminal.write(text);
  }

  /** Leaves the terminal to another program while `work` runs. @throws as `work` */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#isSuspended = true;
    this.#leave();
    try {
      return await work();
    } finally {
      this.#resume();
    }
  }

  /** Restores the terminal. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#leave();
    for (const stop of this.#listeners.splice(0)) stop();
    process.stdin.pause();
  }

  #enter(): void {
    this.#tui.start();
    if (this.#hasMouse) this.write(ENABLE_MOUSE);
  }

  #leave(): void {
    if (this.#hasMouse) this.write(DISABLE_MOUSE);
    this.#tui.stop({ preserveScreen: true });
    process.stdin.setRawMode?.(false); // it may have been raw before `open`
  }

  #press(data: string): void {
    const background = parseOsc11BackgroundColor(data);
    if (background) this.#content.onBackground(background);
    else if (SEVERAL_ESCAPES.test(data)) for (const key of data) this.#content.onKey(key);
    else if (data !== SUSPEND) this.#content.onKey(data);
    else if (process.platform !== "win32") this.#suspend();
  }

  /** Ctrl+Z: returns to the shell until it continues the process. */
  #suspend(): void {
    this.#isSuspended = true;
    this.#leave();
    process.once("SIGCONT", () => this.#resume());
    process.kill(0, "SIGTSTP");
  }

  #resume(): void {
    this.#isSuspended = false;
    if (!this.#isOpen) return;
    this.#enter();
    this.#tui.requestRender(true); // forced: a draw that was pending when it stopped would block later ones
  }
}

/** Esc pressed again before the first one was read: parsed as one key, it would be Ctrl+Alt+[. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Esc is one
const SEVERAL_ESCAPES = /^\x1b{2,}$/;

/** Removes pi-tui's key bindings for its own viewport, which is not used here. */
function withoutViewportKeys(): Record<string, []> {
  const own = Object.keys(TUI_KEYBINDINGS).filter((name) => name.startsWith("tui.altScreen."));
  return Object.fromEntries(own.map((name) => [name, []]));
}

/** A text input of one line. */
export class TextLine {
  readonly #input: Input;

  /** Whether all of the text is selected: a character replaces it. */
  #isSelected: boolean;

  /** @param isSelected whether the text is selected until the first key */
  constructor(prompt: string, text = "", isSelected = false) {
    this.#input = new Input({ prompt });
    this.#isSelected = isSelected && text !== "";
    this.#input.setValue(text);
    this.#input.focused = true;
    this.#input.handleInput(LINE_END);
  }

  get text(): string {
    return this.#input.getValue();
  }

  /** Replaces the text and moves the cursor to its end. */
  set text(text: string) {
    this.#input.setValue(text);
    this.#input.handleInput(LINE_END);
  }

  /** Handles a key. */
  press(data: string): void {
    const key = withoutControls(data);
    if (this.#isSelected && !isKeyRelease(data)) {
      this.#isSelected = false;
      const isErased = matchesKey(data, "backspace") || matchesKey(data, "delete");
      if (isErased || insertsText(key)) this.#input.handleInput(DELETE_TO_START);
      if (isErased) return;
      // The cursor goes to the side of the selected text to which the key points.
      this.#input.handleInput(matchesKey(data, "left") ? LINE_START : key);
    } else this.#input.handleInput(key);
  }

  /**
   * Draws the line. Control characters, which the text may contain if it comes from a session, are drawn as symbols.
   *
   * @param hasCursor whether this line has the focus: only one line may
   */
  draw(columns: number, hasCursor = true): string {
    // pi-tui removes only one cursor marker from a frame: a second one would be written to the terminal.
    this.#input.focused = hasCursor;
    const { text } = this;
    const shown = toSafeInput(text);
    // Same length as the text, so the cursor position stays valid.
    if (shown !== text) this.#input.setValue(shown);
    const drawn = this.#input.render(columns)[0] ?? "";
    if (shown !== text) this.#input.setValue(text);
    return this.#isSelected ? `\x1b[7m${drawn.replace(END_CURSOR, "\x1b[27m ")}` : drawn;
  }
}

const LINE_START = "\x01"; // Ctrl+A
const LINE_END = "\x05"; // Ctrl+E
const DELETE_TO_START = "\x15"; // Ctrl+U
/** How pi-tui draws a cursor behind the text. */
const END_CURSOR = "\x1b[7m \x1b[27m";

/** Whether a key inserts text, in place of editing it. */
export function insertsText(data: string): boolean {
  const input = new Input();
  input.handleInput(data);
  return input.getValue() !== "";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const PASTED = /^\x1b\[200~([\s\S]*)\x1b\[201~$/;

/** Replaces control characters in pasted text with spaces: line breaks still separate words, and the terminal must not execute the rest. */
function withoutControls(data: string): string {
  const pasted = PASTED.exec(data)?.[1];
  if (pasted === undefined) return data;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
  return `\x1b[200~${pasted.replace(/[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, " ")}\x1b[201~`;
}
