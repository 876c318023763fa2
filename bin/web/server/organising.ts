/** Changes sessions; of those that take long to read, in a thread: other answers do not wait for it. */

import { Worker } from "node:worker_threads";
import { PidexError, type SessionInfo } from "../../../library/index.ts";
import { assertNotUpgraded } from "../../../library/internal.ts";
import type { WritesInside } from "../../actions/inside.ts";
import { type Organised, organised } from "../../actions/organise.ts";
import { changeOf, type SessionChange } from "./session-change.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./organising-thread.ts" : "./organising-thread.js",
  import.meta.url,
);

/** A file of this size is read in the time that a thread takes to begin. */
const LONG_BYTES = 16 * 1024 * 1024;

/** What the thread is told. */
export interface OrganisingAsked {
  path: string;
  wanted: SessionChange;
  inside: WritesInside;
}

/** What it tells, once. */
export type OrganisingTold =
  | { organised: Organised }
  | { error: { code: PidexError["code"]; message: string; hint: string } };

/** Changes a session where it has to be. @throws as `organised` */
export async function organise(
  { path, size }: SessionInfo,
  wanted: SessionChange,
  inside: WritesInside,
): Promise<Organised> {
  if (size < LONG_BYTES) return organised({ path }, { ...changeOf(wanted), ...inside });
  assertNotUpgraded();
  const worker = new Worker(PROGRAM, { workerData: { path, wanted, inside } satisfies OrganisingAsked });
  const told = await new Promise<OrganisingTold>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the thread that changes a session ended with ${code}`)));
  });
  if ("organised" in told) return told.organised;
  const { code, message, hint } = told.error;
  throw new PidexError(code, message, hint);
}
