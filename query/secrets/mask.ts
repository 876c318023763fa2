/** Shorter secrets may be passwords, and of those every letter helps whoever guesses. */
const SHORTEST_SHOWN = 20;

/** A secret as it may be shown: of a long one the beginning, which says whose it is; of all how long they are. */
export function masked(secret: string): string {
  const start = secret.slice(0, 4);
  const shown = secret.length >= SHORTEST_SHOWN && /^\w[\x21-\x7e]{3}$/.test(start) ? start : "";
  return `${shown}… (${secret.length.toLocaleString("en-US")})`;
}

/** What stands in the place of a secret. */
export function mark(kind: string): string {
  return `[redacted ${kind}]`;
}
