import { PidexError, toMessage } from "../../src/errors.ts";
import { ProcessEndedError, runInSandbox } from "../sandbox.ts";
import type { FailedStep, HealthMessage, HealthRequest, Step, StepResults } from "./health-messages.ts";

/** Results of an inspection. Each missing result has an entry in `failed`. */
export interface Inspection extends Partial<StepResults> {
  failed: FailedStep[];
  /** True if the time limit ended the inspection. */
  isTimedOut: boolean;
}

export interface InspectOptions extends HealthRequest {
  /** Time limit in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Inspects a database in a separate, read-only process. If the time limit ends it, returns the results so far.
 *
 * @throws the signal's reason when aborted
 */
export async function runInspection({ timeoutMs, signal, ...request }: InspectOptions): Promise<Inspection> {
  const inspection: Inspection = { failed: [], isTimedOut: false };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const options = {
      execArgv: ["--disable-warning=ExperimentalWarning"], // Node 22 prints one for node:sqlite
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    };
    for await (const message of runInSandbox<HealthMessage>("health/health-process", request, options)) {
      if ("done" in message) break;
      addResult(message, inspection);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PidexError) throw error;
    inspection.isTimedOut = timeout.aborted;
    const message = timeout.aborted ? `it took longer than ${timeoutMs / 1000} s` : describeEnd(error);
    for (const step of missingSteps(inspection, request)) inspection.failed.push({ step, message });
  }
  return inspection;
}

function describeEnd(error: unknown): string {
  return error instanceof ProcessEndedError
    ? `the process that inspects it ended: ${error.message}`
    : `cannot start the process that inspects it: ${toMessage(error)}`;
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
