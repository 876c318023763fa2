import type { Pool } from "pg";
import type { z } from "zod";
import { listForgotten } from "../../../src/store/postgres/forgotten.ts";
import type { Caller } from "../../../src/store/postgres/people.ts";
import type { exclusions } from "../protocol.ts";
import { getRetention } from "./overview.ts";

/** Which sessions of the caller's machine the hub would refuse, or delete soon. */
export async function getExclusions(pool: Pool, caller: Caller): Promise<z.infer<typeof exclusions>> {
  const { person, machine } = caller;
  const [forgotten, retention] = await Promise.all([
    listForgotten(pool, person.id),
    getRetention(pool, caller),
  ]);
  return { person: person.id, machine: machine.name, forgotten, retention };
}
