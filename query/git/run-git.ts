import { spawn } from "node:child_process";
import { PidexError, systemCode } from "../../src/errors.ts";

/** No repository may run programs of its own, change anything, or ask anything. */
const SAFE_CONFIG = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.quotePath=false",
  "core.pager=cat",
  "core.commitGraph=true",
  "diff.external=",
  "diff.renames=true",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  "diff.submodule=short",
  "log.showSignature=false",
  "log.follow=false",
  "blame.ignoreRevsFile=",
  "protocol.allow=never",
].flatMap((setting) => ["-c", setting]);

/** Variables that would make git read another repository than the one in the folder. */
const REDIRECTING =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|NAMESPACE|PREFIX|EXTERNAL_DIFF|.*OBJECT_DIRECTORY.*|TRACE.*)$/;

const TIMEOUT_SECONDS = 60;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

export interface GitResult {
  /** 0 if git succeeded. */
  status: number;
  output: Buffer;
  /** What git said about a failure. */
  message: string;
}

/**
 * Runs git in a folder, read-only.
 *
 * @throws PidexError `GIT_FAILED` if git is not installed, takes more than a minute, or its output is too large; status other than 0 are
 *   results
 */
export function runGit(folder: string, args: readonly string[], signal?: AbortSignal): Promise<GitResult> {
  const child = startGit(folder, args);
  child.stdin.on("error", () => {}); // git may end before it reads anything
  child.stdin.end();
  return new Promise((resolve, reject) => {
    const output: Buffer[] = [];
    let [bytes, message] = [0, ""];
    let failure: Error | undefined;
    const stop = (error: Error) => {
      failure ??= error;
      child.kill("SIGKILL");
    };
    // Seconds are counted, because a computer that was asleep would have ended git on waking up.
    let seconds = 0;
    const timer = setInterval(() => {
      if (++seconds < TIMEOUT_SECONDS) return;
      stop(gitFailed(`git ${args[0]} took more than a minute`, "Limit the request to fewer commits."));
    }, 1000);
    const onAbort = () => stop(signal?.reason as Error);
    signal?.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      output.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) {
        stop(gitFailed(`git ${args[0]} returns more than 512 MB`, "Limit the request to fewer commits."));
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (message.length < 4000) message += chunk.toString();
    });
    child.on("error", (error) => {
      failure ??= toStartError(folder, error);
    });
    child.on("close", (status) => {
      clearInterval(timer);
      signal?.removeEventListener("abort", onAbort);
      if (failure) reject(failure);
      else resolve({ status: status ?? 1, output: Buffer.concat(output), message: message.trim() });
    });
  });
}

/** Starts git with all pipes open. */
export function startGit(folder: string, args: readonly string[]) {
  const inherited = Object.entries(process.env).filter(([name]) => !REDIRECTING.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_PAGER: "cat",
    LC_ALL: "C",
  };
  const options = ["--no-optional-locks", "--no-pager", "--literal-pathspecs", ...SAFE_CONFIG];
  return spawn("git", [...options, ...args], { cwd: folder, env, windowsHide: true });
}

function toStartError(folder: string, error: Error): Error {
  if (systemCode(error) !== "ENOENT") return error;
  // A missing folder and a missing program have the same code.
  const hint = "Install git and make sure that it is in PATH, and that the folder exists.";
  return gitFailed(`cannot run git in ${folder}`, hint, error);
}

/** @throws always */
export function gitFailed(message: string, hint: string, cause?: unknown): PidexError {
  return new PidexError("GIT_FAILED", message, hint, { cause });
}
