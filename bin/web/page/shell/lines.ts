/** Long answers as they come, line by line: JSON, or server-sent events. */
import { type Asked, addressOf, answered } from "./ask.ts";

/** What the server tells, one after the other. @throws AskError; the signal's reason when aborted */
export async function* eventsOf<T>(question: string, asked: Asked, signal: AbortSignal): AsyncGenerator<T> {
  for await (const line of linesOf(await answered(addressOf(question, asked), signal))) {
    yield JSON.parse(line) as T;
  }
}

/** What begins a line of a server-sent event. Ours have one such line each. */
const DATA = "data: ";

/** Server-sent events; undefined once the server has begun to answer. Ends when the connection does. @throws as `eventsOf` */
export async function* serverSentEvents<T>(question: string): AsyncGenerator<T | undefined> {
  const response = await answered(addressOf(question));
  yield undefined;
  for await (const line of linesOf(response)) {
    if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length)) as T;
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return;
  let rest = "";
  for await (const text of readable(body.pipeThrough(new TextDecoderStream()))) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Streams cannot be iterated in every browser yet. */
async function* readable(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
