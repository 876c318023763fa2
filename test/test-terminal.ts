/** A program in a real pseudo-terminal, and the screen a person would see of it. */
import { spawn } from "@lydell/node-pty";
import headless, { type Terminal } from "@xterm/headless";
import { toKeyBytes } from "./key-bytes.ts";

export interface TerminalOptions {
  /** The program and its arguments. */
  argv: readonly [string, ...string[]];
  /** All of its environment; `TERM` is `xterm-256color` where it says nothing else. */
  env?: NodeJS.ProcessEnv;
  cols?: number;
  rows?: number;
  cwd?: string;
  /** The emulator; default: an xterm of that size. */
  screen?: Terminal;
}

export interface Exit {
  code: number;
  /** The number of the signal that ended it, if one did. */
  signal?: number;
}

/** How one place of the screen looks. Colors are numbers of the palette or 0xRRGGBB; none is the terminal's own. */
export interface Cell {
  /** What stands there: nothing at the right half of a wide character. */
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
 * @throws Error when there is no such program or folder
 */
export class TestTerminal {
  /** When the program has ended, and all that it wrote is on the screen. */
  readonly exit: Promise<Exit>;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #terminal: Terminal;
  readonly #chunks: string[] = [];
  readonly #looking = new Set<() => void>();
  #isCursorVisible = true;
  /** Whether the program has exited. */
  #isGone = false;
  /** The same, once all that it wrote is on the screen. */
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
    this.#terminal.onData((answer) => this.write(answer)); // what a terminal says when it is asked
    this.#pty.onData((chunk) => {
      this.#chunks.push(chunk);
      this.#terminal.write(chunk, () => this.#look());
    });
    this.exit = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#isGone = true;
        // After all that came before it: what was written last may not be on the screen yet.
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

  /** What programs have asked of the terminal, as far as xterm knows it. */
  get modes(): Terminal["modes"] {
    return this.#terminal.modes;
  }

  get cursorVisible(): boolean {
    return this.#isCursorVisible;
  }

  /** Where the cursor is, from 0. */
  get cursor(): { row: number; col: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, col: cursorX };
  }

  /** Gives the program bytes, as they are. */
  write(text: string): void {
    if (!this.#isGone) this.#pty.write(text);
  }

  /**
   * Presses keys, as terminals send them that know no newer protocol: `enter`, `shift+tab`, `ctrl+s`, `alt+n`, `x`.
   * After `escape` wait for what it does: with what follows at once it is another key.
   *
   * @throws Error when a key has no such bytes
   */
  press(...keys: string[]): void {
    if (keys.slice(0, -1).includes("escape")) throw new Error("Nothing can follow escape at once");
    for (const key of keys) this.write(toKeyBytes(key));
  }

  /** The rows that are seen, without blanks at their ends. */
  screen(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? "").trimEnd(),
    );
  }

  /** All that the program has written so far. */
  bytes(): string {
    return this.#chunks.join("");
  }

  /**
   * Waits until the screen shows something: a text in one of its rows, a pattern that matches the rows (joined by
   * newlines), or whatever a function looks for. It is looked at whenever something came, but never within a frame that
   * the program marks as one.
   *
   * @param about what is waited for, told when it never comes
   * @returns the screen then
   * @throws Error with the screen after 20 s, or when the program has ended without it
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

  isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** @throws RangeError when there is no such place */
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

  /** Kills what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.exit;
    this.#terminal.dispose();
  }

  /** xterm keeps to itself whether the cursor is shown. */
  #watchCursor(): void {
    for (const [final, isVisible] of [["h", true] as const, ["l", false] as const]) {
      this.#terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(25)) this.#isCursorVisible = isVisible;
        return false; // xterm's own comes after it
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
