import { DayPeriods } from "../day-periods.ts";
import { EXTRACTION } from "../extraction.ts";
import { addSums, BUCKET_MS, type Sums, type UsageSeriesTable, zeroSums } from "../schema.ts";
import { sumSessionCosts } from "../session-costs.ts";
import { type Sql, sql } from "../sql.ts";
import { sumEvents } from "../sqlite/sum-events.ts";
import { addDay, createFileTargets, type RollupDay, toSeries } from "../sum-rollup.ts";
import type {
  CopiedUsage,
  EventQuery,
  MemberRow,
  ModelRow,
  SessionNameRow,
  SumQuery,
  SumTarget,
  UsageEventRow,
  UsageReads,
} from "../usage-reads.ts";
import { ALL_FILES, bucketDay, toBucket } from "../usage-rollup.ts";
import { listCallers, ownerOrder } from "./callers.ts";
import { type CopiedEvent, findCopiesAcrossShelves } from "./copies-across-shelves.ts";
import { LoadedEvents } from "./loaded-events.ts";
import type { Runner } from "./runner.ts";
import { allOf, machineName, personName } from "./session-conditions.ts";

/** Events that are loaded at once, roughly. */
const MAX_LOADED = 20_000;

/** Lives as long as one query: what several reads need is read once. */
export class PostgresUsageReads implements UsageReads {
  readonly #db: Runner;
  readonly #shelves: readonly number[];
  #members: Promise<MemberRow[]> | undefined;
  #models: Promise<ModelRow[]> | undefined;
  #copies: Promise<CopiedEvent[]> | undefined;

  constructor(db: Runner, shelves: readonly number[]) {
    this.#db = db;
    this.#shelves = shelves;
  }

  async sum(query: SumQuery): Promise<void> {
    await this.#sumDays(query);
    const { since, until } = query;
    const ends = [since, until].filter((end) => end !== undefined).filter((end) => end % BUCKET_MS !== 0);
    for (const quarter of new Set(ends.map(toBucket))) {
      const from = Math.max(quarter * BUCKET_MS, since ?? Number.NEGATIVE_INFINITY);
      const to = Math.min((quarter + 1) * BUCKET_MS, until ?? Number.POSITIVE_INFINITY);
      await using events = await this.#load({
        days: sql`billing.day = ${bucketDay(quarter)}`,
        files: query.files,
      });
      await sumEvents(events.reader, events.owned({ from, to }), [], query);
    }
    await this.#subtractCopies(query);
  }

  /** Adds up the sums of days. */
  async #sumDays(query: SumQuery): Promise<void> {
    const periods = new DayPeriods(query);
    const models = await this.models();
    const idOf = new Map(models.map(({ id, provider, model }) => [`${provider}\0${model}`, id]));
    const { rows: series } = await sql<UsageSeriesTable & { provider: string; model: string }>`
      SELECT DISTINCT usage_series.* FROM ${this.#series}`.execute(this.#db);
    const seriesById = new Map(
      series.map((row) => [
        row.id,
        toSeries({ ...row, model_id: idOf.get(`${row.provider}\0${row.model}`) ?? 0 }),
      ]),
    );
    const targetsOf = createFileTargets(query, seriesById);
    const ofMainFiles = targetsOf(ALL_FILES);
    const conditions: Sql<boolean>[] = [
      sql`shelf = ANY (${this.#shelves})`,
      ...(periods.dayCondition() as Sql<boolean>[]),
    ];
    if (query.files) conditions.push(sql`file_id = ANY (${[...query.files]})`);
    const { rows } = await sql<RollupDay>`
      SELECT file_id, day, totals, ${periods.areWholeDays ? sql`NULL` : sql`rows`} AS rows FROM usage_day
      WHERE ${allOf(conditions)} ORDER BY file_id`.execute(this.#db);
    let file = ALL_FILES;
    let ofFile = ofMainFiles;
    for (const row of rows) {
      if (row.file_id !== file) {
        file = row.file_id;
        ofFile = query.isByFile || query.subagents.has(file) ? targetsOf(file) : ofMainFiles;
      }
      addDay(row, periods, ofFile, 1);
    }
  }

  /** Subtracts the events that also count on another shelf. */
  async #subtractCopies(query: SumQuery): Promise<void> {
    const copies = await this.#findCopies();
    if (copies.length === 0) return;
    await using events = await this.#loadAt(copies);
    const selected = events.at(copies).filter(({ time }) => isWithin(time, query));
    const sums = new Map<NonNullable<SumTarget>, Map<number, Sums>>();
    await sumEvents(events.reader, selected, [], {
      ...query,
      target: (file) => {
        const targetOf = query.target(file);
        return (series) => {
          const target = targetOf(series);
          if (!target) return undefined;
          const ofTarget = sums.get(target) ?? new Map<number, Sums>();
          sums.set(target, ofTarget);
          return (period) => {
            const found = ofTarget.get(period) ?? zeroSums();
            ofTarget.set(period, found);
            return found;
          };
        };
      },
    });
    for (const [target, ofTarget] of sums)
      for (const [period, copied] of ofTarget) addSums(target(period), copied, -1);
  }

  sessionCosts(files?: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return sumSessionCosts(this, files);
  }

  async sumCopies(file: number, subagents: ReadonlySet<number>): Promise<CopiedUsage> {
    await using events = await this.#load({ copiesIn: file });
    events.setCopies(await this.#findCopies());
    return await events.sumCopies(file, subagents);
  }

  async *events(query: EventQuery): AsyncGenerator<UsageEventRow[]> {
    const copies = await this.#findCopies();
    for (const [first, last] of await this.#divideDays(query)) {
      await using events = await this.#load({
        days: sql`billing.day BETWEEN ${first} AND ${last}`,
        files: query.files,
        withCopies: !query.isBrief,
      });
      events.setCopies(copies);
      yield* events.pages(query);
    }
  }

  /** Ranges of days with about as many events each, in order; those without a time last. */
  async #divideDays({ since, until, files }: EventQuery): Promise<[number, number][]> {
    const conditions: Sql<boolean>[] = [sql`shelf = ANY (${this.#shelves})`];
    if (files) conditions.push(sql`file_id = ANY (${[...files]})`);
    if (since !== undefined) conditions.push(sql`day >= ${bucketDay(toBucket(since))}`);
    if (until !== undefined) conditions.push(sql`day <= ${bucketDay(toBucket(until))}`);
    const { rows } = await sql<{ day: number; events: number }>`
      SELECT day, count(*) AS events FROM billing WHERE ${allOf(conditions)} GROUP BY day ORDER BY day`.execute(
      this.#db,
    );
    const ranges: { first: number; last: number; events: number }[] = [];
    const noTime = bucketDay(toBucket(null));
    for (const { day, events } of rows) {
      const range = ranges.at(-1);
      const isSame = range && range.first !== noTime && range.events + events <= MAX_LOADED;
      if (isSame) Object.assign(range, { last: day, events: range.events + events });
      else ranges.push({ first: day, last: day, events });
    }
    const [first, ...rest] = ranges;
    const ordered = first?.first === noTime ? [...rest, first] : ranges;
    return ordered.map(({ first, last }) => [first, last]);
  }

  members(): Promise<MemberRow[]> {
    this.#members ??= this.#readMembers();
    return this.#members;
  }

  async #readMembers(): Promise<MemberRow[]> {
    const { rows } = await sql<MemberRow>`
      SELECT file.id AS file, file.path, session.cwd, file.subagent, NULL AS caller, NULL AS agent, NULL AS tool,
        ${machineName} AS machine, ${personName} AS person
      FROM session JOIN file ON file.shelf = session.shelf AND file.id = session.file_id
      WHERE session.shelf = ANY (${this.#shelves})`.execute(this.#db);
    const byFile = new Map(rows.map((row) => [row.file, row]));
    for (const { file, caller, agent, tool } of await listCallers(this.#db, this.#shelves)) {
      const member = byFile.get(file);
      if (!member || member.caller !== null || !byFile.has(caller)) continue;
      Object.assign(member, { caller, agent, tool, subagent: 1 }); // wherever its file is
    }
    return rows;
  }

  async subagentFiles(): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM file WHERE shelf = ANY (${this.#shelves}) AND subagent = 1
      UNION SELECT file.id FROM run_path JOIN file ON file.shelf = run_path.shelf AND file.ledger_path = run_path.path
        WHERE run_path.shelf = ANY (${this.#shelves}) AND run_path.file_id <> file.id`.execute(this.#db);
    return rows.map(({ id }) => id);
  }

  models(): Promise<ModelRow[]> {
    this.#models ??= this.#readModels();
    return this.#models;
  }

  async #readModels(): Promise<ModelRow[]> {
    const { rows } = await sql<Omit<ModelRow, "id">>`
      SELECT DISTINCT provider, model FROM ${this.#series} ORDER BY provider, model`.execute(this.#db);
    return rows.map((row, n) => ({ id: n + 1, ...row }));
  }

  async sessionNames(files: readonly number[]): Promise<SessionNameRow[]> {
    if (files.length === 0) return [];
    const { rows } = await sql<SessionNameRow>`
      SELECT file_id, id, name, first_message, computed_title FROM session
      WHERE shelf = ANY (${this.#shelves}) AND file_id = ANY (${files})`.execute(this.#db);
    return rows;
  }

  async countUnread(): Promise<number> {
    const { rows } = await sql<{ files: number }>`
      SELECT count(*) AS files FROM file WHERE shelf = ANY (${this.#shelves}) AND extraction < ${EXTRACTION}`.execute(
      this.#db,
    );
    return rows[0]?.files ?? 0;
  }

  /** The series on the shelves, for a FROM. */
  get #series(): Sql {
    return sql`shelf_series JOIN usage_series ON usage_series.id = shelf_series.series
      WHERE shelf_series.shelf = ANY (${this.#shelves})`;
  }

  #findCopies(): Promise<CopiedEvent[]> {
    this.#copies ??= findCopiesAcrossShelves(this.#db, this.#shelves, ownerOrder);
    return this.#copies;
  }

  async #load(selection: Parameters<typeof LoadedEvents.load>[2]): Promise<LoadedEvents> {
    return LoadedEvents.load(this.#db, this.#shelves, selection, await this.models());
  }

  #loadAt(copies: readonly CopiedEvent[]): Promise<LoadedEvents> {
    const files = copies.map(({ file }) => file);
    const lines = copies.map(({ line }) => line);
    return this.#load({
      days: sql`(billing.file_id, billing.line) IN (SELECT * FROM unnest(${files}::integer[], ${lines}::integer[]))`,
    });
  }
}

function isWithin(time: number | null, { since, until }: SumQuery): boolean {
  if (time === null) return since === undefined && until === undefined;
  return (since === undefined || time >= since) && (until === undefined || time < until);
}
