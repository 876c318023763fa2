import type { Index, ListOptions, SessionInfo } from "../../../library/index.ts";
import type { Changes } from "./changes.ts";

/** So many lists are kept: what somebody goes back and forth between. */
const KEPT = 3;

/** Lists of all sessions, kept until one changes: titles are looked up in them at each key, and values counted. */
export class WholeLists {
  readonly #index: Index;
  /** By what was asked; the one that was asked for last stands last. */
  readonly #lists = new Map<string, Promise<SessionInfo[]>>();

  constructor(index: Index, changes: Pick<Changes, "listen">) {
    this.#index = index;
    changes.listen((change) => {
      if (change.kind === "synced" && change.changed) this.#lists.clear();
    });
  }

  /** @throws as `Index.listAll` */
  of(options: ListOptions): Promise<SessionInfo[]> {
    const key = JSON.stringify(Object.entries(options).sort());
    const list = this.#lists.get(key) ?? this.#asked(key, options);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    for (const oldest of [...this.#lists.keys()].slice(0, -KEPT)) this.#lists.delete(oldest);
    return list;
  }

  #asked(key: string, options: ListOptions): Promise<SessionInfo[]> {
    const list = this.#index.listAll(options).then(({ sessions }) => sessions);
    list.catch(() => {
      if (this.#lists.get(key) === list) this.#lists.delete(key); // it may go well the next time
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
