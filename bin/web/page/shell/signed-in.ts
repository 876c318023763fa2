/**
 * Whether this browser is signed in. The key is stored for the page's origin, which includes the port, so that no other program on
 * this machine can access it while `pidex serve` listens there. It is valid until `pidex serve` ends. A browser that stays signed in also
 * has a secret, which gives the keys of later runs and is never sent.
 */
import { signal } from "@preact/signals";
import type { ErrorAnswer, LinkSource, LinkSourceAnswer, SignInAnswer } from "../../api/answers.ts";

const KEY = "pidex-key";
const SECRET = "pidex-secret";
/** The address to open in this tab after signing in. */
const RETURN_TO = "pidex-return-to";

/** Set by `arrive`. */
export const isSignedIn = signal(false);
/** Why a sign-in link failed. */
export const signInError = signal("");

/** The key sent with requests; undefined if this browser isn't signed in. */
export function getKey(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/**
 * Call it when the server rejects a key: another run may have begun.
 *
 * @returns whether there is another key now
 */
export async function renewKey(rejected: string | undefined): Promise<boolean> {
  if (getKey() !== rejected) return getKey() !== undefined; // another tab has renewed it
  const secret = localStorage.getItem(SECRET);
  const run = secret === null ? undefined : (await fetchSignIn())?.run;
  if (secret !== null && run !== undefined) {
    const key = await deriveKey(secret, run);
    if (key !== rejected) {
      localStorage.setItem(KEY, key);
      update();
      return true;
    }
    localStorage.removeItem(SECRET); // all browsers were signed out
  }
  forgetKey(rejected);
  return false;
}

/** As the server does it. */
async function deriveKey(secret: string, run: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(run)));
  const base64 = btoa(String.fromCharCode(...signature));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function forgetKey(key: string | undefined): void {
  // Another tab may have signed in meanwhile, with another key.
  if (key !== undefined && getKey() === key) localStorage.removeItem(KEY);
  update();
}

function update(): void {
  const isIn = getKey() !== undefined;
  if (isIn) sessionStorage.removeItem(RETURN_TO);
  else sessionStorage.setItem(RETURN_TO, location.pathname + location.search);
  isSignedIn.value = isIn;
}

/** Signs in with the token in the address, if any, and follows sign-ins in other tabs. */
export async function signInFromLink(): Promise<void> {
  addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) update();
  });
  addEventListener("hashchange", () => void takeToken());
  await takeToken();
  if (getKey() === undefined) await renewKey(undefined);
  update();
}

async function takeToken(): Promise<void> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  // First of all: the token must not stay in the history or in a copied address.
  history.replaceState(null, "", location.pathname + location.search);
  const returnTo = sessionStorage.getItem(RETURN_TO);
  const answer = await exchangeToken(token);
  if ("key" in answer) {
    if (returnTo !== null && location.pathname + location.search === "/")
      history.replaceState(null, "", returnTo);
    if (answer.secret !== undefined) localStorage.setItem(SECRET, answer.secret);
    localStorage.setItem(KEY, answer.key);
    signInError.value = "";
    update();
  } else signInError.value = answer.error.message;
}

/** The program that issues sign-in links. */
export async function fetchLinkSource(): Promise<LinkSource> {
  return (await fetchSignIn())?.linksFrom ?? "serve"; // stopped: its instructions cover that too
}

/** Needs no key. @returns undefined if the server does not respond */
async function fetchSignIn(): Promise<LinkSourceAnswer | undefined> {
  try {
    return (await (await fetch("/api/sign-in")).json()) as LinkSourceAnswer;
  } catch {
    return undefined;
  }
}

async function exchangeToken(token: string): Promise<SignInAnswer | ErrorAnswer> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ token });
  try {
    return await (await fetch("/api/sign-in", { method: "POST", headers, body })).json();
  } catch {
    const hint = "It may have been stopped. Start pidex serve again and open the link that it prints.";
    return { error: { code: "UNREACHABLE", message: "pidex serve does not respond", hint } };
  }
}
