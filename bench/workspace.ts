import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BenchRoot, prepareRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import type { Comparison } from "./comparison.ts";
import { parseBytes } from "./generate.ts";
import type { Profile } from "./plan.ts";
import { writeRealRoot } from "./real/root.ts";
import type { SyncCost } from "./sync-once.ts";

/** Sizes of the roots. */
export interface Sizes {
  /** Main roots, in bytes. The first one is searched and listed. */
  main: readonly string[];
  /** Number of small sessions in one root. */
  small: number;
  /** Size of one session, in bytes. */
  giant: string;
  /** Number of entries of one session. */
  tree: number;
  /** Number of billable events. */
  events: number;
  /** Number of tiny sessions per root: the others are compared with the first. */
  tiny: readonly number[];
}

/** The kinds of main roots: see `bench/README.md`. */
export type MainProfile = "mixed" | "varied" | "real";

interface WorkspaceOptions {
  folder: string;
  profile: MainProfile;
  sizes: Sizes;
  rounds: number;
  turns: number;
  cli?: string;
}

/** Measures a part of the benchmark, and returns its rows. */
export type Part = (bench: Workspace) => Promise<Comparison[]>;

/** State shared by the parts of a run: generated roots, an index of each, and a temporary folder. */
export class Workspace {
  readonly folder: string;
  readonly sizes: Sizes;
  readonly rounds: number;
  /** Repetitions per round of operations too fast to measure once. */
  readonly turns: number;
  /** Sentences to print below the tables, such as which measurements were skipped. */
  readonly notes = new Set<string>();
  /** The roots used so far. */
  readonly roots = new Map<string, BenchRoot>();
  readonly profile: MainProfile;
  readonly #cli: string | undefined;
  readonly #scratch: string;
  readonly #indexes = new Map<string, string>();

  constructor(options: WorkspaceOptions) {
    this.profile = options.profile;
    this.folder = resolve(options.folder);
    this.sizes = options.sizes;
    this.rounds = options.rounds;
    this.turns = options.turns;
    this.#cli = options.cli && resolve(options.cli);
    mkdirSync(this.folder, { recursive: true });
    this.#scratch = mkdtempSync(join(this.folder, "scratch-"));
  }

  /** The program file to measure instead of the built command line. */
  get cli(): string | undefined {
    return this.#cli;
  }

  logProgress(message: string): void {
    console.error(`${message} …`);
  }

  /** A path in the temporary folder; creates its parent folder. */
  scratchPath(...names: string[]): string {
    const path = join(this.#scratch, ...names);
    mkdirSync(join(path, ".."), { recursive: true });
    return path;
  }

  /** Writes the main roots from a user's sessions. They are deleted with the temporary folder, because they are private. */
  async prepareReal(folder: string): Promise<void> {
    for (const size of this.sizes.main) {
      this.logProgress(`sessions: ${size} from ${folder}`);
      const path = this.scratchPath("roots", `real-${size}`);
      const db = this.scratchPath("real-roots.db");
      const manifest = await writeRealRoot(path, folder, parseBytes(size), db);
      this.roots.set(`real-${size}`, { path, title: `${size} real`, manifest });
    }
  }

  root(profile: Profile | MainProfile, size: string | number): BenchRoot {
    const known = this.roots.get(`${profile}-${size}`);
    if (known) return known;
    if (profile === "real") throw new Error("Real roots are prepared by prepareReal()");
    this.logProgress(`sessions: ${profile} ${size}`);
    const root = prepareRoot(this.folder, profile, String(size));
    this.roots.set(`${profile}-${size}`, root);
    return root;
  }

  /** The roots of the selected profile, one for each size. */
  get mainRoots(): BenchRoot[] {
    return this.sizes.main.map((size) => this.root(this.profile, size));
  }

  /** The root for lists, searches and the picker. */
  get main(): BenchRoot {
    return this.root(this.profile, this.sizes.main[0] ?? "1GB");
  }

  /** The path of an up-to-date index of a root, created on first use. */
  index({ path, title }: BenchRoot): string {
    const known = this.#indexes.get(path);
    if (known) return known;
    this.logProgress(`index of ${title}`);
    const db = this.scratchPath("indexes", `${basename(path)}.db`);
    runChild<SyncCost>("sync-once.ts", db, path);
    this.#indexes.set(path, db);
    return db;
  }

  /** Sets the up-to-date index of a root to one that a part has built. */
  setIndex({ path }: BenchRoot, db: string): void {
    this.#indexes.set(path, db);
  }

  async runRounds(what: string, each: (round: number) => unknown): Promise<void> {
    this.logProgress(what);
    for (let round = 1; round <= this.rounds; round++) await each(round);
  }

  remove(): void {
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 10 });
  }
}
