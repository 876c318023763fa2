/** The addresses of links in the entries of a session. */
import type { EntryLinks } from "../entries/showing.ts";
import { sessionAddress } from "../shell/address.ts";
import { addressOf } from "../shell/ask.ts";

export function linksOf(session: string): EntryLinks {
  return {
    image: (line, block) => addressOf("image", { session, line, block: String(block) }),
    entry: (id) => sessionAddress(session, { entry: id }),
    session: (other) => sessionAddress(other),
  };
}
