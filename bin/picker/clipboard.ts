import { spawn } from "node:child_process";

export interface CopyOptions {
  env: NodeJS.ProcessEnv;
  /** Writes to the terminal. */
  write: (text: string) => void;
  platform?: NodeJS.Platform;
}

/**
 * Copies text to the clipboard of the terminal's user: with a program of this machine, or, over ssh or without such a program, through
 * tmux or the terminal (OSC 52).
 *
 * @returns "program" if a program has copied it; "terminal" if it was sent to the terminal, which may ignore it without notice
 */
export async function copyToClipboard(
  text: string,
  { env, write, platform = process.platform }: CopyOptions,
): Promise<"program" | "terminal"> {
  for (const argv of programs(env, platform)) {
    if (await runWithInput(argv, encodeInput(argv, text), env)) return "program";
  }
  // By default, tmux ignores OSC 52 from programs inside it, but passes on what this command loads.
  if (env.TMUX && (await runWithInput(["tmux", "load-buffer", "-w", "-"], text, env))) return "terminal";
  write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
  return "terminal";
}

type Argv = readonly [string, ...string[]];

/** Clipboard programs to try, most reliable first. */
function programs(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Argv[] {
  if (env.SSH_CONNECTION || env.SSH_TTY) return []; // they would use the remote machine's clipboard
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

/** `clip.exe` reads non-ASCII text only as UTF-16. */
function encodeInput([program]: Argv, text: string): string | Buffer {
  const isPlain = /^[\0-\x7f]*$/.test(text);
  return program === "clip.exe" && !isPlain ? Buffer.from(text, "utf16le") : text;
}

/** Time limit for a program, in milliseconds: it may wait for a display that does not respond. */
const TIMEOUT_MS = 3000;

/** Runs a program with input on stdin. @returns whether it exists and succeeded */
function runWithInput(
  [program, ...args]: Argv,
  input: string | Buffer,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // Detached, because some keep running to own the clipboard, and would end with this terminal.
  const child = spawn(program, args, { env, stdio: ["pipe", "ignore", "ignore"], detached: true });
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  child.on("error", () => resolve(false)); // not installed
  child.on("exit", (code) => resolve(code === 0));
  child.stdin.on("error", () => {}); // it ended without reading: its exit code says why
  child.stdin.end(input);
  return promise.finally(() => clearTimeout(timer));
}
