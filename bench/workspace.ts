import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BenchRoot, benchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import type { Comparison } from "./comparison.ts";
import type { Profile } from "./plan.ts";
import type { SyncCost } from "./sync-once.ts";

/** Sizes of the generated roots. */
export interface Sizes {
  /** Mixed roots, in bytes. The first one is searched and listed. */
  mixed: readonly string[];
  /** Number of small sessions in one root. */
  small: number;
  /** Size of one session, in bytes. */
  giant: string;
  /** Number of entries of one session. */
  tree: number;
  /** Number of billed events. */
  events: number;
  /** Number of tiny sessions per root: the others are compared with the first. */
  tiny: readonly number[];
}

/** A part of the benchmark: measures, and returns its rows. */
export type Part = (bench: Workspace) => Promise<Comparison[]>;

/** Shared by the parts of a run: the generated roots, an index of each, and a temporary folder. */
export class Workspace {
  readonly folder: string;
  readonly sizes: Sizes;
  readonly rounds: number;
  /** Repetitions per round of operations too fast to measure once. */
  readonly turns: number;
  /** Measurements that are not possible here, as sentences. */
  readonly notes = new Set<string>();
  /** The roots used so far. */
  readonly roots = new Map<string, BenchRoot>();
  readonly #cli: string | undefined;
  readonly #scratch: string;
  readonly #indexes = new Map<string, string>();

  constructor(options: { folder: string; sizes: Sizes; rounds: number; turns: number; cli?: string }) {
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

  say(what: string): void {
    console.error(`${what} …`);
  }

  /** A path in the temporary folder, which exists. */
  scratch(...names: string[]): string {
    const path = join(this.#scratch, ...names);
    mkdirSync(join(path, ".."), { recursive: true });
    return path;
  }

  root(profile: Profile, size: string | number): BenchRoot {
    const known = this.roots.get(`${profile}-${size}`);
    if (known) return known;
    this.say(`sessions: ${profile} ${size}`);
    const root = benchRoot(this.folder, profile, String(size));
    this.roots.set(`${profile}-${size}`, root);
    return root;
  }

  /** The mixed root for lists and searches. */
  get mixed(): BenchRoot {
    return this.root("mixed", this.sizes.mixed[0] ?? "1GB");
  }

  /** The path of an up-to-date index of a root, created on first use. */
  index({ path, title }: BenchRoot): string {
    const known = this.#indexes.get(path);
    if (known) return known;
    this.say(`index of ${title}`);
    const db = this.scratch("indexes", `${basename(path)}.db`);
    runChild<SyncCost>("sync-once.ts", db, path);
    this.#indexes.set(path, db);
    return db;
  }

  /** Reuses an index that a part has built. */
  adopt({ path }: BenchRoot, db: string): void {
    this.#indexes.set(path, db);
  }

  /** Runs a function for each round, and reports progress. */
  async inRounds(what: string, each: (round: number) => unknown): Promise<void> {
    this.say(what);
    for (let round = 1; round <= this.rounds; round++) await each(round);
  }

  remove(): void {
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 10 });
  }
}
