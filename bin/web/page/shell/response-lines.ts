/** Streamed responses: lines of JSON, or server-sent events. */
import { type ApiParams, apiUrl, fetchApi } from "./api.ts";

/** The parsed lines of an NDJSON response. @throws ApiError, or the signal's reason when aborted */
export async function* fetchJsonLines<T>(
  route: string,
  params: ApiParams,
  signal: AbortSignal,
): AsyncGenerator<T> {
  for await (const line of readLines(await fetchApi(apiUrl(route, params), signal))) yield JSON.parse(line);
}

/** The prefix of a data line. Events of `pidex serve` have one data line each. */
const DATA = "data: ";

/** Server-sent events, preceded by undefined when the connection is open. Ends when it closes. @throws ApiError, when iterated */
export async function* serverSentEvents<T>(route: string): AsyncGenerator<T | undefined> {
  const response = await fetchApi(apiUrl(route));
  yield undefined;
  for await (const line of readLines(response)) {
    if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length));
  }
}

async function* readLines({ body }: Response): AsyncGenerator<string> {
  // Not every browser can iterate over streams yet.
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let partial = "";
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (partial + next.value).split("\n");
    partial = lines.pop() ?? "";
    yield* lines;
  }
}
