import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { timeCommand } from "./child.ts";
import type { Workspace } from "./workspace.ts";

const PROJECT_ROOT = join(import.meta.dirname, "..");
/** Folders the command line is built from. */
const SOURCE_FOLDERS = ["bin", "indexer", "library", "migrations", "query", "src"];

/** Runs pidex's command line, each time in a new process. */
export class CommandLine {
  readonly #bench: Workspace;
  readonly #script: string;
  /** Additional environment variables of its processes. */
  readonly env: NodeJS.ProcessEnv;

  /** Builds it first if a source file is newer than the build. */
  constructor(bench: Workspace) {
    this.#bench = bench;
    this.#script = bench.cli ?? buildIfOutdated(bench);
    // As for users, compiled code is cached between runs, but in a separate folder.
    const folder = bench.scratchPath("cache");
    mkdirSync(folder, { recursive: true });
    this.env = { XDG_CACHE_HOME: folder, LOCALAPPDATA: folder };
  }

  /** Node's arguments for a command; without arguments, for an empty Node process. */
  argv(args: readonly string[]): string[] {
    return args.length === 0 ? ["-e", "0"] : [this.#script, ...args];
  }

  /** Milliseconds from the start to the end of the process; without arguments, of an empty Node process. */
  time(args: readonly string[]): number {
    return timeCommand(process.execPath, this.argv(args), this.env);
  }

  /** Peak memory of the process, in bytes; without arguments, of an empty Node process. */
  peakBytes(args: readonly string[]): number {
    const file = this.#bench.scratchPath("peak");
    const preload = ["--import", join(import.meta.dirname, "processes/record-peak.ts")];
    timeCommand(process.execPath, [...preload, ...this.argv(args)], { ...this.env, PIDEX_BENCH_PEAK: file });
    return Number(readFileSync(file, "utf8"));
  }
}

/** Returns the path of the built command line. */
function buildIfOutdated(bench: Workspace): string {
  const built = join(PROJECT_ROOT, "dist/bin/pidex.js");
  const builtMs = existsSync(built) ? statSync(built).mtimeMs : 0;
  const folderFiles = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    ),
  );
  const sources = [...readdirSync(PROJECT_ROOT), ...folderFiles].filter((name) =>
    /\.(?:tsx?|css)$/.test(name),
  );
  if (sources.some((name) => statSync(join(PROJECT_ROOT, name)).mtimeMs > builtMs)) {
    bench.logProgress("building the command line");
    const run = (program: string, ...args: string[]) =>
      execFileSync(process.execPath, [join(PROJECT_ROOT, "node_modules", program), ...args], {
        cwd: PROJECT_ROOT,
        stdio: ["ignore", "ignore", "inherit"],
      });
    run("rolldown/bin/cli.mjs", "-c", "rolldown.config.ts");
    run("vite/bin/vite.js", "build");
  }
  return built;
}
