/** Requests to a hub. */
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createZstdDecompress, zstdCompressSync } from "node:zlib";
import { z } from "zod";
import { PidexError, toMessage } from "../../src/errors.ts";
import { fromSentError, type SentError } from "../host/messages.ts";
import {
  type AppendHeader,
  type Exclusions,
  exclusions,
  fileState,
  filesAnswer,
  forgetAnswer,
  type HubFileState,
  meAnswer,
  type OwnFile,
  ownDigest,
  ownFile,
  PROTOCOL_VERSION,
} from "./protocol.ts";
import { readJsonLines } from "./read-json-lines.ts";

export interface HubClientOptions {
  /** Of the hub. */
  url: string;
  /** Of this machine. Undefined before it is signed in. */
  token?: string | undefined;
}

export interface RequestOptions {
  /** Sent as JSON; or bytes, sent as they are. */
  body?: object | Uint8Array | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Milliseconds until an answer must begin. Default: 60,000. */
  timeoutMs?: number;
  /** Whether repeating the request has no further effect, so that it is retried. Default: for GET. */
  isIdempotent?: boolean;
  /** Statuses of 400 and above that are returned instead of thrown. */
  accept?: readonly number[];
}

/** What became of an append. */
export interface AppendResult extends HubFileState {
  /** Whether the hub had another state of the file, so that nothing was added. */
  isConflict: boolean;
}

const TIMEOUT_MS = 60_000;
/** A line of 256 MiB takes longer than other requests. */
const APPEND_TIMEOUT_MS = 300_000;
/** Waits before repetitions, in milliseconds. */
const RETRY_DELAYS = [200, 1_000, 3_000];
/** Of proxies and of a hub that is starting or stopping. */
const RETRIED_STATUSES = [502, 503, 504];

/**
 * Sends requests to a hub. Methods throw the hub's errors as `PidexError`, and `HUB_UNAVAILABLE` if the hub cannot be reached or fails,
 * `NOT_SIGNED_IN` if it does not accept the token, `NOT_ALLOWED` if the role does not allow the request.
 */
export class HubClient {
  /** Of the hub, ending in a slash. */
  readonly url: string;
  readonly #token: string | undefined;

  /** @throws PidexError `BAD_OPTION` if the URL is invalid */
  constructor({ url, token }: HubClientOptions) {
    this.url = parseHubUrl(url);
    this.#token = token;
  }

  /** Who this machine is signed in as. */
  me(signal?: AbortSignal): Promise<z.infer<typeof meAnswer>> {
    return this.json("GET", "v1/me", meAnswer, { signal });
  }

  /** How far the hub has files of this machine, in the order of the paths. At most 1,000. */
  async files(paths: readonly string[], signal?: AbortSignal): Promise<z.infer<typeof filesAnswer>["files"]> {
    const options = { body: { paths }, signal, isIdempotent: true };
    return (await this.json("POST", "v1/files", filesAnswer, options)).files;
  }

  /** The sessions that this machine should not send. */
  exclusions(signal?: AbortSignal): Promise<Exclusions> {
    return this.json("GET", "v1/exclusions", exclusions, { signal });
  }

  /** Adds whole lines to a file of this machine. If the hub has them already, that is no conflict. */
  async append(header: AppendHeader, bytes: Uint8Array, signal?: AbortSignal): Promise<AppendResult> {
    const body = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), zstdCompressSync(bytes)]);
    const headers = { "content-type": "application/octet-stream" };
    const response = await this.request("PUT", "v1/append", {
      ...{ body, headers, signal, isIdempotent: true, accept: [409] },
      timeoutMs: APPEND_TIMEOUT_MS,
    });
    const state = parseAnswer(fileState, await readJson(response));
    const isThere = state.cursor === header.cursor + header.bytes && state.digest === header.next;
    return { ...state, isConflict: response.status === 409 && !isThere };
  }

  /** Deletes files of this machine from the hub, which accepts them again. @returns how many it had */
  async forget(paths: readonly string[], signal?: AbortSignal): Promise<number> {
    const options = { body: { paths }, signal, isIdempotent: true };
    return (await this.json("POST", "v1/forget", forgetAnswer, options)).forgotten;
  }

  /** The private files of this person, from all machines. */
  own(signal?: AbortSignal): AsyncGenerator<OwnFile> {
    return this.lines("GET", "v1/own", ownFile, { signal });
  }

  /** A digest that differs when `own` does. */
  async ownDigest(signal?: AbortSignal): Promise<string> {
    return (await this.json("GET", "v1/own-digest", ownDigest, { signal })).digest;
  }

  /** The bytes of a private file from an offset up to the cursor that the hub had when the answer began. */
  async *ownBytes(id: number, from: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const headers = { accept: "application/zstd" };
    const response = await this.request("GET", `v1/own/${id}?from=${from}`, { headers, signal });
    const isCompressed = response.headers.get("content-type") === "application/zstd";
    try {
      if (!response.body) return;
      if (!isCompressed) for await (const part of response.body) yield Buffer.from(part);
      else for await (const part of response.body.pipeThrough(zstdStream())) yield Buffer.from(part);
    } catch (error) {
      throw signal?.aborted ? signal.reason : unavailable(this.url, error);
    }
  }

  /** A request that is answered by JSON. */
  async json<S extends z.ZodType>(
    method: string,
    path: string,
    schema: S,
    options: RequestOptions = {},
  ): Promise<z.infer<S>> {
    return parseAnswer(schema, await readJson(await this.request(method, path, options)));
  }

  /** A request that is answered by lines of JSON. */
  async *lines<S extends z.ZodType>(
    method: string,
    path: string,
    schema: S,
    options: RequestOptions = {},
  ): AsyncGenerator<z.infer<S>> {
    const response = await this.request(method, path, options);
    if (!response.body) return;
    try {
      for await (const item of readJsonLines(response.body)) yield parseAnswer(schema, item);
    } catch (error) {
      if (error instanceof PidexError) throw error;
      throw options.signal?.aborted ? options.signal.reason : unavailable(this.url, error);
    }
  }

  /** Sends a request. The answer has a status below 400, or one that is accepted. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { isIdempotent = method === "GET", accept = [], signal } = options;
    for (let attempt = 0; ; attempt++) {
      const delay = isIdempotent ? RETRY_DELAYS[attempt] : undefined;
      try {
        const response = await this.#send(method, path, options);
        const isRetried = delay !== undefined && RETRIED_STATUSES.includes(response.status);
        if (response.ok || accept.includes(response.status)) return response;
        if (!isRetried) throw await toError(this.url, response);
        await response.body?.cancel();
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (error instanceof PidexError) throw error;
        if (delay === undefined) throw unavailable(this.url, error);
      }
      await sleep(delay, undefined, { signal });
    }
  }

  async #send(
    method: string,
    path: string,
    { body, headers, signal, timeoutMs = TIMEOUT_MS }: RequestOptions,
  ): Promise<Response> {
    const isBytes = body instanceof Uint8Array;
    // Only until the answer begins: it may be a long stream.
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    try {
      return await fetch(new URL(path, this.url), {
        method,
        // A redirected request would send the token to another server.
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        headers: {
          "pidex-protocol": String(PROTOCOL_VERSION),
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          ...(body && !isBytes && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body && { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @throws PidexError `BAD_OPTION` */
function parseHubUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    const hint = "Pass an address such as https://hub.example.com or http://127.0.0.1:7433.";
    throw new PidexError("BAD_OPTION", `${text} is not the URL of a hub`, hint);
  }
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url.href;
}

/** The name that the hub's address is shown by: without the slash at the end. */
function showUrl(url: string): string {
  return url.replace(/\/$/, "");
}

function unavailable(url: string, cause: unknown): PidexError {
  // The message of `fetch` is "fetch failed"; its cause says why.
  const reason = toMessage(cause instanceof Error && cause.cause ? cause.cause : cause);
  return new PidexError(
    "HUB_UNAVAILABLE",
    `cannot reach the hub at ${showUrl(url)}: ${reason || "no connection"}`,
    "Check the network and that the hub is running, then retry.",
    { cause },
  );
}

const errorAnswer = z.object({
  error: z.object({
    name: z.string(),
    message: z.string(),
    code: z.string().optional(),
    hint: z.string().optional(),
  }),
});

async function toError(url: string, response: Response): Promise<Error> {
  const answer = errorAnswer.safeParse(await response.json().catch(() => undefined));
  if (answer.success) return fromSentError(answer.data.error satisfies SentError);
  const message = `${showUrl(url)} answered ${response.status}, and not as a hub does`;
  return new PidexError("HUB_UNAVAILABLE", message, "Check the URL of the hub, and any proxy before it.");
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw unavailable(response.url, error);
  }
}

/** @throws PidexError `HUB_UNAVAILABLE` if the answer is not that of a hub */
function parseAnswer<S extends z.ZodType>(schema: S, answer: unknown): z.infer<S> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const hint = "Check the URL of the hub, and update pidex here or there.";
  throw new PidexError("HUB_UNAVAILABLE", "the hub's answer cannot be understood", hint, {
    cause: parsed.error,
  });
}

function zstdStream(): TransformStream<Uint8Array, Uint8Array> {
  return Duplex.toWeb(createZstdDecompress()) as unknown as TransformStream<Uint8Array, Uint8Array>;
}
