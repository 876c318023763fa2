/** Long answers as they come: JSON, line by line. */
import { type Asked, addressOf, answered } from "./ask.ts";

/** What the server tells, one after the other. @throws AskError; the signal's reason when aborted */
export async function* eventsOf<T>(question: string, asked: Asked, signal: AbortSignal): AsyncGenerator<T> {
  const response = await answered(addressOf(question, asked), signal);
  if (!response.body) return;
  let rest = "";
  for await (const text of readable(response.body.pipeThrough(new TextDecoderStream()))) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as T;
  }
}

/** Streams cannot be iterated in every browser yet. */
async function* readable(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
