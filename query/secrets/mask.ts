/** Shorter secrets may be passwords, where every revealed letter helps an attacker. In UTF-16 units. */
const MIN_LENGTH_WITH_PREFIX = 20;

/** A secret as it may be shown: its length and, if it is long, its first four characters, which identify the service. */
export function maskSecret(secret: string): string {
  const start = secret.slice(0, 4);
  const shown = secret.length >= MIN_LENGTH_WITH_PREFIX && /^\w[\x21-\x7e]{3}$/.test(start) ? start : "";
  return `${shown}… (${secret.length.toLocaleString("en-US")})`;
}

/** The text that replaces a secret. */
export function formatRedactionMark(kind: string): string {
  return `[redacted ${kind}]`;
}
