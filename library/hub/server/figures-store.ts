import type { SessionCondition } from "../../../src/store/conditions.ts";
import type { EntryReads } from "../../../src/store/entry-reads.ts";
import type { OpenStore } from "../../../src/store/postgres/postgres-store.ts";
import type { SearchReads } from "../../../src/store/search-reads.ts";
import type { SessionReads } from "../../../src/store/session-reads.ts";
import type { Store } from "../../../src/store/store.ts";
import type { EventQuery, UsageEventRow, UsageReads } from "../../../src/store/usage-reads.ts";
import type { Reader } from "./reader.ts";

/**
 * The store of a reader who may see figures of the team's projects, but no content. Of a session on a team's shelf, it has the usage,
 * with the name of the project in place of its working directory and its path, and its person, but not its machine; and of all of them, the counts. Everything else is
 * read from the reader's own shelf.
 */
export async function toFiguresStore(opened: OpenStore, { own, projects }: Reader): Promise<Store> {
  const names = new Map(projects.map(({ shelf, name }) => [shelf, name]));
  const files = new Map<number, TeamFile>();
  for (const { file, shelf, person } of await opened.listFileShelves()) {
    if (shelf !== own) files.set(file, { project: names.get(shelf) ?? "", person });
  }
  return new FiguresStore(opened.store, opened.limitedTo([own]), files);
}

/** What a reader of figures may know of a file of the team. */
interface TeamFile {
  project: string;
  person: string;
}

class FiguresStore implements Store {
  readonly sessions: SessionReads;
  readonly #all: Store;
  readonly #own: Store;
  readonly #files: ReadonlyMap<number, TeamFile>;

  /** @param files those that are not the reader's own */
  constructor(all: Store, own: Store, files: ReadonlyMap<number, TeamFile>) {
    this.#all = all;
    this.#own = own;
    this.#files = files;
    this.sessions = withMethods(own.sessions, {
      findFiles: async (condition) => [
        ...(await own.sessions.findFiles(condition)),
        ...[...files].flatMap(([id, file]) => (satisfies(file, condition) ? [id] : [])),
      ],
    });
  }

  async entries(): Promise<EntryReads> {
    const [all, own] = [await this.#all.entries(), await this.#own.entries()];
    return withMethods(own, {
      async countAll(limit) {
        const counts = await all.countAll(limit);
        const { projects } = await own.countAll(limit);
        return { ...counts, projects };
      },
    });
  }

  search(): Promise<SearchReads> {
    return this.#own.search();
  }

  async usage(): Promise<UsageReads> {
    const [all, own] = [await this.#all.usage(), await this.#own.usage()];
    const files = this.#files;
    return withMethods(all, {
      sessionNames: (files) => own.sessionNames(files),
      sumCopies: (file, subagents) => own.sumCopies(file, subagents),
      async members() {
        return (await all.members()).map((row) => {
          const project = files.get(row.file)?.project;
          return project === undefined ? row : { ...row, path: project, cwd: project, machine: null };
        });
      },
      async *events(query: EventQuery) {
        const ownPaths = new Set((await own.members()).map(({ path }) => path));
        const isOwn = ({ path }: { path: string }) => ownPaths.has(path);
        for await (const page of all.events(query)) {
          yield page.map((row) => {
            const project = files.get(row.file_id)?.project;
            return project === undefined
              ? { ...row, copies: row.copies.filter(isOwn) }
              : withoutContent(row, project);
          });
        }
      },
    });
  }

  snapshot<T>(queries: (store: Store) => Promise<T>): Promise<T> {
    return queries(this);
  }
}

function withoutContent(row: UsageEventRow, project: string): UsageEventRow {
  return { ...row, path: project, line: 0, byte_offset: 0, entry_id: null, session_id: "", copies: [] };
}

/** Whether the session of a file satisfies a condition, as far as its project and person say so. */
function satisfies(file: TeamFile, condition: SessionCondition): boolean {
  switch (condition.kind) {
    case "all":
      return condition.of.every((each) => satisfies(file, each));
    case "any":
      return condition.of.some((each) => satisfies(file, each));
    case "project":
      return condition.project.toLowerCase() === file.project.toLowerCase();
    case "person":
      return condition.name === file.person;
    default:
      return false;
  }
}

/** An object with some of its methods replaced. */
function withMethods<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(object, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof T];
      const value = Reflect.get(object, name, object);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}
