import type { Pool } from "pg";
import { PidexError } from "../../../src/errors.ts";
import { type Actor, writeAudit } from "../../../src/store/postgres/audit.ts";
import { QueryIndex } from "../../query/query-index.ts";
import type { HubMethod, HubQuery } from "./answer-query.ts";
import { HubSource } from "./hub-source.ts";
import { getReadableProjects, type Reader } from "./reader.ts";

/** Methods that return what people and agents wrote, or parts of it. */
const OF_CONTENT: readonly HubMethod[] = ["entries", "entry", "context", "search", "searchEntries"];

/** Pages and pickers read a session many times; a row of the audit log stands for all reads within this time. */
const REPEAT_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

/**
 * Records in the audit log who read which session of the team, and who searched there. Words of a search are not recorded, nor reads of
 * private sessions: others can see the log.
 */
export class ReadAudit {
  readonly #pool: Pool;
  /** When reads were recorded, oldest first. */
  readonly #recorded = new Map<string, number>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async record(actor: Actor, reader: Reader, { method, args }: HubQuery): Promise<void> {
    if (!OF_CONTENT.includes(method)) return;
    const projects = getReadableProjects(reader);
    if (projects.length === 0) return;
    const isSearch = method === "search" || method === "searchEntries";
    const target = isSearch ? "" : await this.#findPath(projects, args[0] as string);
    if (target === undefined || !this.#isDue(`${actor.person}\n${actor.machine}\n${isSearch}\n${target}`))
      return;
    await writeAudit(this.#pool, actor, isSearch ? "search" : "read", target);
  }

  /** The path of a session of the team. */
  async #findPath(projects: readonly number[], session: string): Promise<string | undefined> {
    try {
      return (await new QueryIndex(new HubSource(this.#pool, projects)).find(session)).path;
    } catch (error) {
      if (error instanceof PidexError && (error.code === "NOT_FOUND" || error.code === "AMBIGUOUS"))
        return undefined;
      throw error;
    }
  }

  #isDue(key: string, now = Date.now()): boolean {
    const last = this.#recorded.get(key);
    if (last !== undefined && now - last < REPEAT_MS) return false;
    this.#recorded.delete(key);
    this.#recorded.set(key, now);
    const [oldest] = this.#recorded.keys();
    if (oldest !== undefined && this.#recorded.size > MAX_REMEMBERED) this.#recorded.delete(oldest);
    return true;
  }
}
