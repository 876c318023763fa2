/** Asking the server. */
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../../api/answers.ts";
import { keyNow, signedOut } from "./signed-in.ts";

/** What the server says went wrong, and what to do about it. */
export class AskError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor({ code, message, hint }: Failure["error"]) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** What stands in an address: what is undefined, empty or false is left out, a list stands once for each of it. */
export type Asked = Record<string, string | number | boolean | readonly string[] | undefined>;

/** The address of a question. */
export function addressOf(question: string, asked: Asked = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined || value === "" || value === false) continue;
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each));
  }
  return params.size > 0 ? `/api/${question}?${params}` : `/api/${question}`;
}

/** Asks, and waits for the answer. @throws AskError; the signal's reason when aborted */
export async function ask<T>(question: string, asked: Asked = {}, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(await fetched(addressOf(question, asked), { ...(signal && { signal }) }));
}

/** Has something done. @throws AskError */
export async function act<T>(question: string, body: object): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  // What was asked for as the page goes is still sent.
  const init = { method: "POST", headers, body: JSON.stringify(body), keepalive: true };
  return answerOf<T>(await fetched(`/api/${question}`, init));
}

/** Asks with this browser's key. Where that is no longer one, the page says so instead of the view. */
async function fetched(address: string, init: RequestInit): Promise<Response> {
  const key = keyNow();
  const headers = { ...init.headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
  try {
    const response = await fetch(address, { ...init, headers });
    if (response.status === 401) signedOut(key);
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const hint = "It may have been stopped: start pidex serve again, and open the link that it prints.";
    throw new AskError({ code: "UNREACHABLE", message: "pidex serve does not answer", hint });
  }
}

/** An answer that is read bit by bit, or is no JSON. @throws as `ask` */
export async function answered(address: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetched(address, { ...(signal && { signal }) });
  if (!response.ok) await answerOf(response);
  return response;
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const isJson = response.headers.get("content-type")?.includes("json");
  if (isJson) throw new AskError(((await response.json()) as Failure).error);
  throw new AskError({ code: String(response.status), message: await response.text(), hint: "" });
}

/** Waits so many milliseconds. @throws the signal's reason when aborted meanwhile */
export async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  signal.throwIfAborted();
}

/** The state of a load: while another one runs, `data` and `error` are those of the one before. */
export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  isWaiting: boolean;
  /** The name of the load that `data` comes from. */
  name?: string | undefined;
}

/**
 * The result of an asynchronous load, repeated whenever its name or `version` changes. A load that is superseded is aborted, and
 * its result dropped. `undefined` loads nothing.
 */
export function useLoaded<T>(
  name: string | undefined,
  version: unknown,
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ data: undefined, error: undefined, isWaiting: true });
  useEffect(() => {
    if (name === undefined) return undefined;
    const stop = new AbortController();
    const settle = (data: T | undefined, error?: unknown) => {
      if (!stop.signal.aborted) setLoaded({ data, error, isWaiting: false, name });
    };
    setLoaded((before) => ({ ...before, isWaiting: true }));
    load(stop.signal).then(settle, (error) => settle(undefined, error));
    return () => stop.abort();
  }, [name, version]);
  return loaded;
}

/** The answer to a question, asked again whenever the question or `version` changes. `undefined` asks nothing. */
export function useAnswer<T>(
  question: string | undefined,
  asked: Asked = {},
  version: unknown = 0,
): Loaded<T> {
  const address = question === undefined ? undefined : addressOf(question, asked);
  return useLoaded(address, version, async (signal) => answerOf<T>(await fetched(address ?? "", { signal })));
}
