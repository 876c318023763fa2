import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../manifest.ts";
import { Random } from "../random.ts";
import { type Header, readForkPrefix, SessionFile } from "../session-file.ts";
import { planVaried, type VariedPlan } from "./plan.ts";
import { VariedSession } from "./session.ts";
import { type SubagentRun, writeSession } from "./turns.ts";
import { createWords, type Words } from "./words.ts";

/** A fork reads its whole parent. */
const MAX_FORK_SOURCE_BYTES = 3_000_000;
const SUBAGENT_BYTES = 9000;

interface ForkSource {
  path: string;
  cwd: string;
}

export class VariedRoot {
  readonly #root: string;
  readonly #location: string;
  readonly #manifest: Manifest;
  readonly #words: Words;
  readonly #plans: VariedPlan[];
  readonly #forkSources: ForkSource[] = [];

  /** @param location the root's path as recorded in sessions */
  constructor(root: string, location: string, manifest: Manifest, bytes: number) {
    const random = new Random(manifest.seed);
    this.#root = root;
    this.#location = location;
    this.#manifest = manifest;
    this.#words = createWords(random);
    this.#plans = planVaried(random, bytes);
  }

  /** Writes all sessions, and counts them in the manifest. */
  write(): void {
    for (const [n, plan] of this.#plans.entries())
      this.#writePlanned(plan, new Random(this.#manifest.seed, n + 1));
  }

  #writePlanned(plan: VariedPlan, random: Random): void {
    const file = (plan.isFork && this.#fork(plan, random)) || this.#start(plan, random);
    const { header, path } = file;
    const session = new VariedSession(file, random, this.#words, plan);
    const ids = writeSession(session, (run, start) => this.#runSubagent(plan, file, random, run, start));
    this.#finish(session);
    for (const [n, needle] of plan.needles.entries())
      this.#manifest.needles.push({ ...needle, sessionId: header.id, path, entryId: ids[n] as string });
    if (plan.version === 3 && plan.needles.length === 0 && file.bytes < MAX_FORK_SOURCE_BYTES) {
      this.#forkSources.push({ path, cwd: header.cwd });
      // Recent sessions are forked, and with few of them, often forks of forks.
      if (this.#forkSources.length > 12) this.#forkSources.shift();
    }
  }

  #start({ start, version, cwd }: VariedPlan, random: Random): SessionFile {
    return this.#create({ id: random.uuid(start), version, start, cwd }, toFolder(cwd), random);
  }

  #fork(plan: VariedPlan, random: Random): SessionFile | undefined {
    const source = this.#forkSources.at(-1 - random.below(4));
    if (!source) return undefined;
    const { lines, end } = readForkPrefix(join(this.#root, source.path), plan.bytes * random.float());
    const start = Math.max(plan.start, end + 1000);
    const parentSession = join(this.#location, source.path);
    const header: Header = { id: random.uuid(start), version: 3, start, cwd: source.cwd, parentSession };
    const file = this.#create(header, toFolder(source.cwd), random);
    file.copyEntries(lines);
    this.#manifest.forks++;
    return file;
  }

  /** Writes a subagent's session below a folder with the name of its caller's file. */
  #runSubagent(
    caller: VariedPlan,
    { path, header }: SessionFile,
    random: Random,
    run: number,
    start: number,
  ): SubagentRun {
    const plan: VariedPlan = { ...caller, bytes: SUBAGENT_BYTES, shape: "loop", version: 3, needles: [] };
    const folder = `${path.slice(0, -".jsonl".length)}/run-${run}`;
    const file = this.#create({ id: random.uuid(start), version: 3, start, cwd: header.cwd }, folder, random);
    const session = new VariedSession(file, random, this.#words, plan);
    writeSession(session);
    this.#finish(session);
    const { nanoDollars, tokens, model } = session.billing;
    this.#manifest.subagents++;
    this.#manifest.subagentNanoDollars += nanoDollars;
    return { path: join(this.#location, file.path), model: model.model, nanoDollars, tokens, end: file.time };
  }

  #finish({ file, billing }: VariedSession): void {
    file.close();
    this.#manifest.nanoDollars += billing.nanoDollars;
  }

  #create(header: Header, folder: string, random: Random): SessionFile {
    mkdirSync(join(this.#root, folder), { recursive: true });
    return new SessionFile(this.#root, folder, header, random, this.#manifest);
  }
}

/** The name that pi gives to the folder of a cwd. */
function toFolder(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}
