/** Runs a program in a terminal that nobody sees, types into it, and waits for what it shows. */
import { spawn } from "@lydell/node-pty";
import type { Terminal } from "@xterm/headless";
import { modernTerminal } from "./modern-terminal.ts";

export interface SceneOptions {
  argv: readonly [program: string, ...args: string[]];
  /** The whole environment of the program. */
  env: Record<string, string>;
  cols: number;
  rows: number;
  cwd: string;
}

/** What is waited for: words on the screen, or anything about its lines. */
export type Sight = string | ((lines: readonly string[]) => boolean);

export interface Scene {
  readonly terminal: Terminal;
  /** The rows of the screen, without blanks at their ends. */
  lines(): string[];
  type(text: string): void;
  /** Presses a key: `enter`, `pageDown`, `ctrl+t`, `alt+x`, `shift+tab`. @throws Error when there is no such key */
  key(name: string): void;
  /** Waits until it is to be seen. @throws Error with the screen when it is not in time, or the program has ended */
  until(sight: Sight): Promise<void>;
  resize(cols: number, rows: number): void;
  /** Waits until the program ends by itself. @returns its exit code; @throws Error as `until` */
  ended(): Promise<number>;
  /** Ends the program, if it has not ended, and waits until it is gone. */
  close(): Promise<void>;
}

/** How long is waited at most, in milliseconds: far longer than it takes, so that a busy machine fails nothing. */
const LONGEST_MS = 30_000;

/** Starts a program. @throws Error when there is no pseudo-terminal for this system */
export async function scene({ argv, env, cols, rows, cwd }: SceneOptions): Promise<Scene> {
  const terminal = modernTerminal(cols, rows);
  const [program, ...args] = argv;
  const surroundings = { TERM: "xterm-256color", COLORTERM: "truecolor", ...env };
  const child = spawn(program, args, { name: surroundings.TERM, cols, rows, cwd, env: surroundings });
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of [...watchers]) watcher();
  };
  let exitCode: number | undefined;
  terminal.onData((answer) => child.write(answer)); // what the program asks the terminal about itself
  child.onData((data) => terminal.write(data, look));
  // Queued behind all that was written: the screen is whole before anybody hears of the end.
  child.onExit(({ exitCode: code }) =>
    terminal.write("", () => {
      exitCode = code;
      look();
    }),
  );

  const lines = () => {
    const { active } = terminal.buffer;
    const row = (y: number) => active.getLine(active.viewportY + y)?.translateToString(true) ?? "";
    return Array.from({ length: terminal.rows }, (_, y) => row(y));
  };

  /** Looks whenever something was drawn. */
  const when = (what: string, isSo: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        clearTimeout(deadline);
        watchers.delete(watcher);
        if (error) reject(error);
        else resolve();
      };
      const inVain = (why: string) => settle(new Error(`${why}: ${what}. The screen:\n${framed(lines())}`));
      const deadline = setTimeout(() => inVain("Waited in vain for"), LONGEST_MS);
      const watcher = () => {
        if (isSo()) settle();
        else if (exitCode !== undefined) inVain(`The program ended with ${exitCode} before`);
      };
      watchers.add(watcher);
      watcher();
    });

  return {
    terminal,
    lines,
    type: (text) => child.write(text),
    key: (name) => child.write(bytesOf(name)),
    until: (sight) =>
      typeof sight === "string"
        ? when(JSON.stringify(sight), () => lines().some((line) => line.includes(sight)))
        : when(String(sight), () => sight(lines())),
    resize(newCols, newRows) {
      terminal.resize(newCols, newRows);
      child.resize(newCols, newRows);
    },
    async ended() {
      await when("its end", () => exitCode !== undefined);
      return exitCode as number;
    },
    async close() {
      if (exitCode === undefined) child.kill();
      await when("its end", () => exitCode !== undefined);
      terminal.dispose();
    },
  };
}

function framed(lines: readonly string[]): string {
  return lines.map((line) => `  | ${line}`).join("\n");
}

const KEYS: Record<string, string> = {
  enter: "\r",
  tab: "\t",
  "shift+tab": "\x1b[Z",
  escape: "\x1b",
  space: " ",
  backspace: "\x7f",
  delete: "\x1b[3~",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
};

/** What a terminal sends for a key. */
function bytesOf(name: string): string {
  const known = KEYS[name];
  if (known !== undefined) return known;
  const [, modifier, letter = ""] = /^(ctrl|alt)\+(.+)$/.exec(name) ?? [];
  if (modifier === "alt") return `\x1b${letter.length === 1 ? letter : bytesOf(letter)}`;
  if (modifier === "ctrl" && /^[a-z]$/.test(letter)) return String.fromCharCode(letter.charCodeAt(0) & 0x1f);
  if ([...name].length === 1) return name;
  throw new Error(`there is no key named ${name}`);
}
