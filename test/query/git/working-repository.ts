import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Session } from "../../../fixtures/builder.ts";
import type { Index } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openOver } from "../opened-queries.ts";

/** A git repository in a temporary folder, with a clock, and the sessions of the agents that work in it. */
export class WorkingRepository {
  readonly folder = realpathSync(temporaryFolder());
  readonly path = join(this.folder, "shop");
  #now = Date.parse("2026-03-02T09:00:00Z");

  constructor() {
    mkdirSync(this.path);
    this.git("init", "-q", "-b", "main");
  }

  /** Another minute, as sessions write times. */
  tick(): string {
    this.#now += 60_000;
    return new Date(this.#now).toISOString();
  }

  git(...args: string[]): string {
    const date = `${this.#now / 1000} +0000`;
    const identity = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com" };
    const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.com" };
    const isolated = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return execFileSync("git", args, {
      cwd: this.path,
      encoding: "utf8",
      env: { ...process.env, ...identity, ...committer, ...isolated, ...dates },
    }).trim();
  }

  write(file: string, lines: readonly string[]): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), lines.map((line) => `${line}\n`).join(""));
  }

  /** Commits everything, and returns the hash. */
  commit(message = "Work"): string {
    this.tick();
    this.git("add", "-A");
    this.git("commit", "-qm", message);
    return this.git("rev-parse", "HEAD");
  }

  /** A synced index of sessions. */
  async index(...sessions: Session[]): Promise<Index> {
    const root = join(this.folder, "sessions");
    for (const session of sessions) session.writeUnder(root);
    const index = await openOver([root]);
    await index.sync();
    return index;
  }
}
