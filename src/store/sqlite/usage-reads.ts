import { EXTRACTION, WITHOUT_WORDS } from "../extraction.ts";
import { sumSessionCosts } from "../session-costs.ts";
import { sql } from "../sql.ts";
import type {
  CopiedUsage,
  EventQuery,
  MemberRow,
  ModelRow,
  SessionNameRow,
  SumQuery,
  UsageEventRow,
  UsageReads,
} from "../usage-reads.ts";
import { readCopiedUsage } from "./copied-usage.ts";
import { readEventPages } from "./event-pages.ts";
import type { Reader } from "./reader.ts";
import { inScopeWithoutIndex, type Scope } from "./scope.ts";
import { readScopedLedger, type ScopedLedger } from "./scoped-ledger.ts";
import { sumLedger } from "./sum-ledger.ts";
import { readMembers, readSubagentFiles } from "./usage-members.ts";

/** Lives as long as one query: what several reads need is read once. */
export class SqliteUsageReads implements UsageReads {
  readonly #db: Reader;
  readonly #scope: Scope;
  #ledger: Promise<ScopedLedger> | undefined;
  #members: Promise<MemberRow[]> | undefined;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }

  async sum(query: SumQuery): Promise<void> {
    await sumLedger(this.#db, await this.#readLedger(), query);
  }

  async sessionCosts(files?: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (files) return sumSessionCosts(this, files);
    const name = JSON.stringify(["session costs", this.#scope]);
    return this.#db.cachedUntilChange(name, () => sumSessionCosts(this));
  }

  async sumCopies(file: number, subagents: ReadonlySet<number>): Promise<CopiedUsage> {
    return readCopiedUsage(this.#db, await this.#readLedger(), file, subagents);
  }

  async *events(query: EventQuery): AsyncGenerator<UsageEventRow[]> {
    yield* readEventPages(this.#db, await this.#readLedger(), query);
  }

  members(): Promise<MemberRow[]> {
    this.#members ??= this.#readLedger().then((ledger) => readMembers(this.#db, ledger));
    return this.#members;
  }

  subagentFiles(): Promise<readonly number[]> {
    const name = JSON.stringify(["subagent files", this.#scope]);
    return this.#db.cachedUntilChange(name, () => readSubagentFiles(this.#db, this.#scope));
  }

  async models(): Promise<ModelRow[]> {
    const { rows } = await sql<ModelRow>`
      SELECT id, provider, model FROM model`.execute(this.#db);
    return rows;
  }

  async sessionNames(files: readonly number[]): Promise<SessionNameRow[]> {
    if (files.length === 0) return [];
    // Looking up a session takes three times as long as reading the next one.
    const isMost = files.length * 3 > (await this.members()).length;
    const { rows } = await sql<SessionNameRow>`
      SELECT file_id, id, name, first_message, computed_title
      FROM session WHERE ${isMost ? sql`TRUE` : sql`file_id IN ${sql.list(files)}`}`.execute(this.#db);
    if (!isMost) return rows;
    const wanted = new Set(files);
    return rows.filter(({ file_id }) => wanted.has(file_id));
  }

  async countUnread(): Promise<number> {
    // Files that lack only words are complete in this sense.
    const { rows } = await sql<{ files: number }>`
      SELECT count(*) AS files FROM file
      WHERE extraction < ${sql.lit(EXTRACTION)} AND extraction <> ${sql.lit(WITHOUT_WORDS)}
        AND ${inScopeWithoutIndex(this.#scope)}`.execute(this.#db);
    return rows[0]?.files ?? 0;
  }

  #readLedger(): Promise<ScopedLedger> {
    const name = JSON.stringify(["ledger", this.#scope]);
    this.#ledger ??= this.#db.cachedUntilChange(name, () => readScopedLedger(this.#db, this.#scope));
    return this.#ledger;
  }
}
