/** The thread that changes a session which takes long to read. */
import { parentPort, workerData } from "node:worker_threads";
import { PidexError } from "../../../library/index.ts";
import { organised } from "../../actions/organise.ts";
import type { OrganisingAsked, OrganisingTold } from "./organising.ts";
import { changeOf } from "./session-change.ts";

const port = parentPort as NonNullable<typeof parentPort>; // it is started as a thread, and as nothing else
const { path, wanted, inside } = workerData as OrganisingAsked;

function told(): OrganisingTold {
  try {
    return { organised: organised({ path }, { ...changeOf(wanted), ...inside }) };
  } catch (error) {
    if (!(error instanceof PidexError)) throw error; // a thread's own way to tell it
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
}

port.postMessage(told());
