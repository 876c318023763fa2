/** The addresses of links in the entries of a session. */
import type { EntryLinks } from "../entries/display-options.ts";
import { sessionUrl } from "../shell/address.ts";
import { apiUrl } from "../shell/api.ts";

export function createEntryLinks(session: string): EntryLinks {
  return {
    image: (line, block) => apiUrl("image", { session, line, block: String(block) }),
    entry: (id) => sessionUrl(session, { entry: id }),
    session: (other) => sessionUrl(other),
  };
}
