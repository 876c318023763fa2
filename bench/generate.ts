import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { Conversation, type RootCallbacks, type SubagentRun } from "./conversation.ts";
import { emptyManifest, type Manifest } from "./manifest.ts";
import type { UsageGenerator } from "./models.ts";
import { PROFILES, PROJECTS, type Profile, planSessions, type SessionPlan } from "./plan.ts";
import { Random } from "./random.ts";
import { type Header, readForkPrefix, SessionFile } from "./session-file.ts";
import { TextGenerator } from "./texts.ts";
import { VariedRoot } from "./varied/root.ts";
import { createVocabulary, type Vocabulary } from "./vocabulary.ts";

export interface RootOptions {
  seed: number;
  /** `varied` is a generator of its own (`varied/`), and needs `bytes`, not `files`. */
  profile: Profile | "varied";
  /** Number of .jsonl files, including those of subagents. */
  files?: number;
  /** Total bytes; accurate to a few percent unless too small for the number of files. */
  bytes?: number;
  /**
   * The root's path as recorded in `parentSession` and subagents' `sessionFile`. Default: its real path. With a fixed path, two
   * folders get the same bytes.
   */
  location?: string;
}

const DEFAULT_VARIED_BYTES = 1e9;

/** A session that may be forked. */
interface ForkSource {
  path: string;
  project: number;
}

/** Writes a root of realistic sessions, and its manifest next to it. The folder must be new or empty. */
export function generateRoot(dir: string, options: RootOptions): Manifest {
  const root = resolve(dir);
  mkdirSync(root, { recursive: true });
  if (readdirSync(root).length > 0) throw new Error(`Not empty: ${root}`);
  const manifest = writeRoot(root, options);
  writeFileSync(
    join(dirname(root), `${basename(root)}.manifest.json`),
    `${JSON.stringify(manifest, null, 2)}\n`,
  );
  return manifest;
}

function writeRoot(root: string, { profile, ...options }: RootOptions): Manifest {
  if (profile !== "varied") return new RootWriter(root, { ...options, profile }).write();
  const { seed, location = root, bytes = DEFAULT_VARIED_BYTES } = options;
  const manifest = emptyManifest(seed, profile);
  new VariedRoot(root, location, manifest, bytes).write();
  return manifest;
}

/** A fork reads its whole parent, so large sessions are not forked. */
const MAX_FORK_SOURCE_BYTES = 2_000_000;

class RootWriter {
  readonly #root: string;
  readonly #location: string;
  readonly #seed: number;
  readonly #plans: SessionPlan[];
  readonly #bytes: number;
  readonly #vocabulary: Vocabulary;
  readonly #projects: string[];
  readonly #folders = new Set<string>();
  readonly #forkSources: ForkSource[] = [];
  readonly #manifest: Manifest;

  constructor(root: string, { seed, profile, location = root, ...size }: RootOptions & { profile: Profile }) {
    const files = size.files ?? PROFILES[profile].files;
    const random = new Random(seed);
    this.#root = root;
    this.#location = location;
    this.#seed = seed;
    this.#bytes = size.bytes ?? files * PROFILES[profile].bytesPerFile;
    this.#vocabulary = createVocabulary(random);
    const { english } = this.#vocabulary;
    this.#projects = Array.from(
      { length: PROJECTS },
      (_, i) => `/home/ada/code/${random.pick(english)}-${english[i]}`,
    );
    this.#plans = planSessions(random, profile, files, this.#bytes);
    this.#manifest = emptyManifest(seed, profile);
  }

  write(): Manifest {
    let planned = this.#plans.reduce((sum, plan) => sum + plan.bytes, 0);
    this.#plans.forEach((plan, i) => {
      // Compensates for earlier sessions that became larger or smaller than planned.
      const remaining = Math.max(0, this.#bytes - this.#manifest.bytes);
      this.#writeSession(plan, (plan.bytes * remaining) / planned, new Random(this.#seed, i + 1));
      planned -= plan.bytes;
    });
    return this.#manifest;
  }

  #writeSession(planned: SessionPlan, target: number, random: Random): void {
    const parent =
      planned.isFork && this.#forkSources.length > 0 ? random.pick(this.#forkSources) : undefined;
    const plan = { ...planned, project: parent?.project ?? planned.project };
    const file = parent ? this.#startFork(parent, plan, target, random) : this.#startSession(plan, random);
    const { id } = file.header;
    const { path } = file;
    this.#writeEntries(file, plan, target, random, {
      runSubagent: (task, start) => this.#runSubagent(plan, target / 4, random, task, start),
      onNeedle: (needle, entryId) => this.#manifest.needles.push({ ...needle, sessionId: id, path, entryId }),
    });
    if (plan.version === 3 && plan.needles.length === 0 && file.bytes < MAX_FORK_SOURCE_BYTES) {
      this.#forkSources.push({ path, project: plan.project });
      // Users fork recent sessions.
      if (this.#forkSources.length > 100) this.#forkSources.shift();
    }
  }

  #writeEntries(
    file: SessionFile,
    plan: SessionPlan,
    target: number,
    random: Random,
    callbacks: RootCallbacks,
  ): UsageGenerator {
    const texts = new TextGenerator(random, this.#vocabulary, plan.project);
    const meter = new Conversation({ random, texts, file, plan, target }, callbacks).write();
    file.close();
    this.#manifest.nanoDollars += meter.spent.nanoDollars;
    return meter;
  }

  #startSession({ start, version, project }: SessionPlan, random: Random): SessionFile {
    return this.#createFile({ id: random.uuid(start), version, start, cwd: this.#cwd(project) }, "", random);
  }

  #startFork(parent: ForkSource, plan: SessionPlan, target: number, random: Random): SessionFile {
    const { lines, end } = readForkPrefix(
      join(this.#root, parent.path),
      Math.max(1000, target * random.float()),
    );
    const start = Math.max(plan.start, end + 60_000);
    const parentSession = join(this.#location, parent.path);
    const header: Header = {
      id: random.uuid(start),
      version: 3,
      start,
      cwd: this.#cwd(plan.project),
      parentSession,
    };
    const file = this.#createFile(header, "", random);
    file.copyEntries(lines);
    this.#manifest.forks++;
    return file;
  }

  #runSubagent(
    caller: SessionPlan,
    target: number,
    random: Random,
    task: string,
    start: number,
  ): SubagentRun {
    const plan = { ...caller, hasSubagent: false, hasImages: false, needles: [] };
    const header: Header = { id: random.uuid(start), version: 3, start, cwd: this.#cwd(caller.project) };
    const file = this.#createFile(header, "/subagent-artifacts", random);
    const fail = () => {
      throw new Error("A subagent has neither subagents nor needles");
    };
    const meter = this.#writeEntries(file, plan, target, random, { runSubagent: fail, onNeedle: fail });
    const { nanoDollars, ...tokens } = meter.spent;
    this.#manifest.subagents++;
    this.#manifest.subagentNanoDollars += nanoDollars;
    return {
      file: join(this.#location, file.path),
      task,
      model: meter.model.model,
      usage: { ...tokens, cost: nanoDollars / 1e9, turns: file.turns.length },
      end: file.time,
    };
  }

  #cwd(project: number): string {
    return this.#projects[project] as string;
  }

  /** Creates the file where pi would: in a folder named after its cwd. */
  #createFile(header: Header, subfolder: string, random: Random): SessionFile {
    const folder = `-${header.cwd.replaceAll("/", "-")}--${subfolder}`;
    if (!this.#folders.has(folder)) mkdirSync(join(this.#root, folder), { recursive: true });
    this.#folders.add(folder);
    return new SessionFile(this.#root, folder, header, random, this.#manifest);
  }
}

/** Parses `1GB`, `500kB` or `123`, in decimal units. */
export function parseBytes(text: string): number {
  const [, number, unit = ""] = /^([\d.]+)\s*([kmg]?)b?$/i.exec(text) ?? [];
  if (number === undefined) throw new Error(`Not a size: ${text}`);
  return Number(number) * ({ k: 1e3, m: 1e6, g: 1e9 }[unit.toLowerCase()] ?? 1);
}

function main(): void {
  // Nearly all garbage is short-lived, so a small young generation keeps peak memory low for roots of any size.
  setFlagsFromString("--max-semi-space-size=4");
  setFlagsFromString("--semi-space-growth-factor=1");
  const { values } = parseArgs({
    options: {
      out: { type: "string" },
      profile: { type: "string", default: "mixed" },
      files: { type: "string" },
      bytes: { type: "string" },
      seed: { type: "string", default: "1" },
    },
  });
  if (!values.out || !(values.profile === "varied" || Object.hasOwn(PROFILES, values.profile))) {
    throw new Error(
      `Usage: generate.ts --out DIR [--profile ${Object.keys(PROFILES).join("|")}|varied] [--files N] [--bytes 1GB] [--seed N]`,
    );
  }
  const startedAt = performance.now();
  const { needles, ...summary } = generateRoot(values.out, {
    seed: Number(values.seed),
    profile: values.profile as RootOptions["profile"],
    ...(values.files && { files: Number(values.files) }),
    ...(values.bytes && { bytes: parseBytes(values.bytes) }),
  });
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({ ...summary, needles: needles.length, seconds, peakRssBytes }, null, 2));
}

if (import.meta.main) main();
