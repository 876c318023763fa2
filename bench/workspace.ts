import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BenchRoot, benchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import type { Comparison } from "./comparison.ts";
import type { Profile } from "./plan.ts";
import type { SyncCost } from "./sync-once.ts";

/** How large what is measured on is. */
export interface Sizes {
  /** Of mixed roots, in bytes. The first is the one that is searched, and listed. */
  mixed: readonly string[];
  /** Small sessions of one root. */
  small: number;
  /** One session, in bytes. */
  giant: string;
  /** Entries of one session. */
  tree: number;
  /** Billed events. */
  events: number;
  /** Tiny sessions of each root: the first is what the others are held against. */
  tiny: readonly number[];
}

/** One part of the bench: measures, and returns its rows. */
export type Part = (bench: Workspace) => Promise<Comparison[]>;

/** What the parts of a run share: the generated roots, an index of each, and a folder that is gone afterwards. */
export class Workspace {
  readonly folder: string;
  readonly sizes: Sizes;
  readonly rounds: number;
  /** How often a round asks what is answered so quickly that once would say little. */
  readonly turns: number;
  /** What could not be measured here, in sentences. */
  readonly notes = new Set<string>();
  /** The roots that were used. */
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

  /** The file that starts the command line, where another than the built one is to be measured. */
  get cli(): string | undefined {
    return this.#cli;
  }

  say(what: string): void {
    console.error(`${what} …`);
  }

  /** A path in the folder that is gone afterwards. Its folder is there. */
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

  /** The mixed root that is listed and searched. */
  get mixed(): BenchRoot {
    return this.root("mixed", this.sizes.mixed[0] ?? "1GB");
  }

  /** The path of an index that is up to date with a root; made when it is first asked for. */
  index({ path, title }: BenchRoot): string {
    const known = this.#indexes.get(path);
    if (known) return known;
    this.say(`index of ${title}`);
    const db = this.scratch("indexes", `${basename(path)}.db`);
    runChild<SyncCost>("sync-once.ts", db, path);
    this.#indexes.set(path, db);
    return db;
  }

  /** Takes an index over that a part has made anyway. */
  adopt({ path }: BenchRoot, db: string): void {
    this.#indexes.set(path, db);
  }

  /** Calls for each round, and says so. */
  async inRounds(what: string, each: (round: number) => unknown): Promise<void> {
    this.say(what);
    for (let round = 1; round <= this.rounds; round++) await each(round);
  }

  remove(): void {
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 10 });
  }
}
