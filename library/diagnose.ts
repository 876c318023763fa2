import { dirname, sep } from "node:path";
import { type Discovery, discover } from "../indexer/discover.ts";
import { countOutdated } from "../indexer/freshness.ts";
import { migrations } from "../migrations/index.ts";
import packageJson from "../package.json" with { type: "json" };
import type { DatabaseHealthResult } from "../query/health/database-health.ts";
import type { Diagnosis, Freshness, RootHealth } from "../query/health/diagnosis.ts";
import type { DiagnosisFacts } from "../query/health/findings.ts";
import { findHome } from "../src/environment.ts";
import { nodeVersionError } from "../src/node-version.ts";
import {
  type ConfiguredRoot,
  type ConfiguredRoots,
  findConfiguredRoots,
} from "../src/session/configured-roots.ts";
import { expandPath, isInRoot, type Root, RootFinder, toRoot } from "../src/session/locations.ts";
import { createWorldReadableCheck, getRootState } from "../src/session/root-state.ts";
import { EXTRACTION, isUnfinished } from "../src/store/extraction.ts";
import type { FileStamp } from "../src/store/local-reads.ts";
import { getDatabasePath } from "../src/store/sqlite/database-path.ts";
import { schemaVersion } from "../src/store/sqlite/schema-version.ts";
import { readWatchLimits, tryWatching } from "../src/watch-limits.ts";
import type { OpenIndexOptions } from "./index-options.ts";

export interface DiagnoseOptions extends Pick<OpenIndexOptions, "db" | "roots"> {
  /** Cancels the diagnosis, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit for checking the database's pages, in milliseconds. Default: 60,000. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/**
 * Checks everything pidex depends on, and reports what is wrong and how to fix it: versions, roots, the database and its
 * freshness, file permissions, whether folders can be watched. Works even if the index cannot be opened, and never writes,
 * creates or moves a file. `unknown` lists what could not be determined.
 *
 * @example
 * const { findings } = await diagnose();
 * for (const { level, message, todo } of findings) console.log(level, message, todo);
 *
 * @throws PidexError `BAD_OPTION` for an invalid `file:` URL; the signal's reason when aborted
 */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const { signal, timeoutMs = TIMEOUT_MS } = options;
  // Loaded lazily: most programs that open an index never diagnose it.
  const { checkDatabaseHealth } = await import("../query/health/database-health.ts");
  const { runInspection } = await import("../query/health/run-inspection.ts");
  const { toFindings } = await import("../query/health/findings.ts");
  const unknown: Diagnosis["unknown"] = [];
  const notices: string[] = [];
  const needsHome = (!options.db && !process.env.PIDEX_DB) || (!options.roots && !process.env.PIDEX_ROOTS);
  const hasNoHome = needsHome && findHome() === undefined;
  const { roots: places, skippedFolders } =
    hasNoHome && !options.roots && !process.env.PIDEX_ROOTS ? NO_PLACES : findPlaces(options, notices);
  const roots = places.map(({ root }) => root);
  const schema = schemaVersion(migrations);
  const from = options.db ? "option" : process.env.PIDEX_DB ? "PIDEX_DB" : "default";
  const control = { prefixes: roots.map(({ prefix }) => prefix), timeoutMs, signal };
  // Another process inspects the database while this one lists the session files.
  const [checked, found] = await Promise.all([
    hasNoHome && from === "default"
      ? runInspection({ path: undefined, ...control }).then((inspection) => ({ ...NOWHERE, inspection }))
      : checkDatabaseHealth({
          path: expandPath(options.db ?? getDatabasePath()),
          from,
          schema,
          ...control,
        }),
    discover(roots, signal),
  ]);
  const { health, inspection } = checked;
  const { indexing } = inspection;
  unknown.push(...checked.unknown);
  const finder = new RootFinder(roots);
  const filesByRoot = Map.groupBy(found.files, ({ path }) => finder.findInnermost(path));
  const rootHealth = places.map((place) => toRootHealth(place, filesByRoot.get(place.root) ?? []));

  const isNew = health.state === "missing" || health.state === "empty";
  const rows = isNew ? [] : inspection.files;

  const { watching, watchLimit } = await checkWatching(rootHealth, places);
  const facts = {
    versions: {
      pidex: packageJson.version,
      node: process.versions.node,
      ...(inspection.sqlite && { sqlite: inspection.sqlite }),
      schema,
      extraction: EXTRACTION,
    },
    roots: rootHealth,
    skippedFolders: skippedFolders.map(({ folder, ...rest }) => ({ path: folder, ...rest })),
    database: health,
    ...(rows && { freshness: toFreshness(found, rows, finder) }),
    ...(indexing !== undefined && { indexing }),
    ...(inspection.problems && { problems: inspection.problems }),
    openToOthers: openToOthers(found, finder, unknown),
    watching,
    unknown,
  };
  const findings = toFindings({
    ...facts,
    nodeError: nodeVersionError(),
    sqliteError: inspection.isTimedOut
      ? undefined
      : inspection.failed.find(({ step }) => step === "sqlite")?.message,
    watchLimit,
    isHomeUnknown: hasNoHome,
    notices,
    filesOutside: (rows ?? []).flatMap(({ path }) => (finder.findInnermost(path) ? [] : [path])).sort(),
    unreadablePaths: found.unlisted.map(({ path, error }) => ({ path, reason: String(error) })),
  });
  return { ...facts, findings };
}

/** The result for a database path that cannot be determined. */
const NOWHERE: Omit<DatabaseHealthResult, "inspection"> = {
  health: { path: "", from: "default", state: "unknown", leftovers: [] },
  unknown: [{ what: "the path of the database", why: "the system reports no home folder" }],
};

const NO_PLACES: ConfiguredRoots = { roots: [], skippedFolders: [] };

function findPlaces({ roots }: DiagnoseOptions, notices: string[]): ConfiguredRoots {
  if (roots) {
    return { roots: roots.map((folder) => ({ root: toRoot(folder), source: "option" })), skippedFolders: [] };
  }
  return findConfiguredRoots((message) => notices.push(message));
}

/** The folder of a root, or a pattern if only part of its contents is read. */
function toRootPath({ folder, prefix }: Root): string {
  return prefix.endsWith(sep) ? folder : `${prefix}*`;
}

function toRootHealth({ root, source, agent }: ConfiguredRoot, files: Discovery["files"]): RootHealth {
  const folders = new Set([root.folder]);
  for (const { path } of files) {
    for (let folder = dirname(path); isInRoot(folder, root) && !folders.has(folder); ) {
      folders.add(folder);
      folder = dirname(folder);
    }
  }
  return {
    path: toRootPath(root),
    ...(agent && { agent }),
    from: source,
    ...getRootState(root.folder),
    files: files.length,
    bytes: files.reduce((sum, { stat }) => sum + Number(stat.size), 0),
    folders: folders.size,
  };
}

function toFreshness(found: Discovery, rows: readonly FileStamp[], roots: RootFinder): Freshness {
  const ours = rows.filter(({ path }) => roots.findInnermost(path) !== undefined);
  const finished = ours.filter(({ extraction }) => !isUnfinished(extraction));
  const extractions = Map.groupBy(finished, ({ extraction }) => extraction);
  const newest = ours.reduce<number | undefined>((most, { mtime_ns }) => {
    const ms = Number(mtime_ns) / 1e6;
    return most === undefined || ms > most ? ms : most;
  }, undefined);
  return {
    ...countOutdated(found, ours),
    extractions: [...extractions]
      .map(([extraction, files]) => ({ extraction, files: files.length }))
      .sort((a, b) => b.extraction - a.extraction),
    newestChange: newest === undefined ? null : new Date(newest).toISOString(),
  };
}

/** Number of paths listed as examples. */
const MAX_EXAMPLES = 3;

function openToOthers(
  found: Discovery,
  finder: RootFinder,
  unknown: Diagnosis["unknown"],
): Diagnosis["openToOthers"] {
  const open: string[] = [];
  if (process.getuid) {
    const isReadableByOthers = createWorldReadableCheck();
    try {
      for (const { path, stat, failure } of found.files) {
        if (!failure && isReadableByOthers(path, Number(stat.mode))) open.push(path);
      }
    } catch (error) {
      unknown.push({ what: "which session files other users can read", why: String(error) });
    }
  }
  const roots = open.flatMap((path) => {
    const root = finder.findInnermost(path);
    return root ? [toRootPath(root)] : [];
  });
  return {
    count: open.length,
    first: open.sort().slice(0, MAX_EXAMPLES),
    roots: [...new Set(roots)].sort(),
  };
}

async function checkWatching(
  health: readonly RootHealth[],
  places: readonly ConfiguredRoot[],
): Promise<Pick<DiagnosisFacts, "watching" | "watchLimit">> {
  const folders = health.reduce((sum, each) => sum + (each.state === "folder" ? each.folders : 0), 0);
  const there = places.find((_, n) => health[n]?.state === "folder");
  const limits = { ...readWatchLimits(), folders };
  if (!there) return { watching: limits };
  const problem = await tryWatching(there.root.folder);
  if (!problem) return { watching: { ...limits, works: true } };
  return { watching: { ...limits, works: false, reason: problem.reason }, watchLimit: problem.limit };
}
