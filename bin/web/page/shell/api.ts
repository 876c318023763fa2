/** Requests to the server's API. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { Answers, ErrorAnswer, Route } from "../../api/answers.ts";
import { getKey, renewKey } from "./signed-in.ts";

/** An error reported by the server, with a hint. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor({ code, message, hint }: ErrorAnswer["error"]) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Query parameters. Undefined, empty and false values are omitted; an array repeats the parameter. */
export type ApiParams = Record<string, string | number | boolean | readonly string[] | undefined>;

/** The address of an API request. */
export function apiUrl(route: string, params: ApiParams = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === "" || value === false) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  return search.size > 0 ? `/api/${route}?${search}` : `/api/${route}`;
}

/** The JSON response to a GET request. @throws as `fetchApi` */
export async function apiGet<R extends Route>(
  route: R,
  params: ApiParams = {},
  signal?: AbortSignal,
): Promise<Answers[R]> {
  return (await fetchApi(apiUrl(route, params), signal && { signal })).json();
}

/** The JSON response to a POST request. @throws as `fetchApi` */
export async function apiPost<R extends Route>(route: R, body: object): Promise<Answers[R]> {
  const headers = { "Content-Type": "application/json" };
  // `keepalive` sends the request even while the page unloads.
  const init = { method: "POST", headers, body: JSON.stringify(body), keepalive: true };
  return (await fetchApi(`/api/${route}`, init)).json();
}

/**
 * A response, requested with this browser's key. If the server rejects the key, the page shows the sign-in view.
 *
 * @throws ApiError, or the signal's reason when aborted
 */
export async function fetchApi(address: string, init: RequestInit = {}): Promise<Response> {
  const key = getKey();
  const headers = { ...init.headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
  const response = await fetch(address, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    const hint = "It may have been stopped. Start pidex serve again and open the link that it prints.";
    throw new ApiError({ code: "UNREACHABLE", message: "pidex serve does not respond", hint });
  });
  if (response.status === 401 && (await renewKey(key))) return fetchApi(address, init);
  if (response.ok) return response;
  const isJson = response.headers.get("content-type")?.includes("json");
  if (isJson) throw new ApiError(((await response.json()) as ErrorAnswer).error);
  throw new ApiError({ code: String(response.status), message: await response.text(), hint: "" });
}

/** Whether an error means that the server does not respond. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.code === "UNREACHABLE";
}

/** The lines of a streamed response. @throws when iterated: TypeError if the connection breaks */
export async function* readLines({ body }: Response): AsyncGenerator<string> {
  // Not every browser can iterate over streams yet.
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let partial = "";
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (partial + next.value).split("\n");
    partial = lines.pop() ?? "";
    yield* lines;
  }
}

/** Waits. @throws the signal's reason if aborted meanwhile */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  signal.throwIfAborted();
}

/** The state of a load. While the next one runs, `data` and `error` are those of the previous one. */
export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
  /** The name of the load that `data` comes from. */
  name?: string | undefined;
}

/**
 * The result of an asynchronous load, repeated whenever its name or `version` changes. A load that is superseded is aborted, and
 * its result is discarded. `undefined` loads nothing.
 *
 * @param load may call `show` with partial results
 * @param options.keepsData whether `data` stays while the server does not respond, beside the error
 */
export function useLoaded<T>(
  name: string | undefined,
  version: unknown,
  load: (signal: AbortSignal, show: (data: T) => void) => Promise<T>,
  { keepsData = false }: { keepsData?: boolean } = {},
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ data: undefined, error: undefined, isLoading: true });
  // Before paint, so that results appear within a frame or two while the user types.
  useLayoutEffect(() => {
    if (name === undefined) return undefined;
    const stop = new AbortController();
    const update = (next: Omit<Loaded<T>, "name">) => {
      if (!stop.signal.aborted) setLoaded({ ...next, name });
    };
    setLoaded((before) => ({ ...before, isLoading: true }));
    load(stop.signal, (data) => update({ data, error: undefined, isLoading: true })).then(
      (data) => update({ data, error: undefined, isLoading: false }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        if (keepsData && isUnreachable(error))
          setLoaded((before) => ({ ...before, error, isLoading: false }));
        else update({ data: undefined, error, isLoading: false });
      },
    );
    return () => stop.abort();
  }, [name, version]);
  return loaded;
}

/** The response to a GET request, repeated whenever the request or `version` changes. `undefined` requests nothing. */
export function useAnswer<R extends Route>(
  route: R | undefined,
  params: ApiParams = {},
  version: unknown = 0,
  options: { keepsData?: boolean } = {},
): Loaded<Answers[R]> {
  const address = route === undefined ? undefined : apiUrl(route, params);
  return useLoaded(address, version, (signal) => apiGet(route as R, params, signal), options);
}
