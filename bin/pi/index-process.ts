/**
 * The program that has the index for pi's extension. A process of its own: SQLite blocks who asks it, pi is not to wait for
 * that, and pi may run on Bun, which cannot load the database driver. It ends when pi lets go of it, or is gone.
 */
import { constants, setPriority } from "node:os";
import { z } from "zod";
import { PidexError } from "../../library/index.ts";
import { AgentIndex } from "../agents/agent-index.ts";
import type { Answer, Control } from "../agents/answer.ts";
import type { FromIndex, ToldError } from "./index-messages.ts";

const Message = z.union([
  z.strictObject({
    id: z.int(),
    ask: z.enum(["search", "read", "list", "usage"]),
    question: z.unknown(), // AgentIndex looks at it
    asking: z.strictObject({ id: z.string().optional(), path: z.string().optional() }),
  }),
  z.strictObject({ cancel: z.int() }),
  z.strictObject({ sync: z.literal(true) }),
]);
type Asked = Extract<z.infer<typeof Message>, { id: number }>;

/** How long a sync may go on when pi is gone, in milliseconds. */
const LAST_SYNC_MS = 10_000;

/** What is being answered, by its id. */
const answering = new Map<number, AbortController>();
let opening: Promise<AgentIndex> | undefined;
let syncing: Promise<void> | undefined;

process.on("message", take);
process.once("disconnect", () => void leave());
makeWay();

function tell(message: FromIndex): void {
  process.send?.(message, () => {}); // that pi is gone is told by "disconnect"
}

function take(given: unknown): void {
  const message = Message.safeParse(given);
  if (!message.success) {
    tell({
      notice: `the extension said what its index does not understand: ${z.prettifyError(message.error)}`,
    });
  } else if ("cancel" in message.data) {
    answering.get(message.data.cancel)?.abort();
  } else if ("sync" in message.data) {
    syncing ??= sync().finally(() => {
      syncing = undefined;
    });
  } else void answer(message.data);
}

/** The index, opened when it is first needed. What could not be opened is tried again. */
function opened(): Promise<AgentIndex> {
  opening ??= AgentIndex.open({ onNotice: (notice) => tell({ notice }) }).catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function answer({ id, ask, question, asking }: Asked): Promise<void> {
  const abort = new AbortController();
  answering.set(id, abort);
  const control: Control = { signal: abort.signal, onProgress: (progress) => tell({ id, progress }) };
  try {
    const index = await opened();
    index.asking = asOptional(asking);
    const answer = (index[ask] as (question: unknown, control: Control) => Promise<Answer<unknown>>).bind(
      index,
    );
    tell({ id, answer: await answer(question, control) });
  } catch (error) {
    if (!abort.signal.aborted) tell({ id, error: toldError(error) });
  } finally {
    answering.delete(id);
  }
}

function asOptional({ id, path }: Asked["asking"]) {
  return { ...(id !== undefined && { id }), ...(path !== undefined && { path }) };
}

/** What an answer would lack is told with each answer; here only what keeps the index from being opened at all. */
async function sync(): Promise<void> {
  try {
    await (await opened()).sync();
  } catch (error) {
    const { message, hint } = toldError(error);
    tell({ notice: hint === undefined ? message : `${message}. ${hint}` });
  }
}

function toldError(error: unknown): ToldError {
  if (error instanceof PidexError) return { message: error.message, code: error.code, hint: error.hint };
  return { message: error instanceof Error ? error.message : String(error) };
}

/** Pi goes first, where both want the processor. */
function makeWay(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not everywhere may a process do so. Then both are equals.
  }
}

async function leave(): Promise<void> {
  for (const abort of answering.values()) abort.abort();
  const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_SYNC_MS));
  await Promise.race([syncing, late]); // what pi wrote last
  await opening?.then((index) => index.close()).catch(() => {}); // nobody is there to be told
  process.exit();
}
