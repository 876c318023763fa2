/** A program in a real pseudo-terminal, and its screen as a user sees it. */
import { spawn } from "@lydell/node-pty";
import headless, { type Terminal } from "@xterm/headless";
import { toKeyBytes } from "./key-bytes.ts";

export interface TerminalOptions {
  /** The program and its arguments. */
  argv: readonly [string, ...string[]];
  /** Its complete environment; `TERM` defaults to `xterm-256color`. */
  env?: NodeJS.ProcessEnv;
  cols?: number;
  rows?: number;
  cwd?: string;
  /** The emulator; default: an xterm of this size. */
  screen?: Terminal;
}

export interface Exit {
  code: number;
  /** The number of the signal that killed it, if any. */
  signal?: number;
}

/** Style of a screen cell. Colors are palette numbers or 0xRRGGBB; undefined is the terminal's default. */
export interface Cell {
  /** The character: empty for the right half of a wide character. */
  text: string;
  columns: number;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  strikethrough: boolean;
  foreground?: number;
  background?: number;
}

type Wanted = string | RegExp | ((screen: string[]) => boolean);

/** Maximum wait in milliseconds: much longer than needed, so that no test fails on a busy machine. */
const LONGEST_MS = 20_000;

/**
 * A program in a pseudo-terminal.
 *
 * @throws Error if the program or folder does not exist
 */
export class TestTerminal {
  /** Resolves when the program has ended and its output is on the screen. */
  readonly exit: Promise<Exit>;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #terminal: Terminal;
  readonly #chunks: string[] = [];
  readonly #looking = new Set<() => void>();
  #isCursorVisible = true;
  /** Whether the program has exited. */
  #isGone = false;
  /** The same, once its output is on the screen. */
  #hasExited = false;

  constructor({
    argv,
    env = process.env,
    cols = 80,
    rows = 24,
    cwd = process.cwd(),
    screen,
  }: TerminalOptions) {
    const [program, ...args] = argv;
    this.#terminal =
      screen ?? new headless.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1000 });
    this.#watchCursor();
    const name = env.TERM ?? "xterm-256color";
    this.#pty = spawn(program, args, { name, cols, rows, cwd, env: { ...env, TERM: name } });
    this.#terminal.onData((answer) => this.write(answer)); // a terminal's responses to queries
    this.#pty.onData((chunk) => {
      this.#chunks.push(chunk);
      this.#terminal.write(chunk, () => this.#look());
    });
    this.exit = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#isGone = true;
        // After all earlier output: the last writes may not be on the screen yet.
        this.#terminal.write("", () => {
          this.#hasExited = true;
          this.#look();
          resolve({ code: exitCode, ...(signal && { signal }) });
        });
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Terminal modes that programs have set, as far as xterm.js tracks them. */
  get modes(): Terminal["modes"] {
    return this.#terminal.modes;
  }

  get cursorVisible(): boolean {
    return this.#isCursorVisible;
  }

  /** Position of the cursor, from 0. */
  get cursor(): { row: number; col: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, col: cursorX };
  }

  /** Sends bytes to the program, unchanged. */
  write(text: string): void {
    if (!this.#isGone) this.#pty.write(text);
  }

  /**
   * Sends keys as terminals with xterm's protocol do: `enter`, `shift+tab`, `ctrl+s`, `alt+n`, `x`. After `escape`, wait for
   * its effect: with immediately following bytes it is another key.
   *
   * @throws Error if a key has no such bytes
   */
  press(...keys: string[]): void {
    if (keys.slice(0, -1).includes("escape")) throw new Error("Nothing can follow escape at once");
    for (const key of keys) this.write(toKeyBytes(key));
  }

  /** The visible rows, without trailing spaces. */
  screen(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? "").trimEnd(),
    );
  }

  /** The program's output so far. */
  bytes(): string {
    return this.#chunks.join("");
  }

  /**
   * Waits until the screen shows a text in one row, matches a pattern over all rows (joined by newlines), or satisfies a
   * function. The screen is checked after each output, but never within a synchronized frame.
   *
   * @param about a description for the error @returns the screen @throws Error with the screen after 20 s, or if the program
   * ends first
   */
  until(what: Wanted, about = String(what)): Promise<string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const fail = (why: string) => {
      const frame = this.screen().map((row) => `  | ${row}`);
      reject(new Error(`${why}, waiting for ${about}. The screen:\n${frame.join("\n")}`));
    };
    const look = () => {
      try {
        if (!this.modes.synchronizedOutputMode && shows(this.screen(), what)) resolve(this.screen());
        else if (this.#hasExited) fail("The program has ended");
      } catch (error) {
        reject(error);
      }
    };
    this.#looking.add(look);
    const timer = setTimeout(() => fail("Nothing came"), LONGEST_MS);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#looking.delete(look);
    });
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#isGone) this.#pty.kill(signal);
  }

  /** Closes the terminal, as its window does. */
  close(): void {
    (this.#pty as ReturnType<typeof spawn> & { destroy(): void }).destroy();
  }

  isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** @throws RangeError if there is no such cell */
  cell(row: number, col: number): Cell {
    const { active } = this.#terminal.buffer;
    const cell = active.getLine(active.baseY + row)?.getCell(col);
    if (!cell) throw new RangeError(`No row ${row}, column ${col}`);
    return {
      text: cell.getChars(),
      columns: cell.getWidth(),
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      italic: cell.isItalic() !== 0,
      underline: cell.isUnderline() !== 0,
      inverse: cell.isInverse() !== 0,
      strikethrough: cell.isStrikethrough() !== 0,
      ...(!cell.isFgDefault() && { foreground: cell.getFgColor() }),
      ...(!cell.isBgDefault() && { background: cell.getBgColor() }),
    };
  }

  /** Kills the program if it is running. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.exit;
    this.#terminal.dispose();
  }

  /** xterm.js has no API for the cursor's visibility. */
  #watchCursor(): void {
    for (const [final, isVisible] of [["h", true] as const, ["l", false] as const]) {
      this.#terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(25)) this.#isCursorVisible = isVisible;
        return false; // xterm.js's own handler runs after it
      });
    }
  }

  #look(): void {
    for (const look of this.#looking) look();
  }
}

function shows(screen: string[], what: Wanted): boolean {
  if (typeof what === "string") return screen.some((row) => row.includes(what));
  return what instanceof RegExp ? what.test(screen.join("\n")) : what(screen);
}
