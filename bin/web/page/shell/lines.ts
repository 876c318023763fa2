/** Long answers as they come, line by line: JSON, or server-sent events. */
import { type Asked, addressOf, answered } from "./ask.ts";

/** The lines of JSON of an answer. @throws AskError; the signal's reason when aborted */
export async function* eventsOf<T>(question: string, asked: Asked, signal: AbortSignal): AsyncGenerator<T> {
  for await (const line of linesOf(await answered(addressOf(question, asked), signal)))
    yield JSON.parse(line);
}

/** What begins a line of a server-sent event. Ours have one such line each. */
const DATA = "data: ";

/** Server-sent events; undefined once the server has begun to answer. Ends when the connection does. @throws as `eventsOf` */
export async function* serverSentEvents<T>(question: string): AsyncGenerator<T | undefined> {
  const response = await answered(addressOf(question));
  yield undefined;
  for await (const line of linesOf(response)) {
    if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length));
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  // Streams cannot be iterated in every browser yet.
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + next.value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
