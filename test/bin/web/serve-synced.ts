import { serve, type TestServer } from "./serve.ts";

/** Serves sessions until the end of the test, and waits until all are indexed. */
export async function serveSynced(...args: Parameters<typeof serve>): Promise<TestServer> {
  const server = await serve(...args);
  const stop = new AbortController();
  const response = await server.fetch("/api/changes", { signal: stop.signal });
  let said = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    said += Buffer.from(chunk).toString();
    if (said.includes('"synced"')) break;
  }
  stop.abort();
  return server;
}
