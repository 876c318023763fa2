/**
 * Code of an extension author, written for pi, with one import changed. `types.test.ts` compiles it against the real pi's
 * types; it is never run.
 */

import * as pidex from "../../../library/index.ts";
import type {
  AssistantMessage,
  Message,
  ToolResultMessage,
  UserMessage,
} from "../../peer/node_modules/@mariozechner/pi-ai/dist/index.js";
import type * as pi from "../../peer/node_modules/@mariozechner/pi-coding-agent/dist/index.js";
import type * as newPi from "../../peer/node_modules/pi-1.5.2/dist/core/session-manager.js";

type ParametersOf<T> = T extends (...given: infer G) => unknown ? G : never;
/** Whether arguments of one can be passed to the other. */
type Accepts<Ours, Theirs> = ParametersOf<Theirs> extends ParametersOf<Ours> ? true : false;
type Methods = Exclude<keyof pi.SessionManager, "_persist">;

/** Every method accepts the arguments of pi's method. */
export const methods: { [M in Methods]: Accepts<pidex.SessionManager[M], pi.SessionManager[M]> } = {
  setSessionFile: true,
  newSession: true,
  isPersisted: true,
  getCwd: true,
  getSessionDir: true,
  getSessionId: true,
  getSessionFile: true,
  appendMessage: true,
  appendThinkingLevelChange: true,
  appendModelChange: true,
  appendCompaction: true,
  appendCustomEntry: true,
  appendSessionInfo: true,
  getSessionName: true,
  appendCustomMessageEntry: true,
  getLeafId: true,
  getLeafEntry: true,
  getEntry: true,
  getChildren: true,
  getLabel: true,
  appendLabelChange: true,
  getBranch: true,
  buildSessionContext: true,
  getHeader: true,
  getEntries: true,
  getTree: true,
  branch: true,
  resetLeaf: true,
  branchWithSummary: true,
  createBranchedSession: true,
};

/** The same for the methods that 1.5.2 added. */
type NewMethods = Exclude<keyof newPi.SessionManager, Methods | "_persist">;
export const newMethods: {
  [M in NewMethods]: Accepts<pidex.SessionManager[M], newPi.SessionManager[M]>;
} = {
  appendUsage: true,
  appendContextEdit: true,
  getEntryCount: true,
  usesDefaultSessionDir: true,
  buildContextEntries: true,
  buildSessionProjection: true,
};

export const newStatics: Pick<typeof newPi.SessionManager, "list" | "listAll" | "findById"> =
  pidex.SessionManager;

/** A listed session is a `SessionInfo` of pi; an object created from that type has only pi's fields. */
export const listed = (info: pidex.SessionInfo): newPi.SessionInfo & pi.SessionInfo => info;
export const info: Pick<pidex.SessionInfo, keyof newPi.SessionInfo> = {} as newPi.SessionInfo;

export const statics: Pick<typeof pi.SessionManager, "list" | "listAll"> = pidex.SessionManager;

export function author(
  session: pidex.SessionManager,
  user: UserMessage,
  assistant: AssistantMessage,
  result: ToolResultMessage,
  message: Message,
  entries: pi.SessionEntry[],
): void {
  for (const each of [user, assistant, result, message]) session.appendMessage(each);
  pidex.SessionManager.create("/home/ada").appendCustomEntry<{ count: number }>("x", { count: 1 });
  pidex.buildSessionContext(entries, null, new Map(entries.map((entry) => [entry.id, entry])));
  pidex.getLatestCompactionEntry(entries);
  const kept: pidex.SessionEntry[] = entries;
  const header: pi.SessionHeader | null = session.getHeader();
  const context: Pick<pi.SessionContext, "model" | "thinkingLevel"> = session.buildSessionContext();
  console.log(kept, header, context);
}
