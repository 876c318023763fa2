import { dirname, sep } from "node:path";
import { discoverInTurns, type Found } from "../indexer/discover.ts";
import { behind } from "../indexer/freshness.ts";
import { migrations } from "../migrations/index.ts";
import packageJson from "../package.json" with { type: "json" };
import type { LookedAt } from "../query/health/database-health.ts";
import type { Diagnosis, Freshness, RootHealth } from "../query/health/diagnosis.ts";
import type { FileLook } from "../query/health/health-messages.ts";
import type { Facts } from "../query/health/judge.ts";
import { nodeComplaint } from "../src/node-version.ts";
import { expandPath, isInRoot, RootFinder, rootAt } from "../src/session/locations.ts";
import { othersMayRead, rootState } from "../src/session/root-state.ts";
import { type Place, type Places, usualPlaces } from "../src/session/usual-roots.ts";
import { EXTRACTION, isUnfinished } from "../src/store/sqlite/extraction.ts";
import { databasePath } from "../src/store/sqlite/locations.ts";
import { schemaVersion } from "../src/store/sqlite/schema-version.ts";
import { findHome } from "../src/surroundings.ts";
import { watchLimits, whyUnwatchable } from "../src/watch-limits.ts";
import type { OpenIndexOptions } from "./open-index.ts";

export interface DiagnoseOptions extends Omit<OpenIndexOptions, "onNotice"> {
  signal?: AbortSignal;
  /** How long the look into the database may take, in milliseconds: its pages are checked. Default: a minute. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/**
 * Looks at everything that pidex stands on, and says what is wrong and what to do: versions, roots, the database, how
 * far it is behind, who may read what, whether folders can be watched. Works where the index does not, and only looks:
 * it writes, makes and moves nothing. What it could not find out stands in `unknown`.
 *
 * @example
 * const { findings } = await diagnose();
 * for (const { level, message, todo } of findings) console.log(level, message, todo);
 *
 * @throws PidexError `BAD_OPTION` for a `file:` URL that is none; the signal's reason when aborted
 */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const { signal, timeoutMs = TIMEOUT_MS } = options;
  // Lazy, chunks of their own: few who open an index ask for this.
  const { databaseHealth } = await import("../query/health/database-health.ts");
  const { inspect } = await import("../query/health/inspect.ts");
  const { judge } = await import("../query/health/judge.ts");
  const unknown: Diagnosis["unknown"] = [];
  const notices: string[] = [];
  const needsHome = (!options.db && !process.env.PIDEX_DB) || (!options.roots && !process.env.PIDEX_ROOTS);
  const homeless = needsHome && findHome() === undefined;
  const { places, leftOut } =
    homeless && !options.roots && !process.env.PIDEX_ROOTS ? NO_PLACES : placesOf(options, notices);
  const roots = places.map(({ root }) => root);
  const found = await discoverInTurns(roots, signal);

  const schema = schemaVersion(migrations);
  const from = options.db ? "option" : process.env.PIDEX_DB ? "PIDEX_DB" : "default";
  const control = { prefixes: roots.map(({ prefix }) => prefix), timeoutMs, signal };
  const looked =
    homeless && from === "default"
      ? { ...NOWHERE, inspection: await inspect({ path: undefined, ...control }) }
      : await databaseHealth({ path: expandPath(options.db ?? databasePath()), from, schema, ...control });
  const { health, inspection } = looked;
  const { indexing } = inspection;
  unknown.push(...looked.unknown);
  const finder = new RootFinder(roots);
  const filesOf = Map.groupBy(found.files, ({ path }) => finder.nearest(path));
  const rootHealth = places.map((place) => healthOf(place, filesOf.get(place.root) ?? []));

  const isNew = health.state === "missing" || health.state === "empty";
  const rows = isNew ? [] : inspection.files;

  const { watching, watchLimit } = await watchingOf(rootHealth, places);
  const facts = {
    versions: {
      pidex: packageJson.version,
      node: process.versions.node,
      ...(inspection.sqlite && { sqlite: inspection.sqlite }),
      schema,
      extraction: EXTRACTION,
    },
    roots: rootHealth,
    leftOut: leftOut.map(({ folder, ...rest }) => ({ path: folder, ...rest })),
    database: health,
    ...(rows && { freshness: freshnessOf(found, rows, finder) }),
    ...(indexing !== undefined && { indexing }),
    ...(inspection.problems && { problems: inspection.problems }),
    openToOthers: openToOthers(found, unknown),
    watching,
    unknown,
  };
  const findings = judge({
    ...facts,
    nodeComplaint: nodeComplaint(),
    sqliteReason: inspection.late
      ? undefined
      : inspection.failed.find(({ step }) => step === "sqlite")?.message,
    watchLimit,
    homeless,
    notices,
    unlisted: found.unlisted.map(({ path, error }) => ({ path, reason: String(error) })),
  });
  return { ...facts, findings };
}

/** What there is to say of a database that has no place to be. */
const NOWHERE: Omit<LookedAt, "inspection"> = {
  health: { path: "", from: "default", state: "unknown", leftovers: [] },
  unknown: [{ what: "where the database is", why: "the system names no home folder" }],
};

const NO_PLACES: Places = { places: [], leftOut: [] };

function placesOf({ roots }: DiagnoseOptions, notices: string[]): Places {
  if (roots) {
    return { places: roots.map((folder) => ({ root: rootAt(folder), from: "option" })), leftOut: [] };
  }
  return usualPlaces((message) => notices.push(message));
}

function healthOf({ root, from, agent }: Place, files: Found["files"]): RootHealth {
  const folders = new Set([root.folder]);
  for (const { path } of files) {
    for (let folder = dirname(path); isInRoot(folder, root) && !folders.has(folder); ) {
      folders.add(folder);
      folder = dirname(folder);
    }
  }
  return {
    path: root.prefix.endsWith(sep) ? root.folder : `${root.prefix}*`,
    ...(agent && { agent }),
    from,
    ...rootState(root.folder),
    files: files.length,
    bytes: files.reduce((sum, { stat }) => sum + Number(stat.size), 0),
    folders: folders.size,
  };
}

function freshnessOf(found: Found, rows: readonly FileLook[], roots: RootFinder): Freshness {
  const ours = rows.filter(({ path }) => roots.nearest(path) !== undefined);
  const finished = ours.filter(({ extraction }) => !isUnfinished(extraction));
  const extractions = Map.groupBy(finished, ({ extraction }) => extraction);
  const newest = ours.reduce<number | undefined>((most, { mtime_ns }) => {
    const ms = Number(mtime_ns) / 1e6;
    return most === undefined || ms > most ? ms : most;
  }, undefined);
  return {
    ...behind(found, ours, roots),
    extractions: [...extractions]
      .map(([extraction, files]) => ({ extraction, files: files.length }))
      .sort((a, b) => b.extraction - a.extraction),
    newestChange: newest === undefined ? null : new Date(newest).toISOString(),
  };
}

/** How many places are told. */
const FIRST = 3;

function openToOthers(found: Found, unknown: Diagnosis["unknown"]): Diagnosis["openToOthers"] {
  const open: string[] = [];
  if (process.getuid) {
    const mayBeRead = othersMayRead();
    try {
      for (const { path, stat, fault } of found.files) {
        if (!fault && mayBeRead(path, Number(stat.mode))) open.push(path);
      }
    } catch (error) {
      unknown.push({ what: "which session files others may read", why: String(error) });
    }
  }
  return { count: open.length, first: open.sort().slice(0, FIRST) };
}

async function watchingOf(
  health: readonly RootHealth[],
  places: readonly Place[],
): Promise<Pick<Facts, "watching" | "watchLimit">> {
  const folders = health.reduce((sum, each) => sum + (each.state === "folder" ? each.folders : 0), 0);
  const there = places.find((_, n) => health[n]?.state === "folder");
  const limits = { ...watchLimits(), folders };
  if (!there) return { watching: limits };
  const trouble = await whyUnwatchable(there.root.folder);
  if (!trouble) return { watching: { ...limits, works: true } };
  return { watching: { ...limits, works: false, reason: trouble.reason }, watchLimit: trouble.limit };
}
