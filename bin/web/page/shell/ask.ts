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

/** What is known of an answer: while another is waited for, the one before stays. */
export interface Answer<T> {
  data: T | undefined;
  error: unknown;
  isWaiting: boolean;
  /** The address that was asked for it: another one than now, while that is waited for. */
  address?: string | undefined;
}

/**
 * The answer to a question, asked again whenever the question changes, or `version` does. Who no longer waits for an answer
 * does not get it. `undefined` asks nothing.
 */
export function useAnswer<T>(
  question: string | undefined,
  asked: Asked = {},
  version: unknown = 0,
): Answer<T> {
  const address = question === undefined ? undefined : addressOf(question, asked);
  const [answer, setAnswer] = useState<Answer<T>>({
    data: undefined,
    error: undefined,
    isWaiting: true,
  });
  useEffect(() => {
    if (address === undefined) return undefined;
    const stop = new AbortController();
    setAnswer((before) => ({ ...before, isWaiting: true }));
    fetched(address, { signal: stop.signal })
      .then((response) => answerOf<T>(response))
      .then(
        (data) => {
          if (!stop.signal.aborted) setAnswer({ data, error: undefined, isWaiting: false, address });
        },
        (error) => {
          if (!stop.signal.aborted) setAnswer({ data: undefined, error, isWaiting: false, address });
        },
      );
    return () => stop.abort();
  }, [address, version]);
  return answer;
}
