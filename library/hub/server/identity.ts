import type { Pool } from "pg";
import { type Caller, findCaller } from "../../../src/store/postgres/people.ts";
import { hashSecret } from "../../../src/store/postgres/tokens.ts";

export type { Caller } from "../../../src/store/postgres/people.ts";

const MAX_REMEMBERED = 10_000;

/** Finds the machines that requests come from. */
export class Authenticator {
  readonly #pool: Pool;
  /** Hashes of tokens that were valid, newest last. They say nothing about whether these still are. */
  readonly #remembered = new Set<string>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Whether a token was valid before, so that requests with it are not counted as guesses. */
  isRemembered(token: string): boolean {
    return this.#remembered.has(hashSecret(token).toString("base64"));
  }

  /** The machine with a token. The same work is done for every text. */
  async find(token: string): Promise<Caller | undefined> {
    const hash = hashSecret(token);
    const caller = await findCaller(this.#pool, hash);
    const key = hash.toString("base64");
    this.#remembered.delete(key);
    if (!caller) return undefined;
    this.#remembered.add(key);
    for (const oldest of this.#remembered) {
      if (this.#remembered.size <= MAX_REMEMBERED) break;
      this.#remembered.delete(oldest);
    }
    return caller;
  }
}
