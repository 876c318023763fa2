/**
 * Whether this browser is signed in. The key is kept by the page's origin, port included, which no other program of the machine can
 * read or write while this one listens there. It is good until `pidex serve` ends.
 */
import { signal } from "@preact/signals";
import type { Failure, LinkSource, LinkSourceAnswer, SignInAnswer } from "../../api/answers.ts";

const KEY = "pidex-key";
/** The address to go on to in this tab once it is signed in. */
const WANTED = "pidex-wanted";

/** As the page begins; told by `arrive`. */
export const isSignedIn = signal(false);
/** Why a link did not sign this browser in. */
export const whyNot = signal("");

/** What questions are asked with; undefined where this browser isn't signed in. */
export function keyNow(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/** A key is no longer good. */
export function signedOut(key: string | undefined): void {
  // Another tab may have signed in meanwhile, with another key.
  if (key !== undefined && keyNow() === key) localStorage.removeItem(KEY);
  update();
}

function update(): void {
  const isIn = keyNow() !== undefined;
  if (isIn) sessionStorage.removeItem(WANTED);
  else sessionStorage.setItem(WANTED, location.pathname + location.search);
  isSignedIn.value = isIn;
}

/** Signs in by the token of the link that was opened, if any, and goes on to the address that was kept. Tells of other tabs, too. */
export async function arrive(): Promise<void> {
  addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) update();
  });
  addEventListener("hashchange", () => void takeToken());
  await takeToken();
  update();
}

async function takeToken(): Promise<void> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  // Before anything else: it is to stand in no history, and in nothing that is copied from the address.
  history.replaceState(null, "", location.pathname + location.search);
  const wanted = sessionStorage.getItem(WANTED);
  const answer = await exchanged(token);
  if ("key" in answer) {
    if (wanted !== null && location.pathname + location.search === "/")
      history.replaceState(null, "", wanted);
    localStorage.setItem(KEY, answer.key);
    whyNot.value = "";
    update();
  } else whyNot.value = answer.error.message;
}

/** What gives out links: known without being signed in. */
export async function linkSource(): Promise<LinkSource> {
  try {
    return ((await (await fetch("/api/sign-in")).json()) as LinkSourceAnswer).linksFrom;
  } catch {
    return "serve"; // it has stopped: what to do then is said there too
  }
}

async function exchanged(token: string): Promise<SignInAnswer | Failure> {
  const headers = { "Content-Type": "application/json" };
  try {
    const response = await fetch("/api/sign-in", {
      method: "POST",
      headers,
      body: JSON.stringify({ token }),
    });
    return (await response.json()) as SignInAnswer | Failure;
  } catch {
    return { error: { code: "UNREACHABLE", message: "pidex serve does not answer.", hint: "" } };
  }
}
