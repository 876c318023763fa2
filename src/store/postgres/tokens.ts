import { createHash, randomBytes } from "node:crypto";

const BYTES = 32;

/** A new random secret. Its beginning lets scanners of secrets find it where it should not be. */
export function createSecret(kind: "token" | "invitation"): string {
  return `${PREFIXES[kind]}${randomBytes(BYTES).toString("base64url")}`;
}

const PREFIXES = { token: "pidex_", invitation: "pidex_invitation_" } as const;

/** What the database keeps of a secret: its SHA-256. The secrets are random, so a slow hash would add nothing. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
