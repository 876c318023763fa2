import { type ChildProcess, fork } from "node:child_process";
import { assertNotUpgraded } from "../../src/same-build.ts";
import type { ProblemCount } from "./diagnosis.ts";
import type { Failed, FileLook, HealthMessage, HealthRequest, PageFacts, Step } from "./health-messages.ts";

/** What was found out of a database. What is missing stands in `failed`. */
export interface Inspection {
  sqlite?: string;
  /** Whether a pidex is indexing at this moment. */
  indexing?: boolean;
  pages?: PageFacts;
  files?: FileLook[];
  problems?: ProblemCount[];
  /** What SQLite's quick_check says: nothing when all is well. */
  check?: string[];
  failed: Failed[];
  /** Set when it took too long: what is missing might have been found out in more time. */
  late: boolean;
}

export interface InspectOptions {
  path: string | undefined;
  prefixes: readonly string[];
  /** How long it may take, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * From source Node runs TypeScript as it is. Built, the program lies above the chunk that this is in, since it is only
 * imported when it is called.
 */
const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./health-process.ts" : "../health-process.js",
  import.meta.url,
);

/**
 * Looks into a database in a process of its own, which writes nothing and is ended when its time is over: what it found
 * out by then is given.
 *
 * @throws the signal's reason when aborted
 */
export async function inspect({ timeoutMs, signal, ...request }: InspectOptions): Promise<Inspection> {
  signal?.throwIfAborted();
  const { NODE_OPTIONS: _, ...env } = process.env; // meant for the program that asks
  assertNotUpgraded();
  const child = fork(PROGRAM, [], {
    execArgv: ["--disable-warning=ExperimentalWarning"], // what Node 22 says of its SQLite
    env,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const inspection: Inspection = { failed: [], late: false };
  const timer = setTimeout(() => {
    inspection.late = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const abort = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const ended = await talk(child, request, inspection);
    if (ended !== undefined) {
      const why = inspection.late ? `it took longer than ${timeoutMs / 1000} s` : ended;
      for (const step of missing(inspection, request)) inspection.failed.push({ step, message: why });
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  signal?.throwIfAborted();
  return inspection;
}

/** @returns how the process ended, where that was before it was done */
function talk(
  child: ChildProcess,
  request: HealthRequest,
  inspection: Inspection,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let done = false;
    child.on("message", (message: HealthMessage) => {
      if ("done" in message) done = true;
      else take(message, inspection);
    });
    child.on("error", (error) => resolve(`the process that looks into it cannot run: ${error.message}`));
    child.on("close", (code, by) => {
      resolve(done ? undefined : `the process that looks into it ended by ${by ?? `exit ${code}`}`);
    });
    child.send(request, () => {}); // that it could not be sent is told by how the process ends
  });
}

function take(message: Exclude<HealthMessage, { done: true }>, inspection: Inspection): void {
  if ("failed" in message) inspection.failed.push(message.failed);
  else if ("again" in message) {
    inspection.failed = inspection.failed.filter(
      ({ step }) => !ABOUT_THE_DATABASE.some((each) => each === step),
    );
    for (const step of ABOUT_THE_DATABASE) delete inspection[step];
  } else Object.assign(inspection, message);
}

const ABOUT_THE_DATABASE = ["pages", "files", "problems", "check"] as const;

/** What was neither told nor said to have failed. Of a database that cannot be opened nothing else is asked. */
function missing(inspection: Inspection, { path }: HealthRequest): Step[] {
  const asked: readonly Step[] =
    path === undefined ? ["sqlite"] : ["sqlite", "indexing", ...ABOUT_THE_DATABASE];
  const failed = new Set(inspection.failed.map(({ step }) => step));
  return asked.filter((step) => inspection[step] === undefined && !failed.has(step) && !failed.has("pages"));
}
