import type { Index, ListOptions, SessionInfo } from "../../../index.ts";
import type { Changes } from "./changes.ts";

/** Lists of all sessions, kept until one changes: titles are looked up in them at each key, and values counted. */
export class WholeLists {
  readonly #index: Index;
  #key: string | undefined;
  #list: Promise<SessionInfo[]> | undefined;

  constructor(index: Index, changes: Changes) {
    this.#index = index;
    changes.listen((change) => {
      if (change.kind === "synced" && change.changed) this.#key = undefined;
    });
  }

  /** @throws as `Index.listAll` */
  of(options: ListOptions): Promise<SessionInfo[]> {
    const key = JSON.stringify(options);
    if (this.#list && this.#key === key) return this.#list;
    this.#key = key;
    const list = this.#index.listAll(options).then(({ sessions }) => sessions);
    this.#list = list;
    list.catch(() => {
      if (this.#list === list) this.#key = undefined; // it may go well the next time
    });
    return list;
  }
}

/** Whether a session's title, folder, tags or id hold a text, in any case. */
export function inTitle(text: string): (session: SessionInfo) => boolean {
  const wanted = text.toLowerCase();
  return ({ name, firstMessage, cwd, tags, id }) =>
    [name ?? firstMessage, cwd.slice(cwd.search(/[^/\\]*$/)), id, ...tags].some((each) =>
      each.toLowerCase().includes(wanted),
    );
}
