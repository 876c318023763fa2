import { type ChildProcess, fork } from "node:child_process";
import { assertNotUpgraded } from "../../src/upgrade-check.ts";
import type { ProblemCount } from "./diagnosis.ts";
import type {
  FailedStep,
  HealthMessage,
  HealthRequest,
  IndexedFile,
  PageFacts,
  Step,
} from "./health-messages.ts";

/** Results of an inspection. Each missing result has an entry in `failed`. */
export interface Inspection {
  sqlite?: string;
  /** Whether a pidex is indexing now. */
  indexing?: boolean;
  pages?: PageFacts;
  files?: IndexedFile[];
  problems?: ProblemCount[];
  /** Messages of SQLite's quick_check; empty if the database is intact. */
  check?: string[];
  failed: FailedStep[];
  /** True if the time limit ended the inspection. */
  isTimedOut: boolean;
}

export interface InspectOptions {
  path: string | undefined;
  prefixes: readonly string[];
  /** Time limit in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Node runs the source directly. In the built package this module is in a chunk folder, one level below the program. */
const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./health-process.ts" : "../health-process.js",
  import.meta.url,
);

/**
 * Inspects a database in a separate, read-only process. If the time limit ends it, returns the results so far.
 *
 * @throws the signal's reason when aborted
 */
export async function runInspection({ timeoutMs, signal, ...request }: InspectOptions): Promise<Inspection> {
  signal?.throwIfAborted();
  const { NODE_OPTIONS: _, ...env } = process.env; // meant for this process only
  assertNotUpgraded();
  const child = fork(PROGRAM, [], {
    execArgv: ["--disable-warning=ExperimentalWarning"], // Node 22 prints one for node:sqlite
    env,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const inspection: Inspection = { failed: [], isTimedOut: false };
  const timer = setTimeout(() => {
    inspection.isTimedOut = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const abort = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const ending = await receiveAll(child, request, inspection);
    if (ending !== undefined) {
      const message = inspection.isTimedOut ? `it took longer than ${timeoutMs / 1000} s` : ending;
      for (const step of missingSteps(inspection, request)) inspection.failed.push({ step, message });
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  signal?.throwIfAborted();
  return inspection;
}

/** @returns how the process ended, if it ended before it was done */
function receiveAll(
  child: ChildProcess,
  request: HealthRequest,
  inspection: Inspection,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let done = false;
    child.on("message", (message: HealthMessage) => {
      if ("done" in message) done = true;
      else addResult(message, inspection);
    });
    child.on("error", (error) => resolve(`cannot start the process that inspects it: ${error.message}`));
    child.on("close", (code, signal) => {
      resolve(done ? undefined : `the process that inspects it ended: ${signal ?? `exit ${code}`}`);
    });
    child.send(request, () => {}); // a failure to send also ends the process, which "close" reports
  });
}

function addResult(message: Exclude<HealthMessage, { done: true }>, inspection: Inspection): void {
  if ("failed" in message) inspection.failed.push(message.failed);
  else if ("again" in message) {
    inspection.failed = inspection.failed.filter(({ step }) => !DATABASE_STEPS.some((each) => each === step));
    for (const step of DATABASE_STEPS) delete inspection[step];
  } else Object.assign(inspection, message);
}

const DATABASE_STEPS = ["pages", "files", "problems", "check"] as const;

/** Steps with neither a result nor a failure. If the database can't be opened, the steps after that are skipped. */
function missingSteps(inspection: Inspection, { path }: HealthRequest): Step[] {
  const steps: readonly Step[] = path === undefined ? ["sqlite"] : ["sqlite", "indexing", ...DATABASE_STEPS];
  const failed = new Set(inspection.failed.map(({ step }) => step));
  return steps.filter((step) => inspection[step] === undefined && !failed.has(step) && !failed.has("pages"));
}
