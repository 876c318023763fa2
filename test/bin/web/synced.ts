import { type Served, served } from "./served.ts";

/** Serves sessions until the test ends, and waits for the first sync. */
export async function servedSynced(...args: Parameters<typeof served>): Promise<Served> {
  const server = await served(...args);
  const stop = new AbortController();
  const response = await server.fetch("/api/changes", { signal: stop.signal });
  let events = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    events += Buffer.from(chunk).toString();
    if (events.includes('"synced"')) break;
  }
  stop.abort();
  return server;
}
