import { spawn } from "node:child_process";

export interface CopyOptions {
  env: NodeJS.ProcessEnv;
  /** Writes to the terminal. */
  write: (text: string) => void;
  platform?: NodeJS.Platform;
}

/**
 * Puts text on the clipboard of who sits at the terminal: by a program of this machine, if somebody sits there; else tmux or
 * the terminal is asked to (OSC 52), as over ssh.
 *
 * @returns "program" when a program has taken it; "terminal" when it went to the terminal, which may not want to and does
 * not tell
 */
export async function copy(
  text: string,
  { env, write, platform = process.platform }: CopyOptions,
): Promise<"program" | "terminal"> {
  for (const argv of programs(env, platform)) {
    if (await takes(argv, inputOf(argv, text), env)) return "program";
  }
  // As tmux is set up at first, it does not hand on what programs in it send to the clipboard, but what it is told by this.
  if (env.TMUX && (await takes(["tmux", "load-buffer", "-w", "-"], text, env))) return "terminal";
  write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
  return "terminal";
}

type Argv = readonly [string, ...string[]];

/** What may put something on the clipboard here, the surest first. Over ssh it would be that of a machine far away. */
function programs(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Argv[] {
  if (env.SSH_CONNECTION || env.SSH_TTY) return [];
  const all: [unknown, Argv][] = [
    [platform === "darwin", ["pbcopy"]],
    [env.WAYLAND_DISPLAY, ["wl-copy"]],
    [env.DISPLAY, ["xclip", "-selection", "clipboard"]],
    [env.DISPLAY, ["xsel", "--clipboard", "--input"]],
    [platform === "win32" || env.WSL_DISTRO_NAME || env.WSL_INTEROP, ["clip.exe"]],
    [env.TERMUX_VERSION, ["termux-clipboard-set"]],
  ];
  return all.flatMap(([isHere, argv]) => (isHere ? [argv] : []));
}

/** Windows' own takes other letters than ASCII only as UTF-16. */
function inputOf([program]: Argv, text: string): string | Buffer {
  const isPlain = /^[\0-\x7f]*$/.test(text);
  return program === "clip.exe" && !isPlain ? Buffer.from(text, "utf16le") : text;
}

/** One that waits for a display which does not answer is given up, in milliseconds. */
const LONGEST_MS = 3000;

/** Whether there is such a program, and it takes what it is given. */
function takes([program, ...args]: Argv, input: string | Buffer, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // Some stay, to hold the clipboard: not a part of this terminal, which would end them when it is closed.
  const child = spawn(program, args, { env, stdio: ["pipe", "ignore", "ignore"], detached: true });
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  child.on("error", () => resolve(false)); // there is none
  child.on("exit", (code) => resolve(code === 0));
  child.stdin.on("error", () => {}); // it has ended without reading; how it ended tells
  child.stdin.end(input);
  return promise.finally(() => clearTimeout(timer));
}
