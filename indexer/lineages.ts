import { normalizeRecordedPath } from "../src/session/recorded-path.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";

/** The header fields that connect a session with the one it was forked from. */
export interface LineageHeader {
  id: string;
  parent_session: string | null;
}

const ROLE = { own: 0, parent: 1 } as const;
type Role = (typeof ROLE)[keyof typeof ROLE];

interface Name {
  name: string;
  role: Role;
}

/**
 * The statements that maintain fork families: sessions with the same id, forks and their parents, and forks of the same parent,
 * even if that was deleted. A fork's header has its parent's path, whose file name contains the parent's id, so families are
 * found even if a folder was moved. A file name without an id is used only if no session is at the path.
 *
 * The table `lineage` contains the names of every session. A family is the set of files connected by shared names.
 */
export function prepareLineages(db: StatementPreparer) {
  const insert = db.prepare("INSERT INTO lineage (name, role, file_id) VALUES (?, ?, ?)");
  const removeOf = db.prepare("DELETE FROM lineage WHERE file_id = ?");
  // `+?`: see `ledger-statements.ts`.
  const namesOf = db.prepare<[number], Name>("SELECT name, role FROM lineage WHERE file_id = +?");
  const holdersOf = db.prepare<[string], number>("SELECT file_id FROM lineage WHERE name = +?").pluck();
  const holdersAs = db
    .prepare<[string, Role], number>("SELECT file_id FROM lineage WHERE name = +? AND role = +?")
    .pluck();
  const isAt = db
    .prepare<[string], 1>(`SELECT 1 FROM lineage WHERE name = ? AND role = ${ROLE.own} LIMIT 1`)
    .pluck();
  const families = new Map<number, number>();
  /** Files with added or removed names, and the files that shared names with them before. */
  const changed = new Set<number>();
  const relatives = new Set<number>();

  /** Whether no session is at the parent path of a fork. */
  function hasLostParent(file: number): boolean {
    const path = namesOf.all(file).find(({ name, role }) => role === ROLE.parent && name.startsWith("path:"));
    return path !== undefined && isAt.get(path.name) === undefined;
  }

  /** Matches forks and parents by file name if no session is at the parent path. */
  function byFileName(file: number, { name, role }: Name): number[] {
    if (role === ROLE.own) return holdersAs.all(name, ROLE.parent).filter(hasLostParent);
    return hasLostParent(file) ? holdersAs.all(name, ROLE.own) : [];
  }

  /** The other files that share a name with a file. */
  function sharing(file: number, { name, role }: Name): number[] {
    const holders = name.startsWith("file:") ? byFileName(file, { name, role }) : holdersOf.all(name);
    return holders.filter((holder) => holder !== file);
  }

  /** The fork family of a file. */
  function family(file: number): Set<number> {
    const members = new Set([file]);
    const seen = new Set<string>();
    for (const member of members) {
      for (const name of namesOf.all(member)) {
        const step = name.name.startsWith("file:") ? `${name.name} ${name.role} ${member}` : name.name;
        if (seen.has(step)) continue;
        seen.add(step);
        for (const relative of sharing(member, name)) members.add(relative);
      }
    }
    return members;
  }

  function neighbors(file: number): number[] {
    return namesOf.all(file).flatMap((name) => sharing(file, name));
  }

  return {
    /** Call it first in each transaction. */
    begin(): void {
      families.clear();
      changed.clear();
      relatives.clear();
    },
    /** Adds the names of a session. */
    add(file: number, path: string, header: LineageHeader): void {
      for (const { name, role } of lineageNames(path, header)) insert.run(name, role, file);
      changed.add(file);
      families.clear();
    },
    /** Removes the names of a session. Call it before the rows of its file are deleted, and when its path changes. */
    remove(file: number): void {
      for (const relative of neighbors(file)) relatives.add(relative);
      removeOf.run(file);
      changed.add(file);
      families.clear();
    },
    /** A number that identifies the fork family of a file, until names change. */
    familyOf(file: number): number {
      const known = families.get(file);
      if (known !== undefined) return known;
      for (const relative of family(file)) families.set(relative, file);
      return file;
    },
    /** The files in families that this transaction may have changed. */
    changedFamilies(): Set<number> {
      for (const file of changed) for (const relative of neighbors(file)) relatives.add(relative);
      const files = new Set<number>();
      for (const file of [...changed, ...relatives]) {
        if (files.has(file)) continue;
        for (const relative of family(file)) files.add(relative);
      }
      return files;
    },
  };
}

/** The names of a session, and those of the session it was forked from. */
export function lineageNames(path: string, { id, parent_session }: LineageHeader): Name[] {
  const parent = parent_session && normalizeRecordedPath(parent_session);
  const own = [`path:${path}`, `file:${fileName(path)}`, ...(id === "" ? [] : [`id:${id}`])];
  const named = !parent ? [] : [`path:${parent}`, `file:${fileName(parent)}`, ...idIn(parent)];
  return [
    ...own.map((name): Name => ({ name: name.toWellFormed(), role: ROLE.own })),
    ...named.map((name): Name => ({ name: name.toWellFormed(), role: ROLE.parent })),
  ];
}

/** The session id in the name of a session file: `2026-01-05T09-00-00-000Z_<id>.jsonl`. */
function idIn(path: string): string[] {
  const [, id] = /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)\.jsonl$/.exec(fileName(path)) ?? [];
  return id === undefined ? [] : [`id:${id}`];
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
