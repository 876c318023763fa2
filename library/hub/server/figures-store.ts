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
 * with the name of the project in place of its working directory and its path; and of all of them, the counts. Everything else is
 * read from the reader's own shelf.
 */
export async function toFiguresStore(opened: OpenStore, { own, projects }: Reader): Promise<Store> {
  const names = new Map(projects.map(({ shelf, name }) => [shelf, name]));
  const projectOf = new Map<number, string>();
  for (const { file, shelf } of await opened.listFileShelves()) {
    if (shelf !== own) projectOf.set(file, names.get(shelf) ?? "");
  }
  return new FiguresStore(opened.store, opened.limitedTo([own]), projectOf);
}

class FiguresStore implements Store {
  readonly sessions: SessionReads;
  readonly #all: Store;
  readonly #own: Store;
  readonly #projectOf: ReadonlyMap<number, string>;

  /** @param projectOf the project of each file that is not the reader's own */
  constructor(all: Store, own: Store, projectOf: ReadonlyMap<number, string>) {
    this.#all = all;
    this.#own = own;
    this.#projectOf = projectOf;
    this.sessions = withMethods(own.sessions, {
      findFiles: async (condition) => [
        ...(await own.sessions.findFiles(condition)),
        ...[...projectOf].flatMap(([file, project]) => (isOfProject(condition, project) ? [file] : [])),
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
    const projectOf = this.#projectOf;
    return withMethods(all, {
      sessionNames: (files) => own.sessionNames(files),
      sumCopies: (file, subagents) => own.sumCopies(file, subagents),
      async members() {
        return (await all.members()).map((row) => {
          const project = projectOf.get(row.file);
          return project === undefined ? row : { ...row, path: project, cwd: project };
        });
      },
      async *events(query: EventQuery) {
        const ownPaths = new Set((await own.members()).map(({ path }) => path));
        const isOwn = ({ path }: { path: string }) => ownPaths.has(path);
        for await (const page of all.events(query)) {
          yield page.map((row) => {
            const project = projectOf.get(row.file_id);
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

/** Whether sessions of a project satisfy a condition, as far as the name of the project says so. */
function isOfProject(condition: SessionCondition, project: string): boolean {
  switch (condition.kind) {
    case "all":
      return condition.of.every((each) => isOfProject(each, project));
    case "any":
      return condition.of.some((each) => isOfProject(each, project));
    case "project":
      return condition.project.toLowerCase() === project.toLowerCase();
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
