import { recordedPath } from "../src/session/recorded-path.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";

/** What a header says of its session and of the one that it was forked from. */
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
 * Which sessions are of one family: those with one session id, forks with the sessions that they come from, and forks of
 * one session, also where that is gone. A fork's header has the path of its source, and the name of that file has the
 * source's id: so they are found where a tree was moved, too. A file name without an id is looked for only where nothing
 * lies at the path.
 *
 * The statements keep the names of every session in `lineage`, and walk from name to name when families are asked for.
 */
export function prepareLineages(db: Preparer) {
  const insert = db.prepare("INSERT INTO lineage (name, role, file_id) VALUES (?, ?, ?)");
  const removeOf = db.prepare("DELETE FROM lineage WHERE file_id = ?");
  // `+?`: see `ledger.ts`.
  const namesOf = db.prepare<[number], Name>("SELECT name, role FROM lineage WHERE file_id = +?");
  const holdersOf = db.prepare<[string], number>("SELECT file_id FROM lineage WHERE name = +?").pluck();
  const holdersAs = db
    .prepare<[string, Role], number>("SELECT file_id FROM lineage WHERE name = +? AND role = +?")
    .pluck();
  const isAt = db
    .prepare<[string], 1>(`SELECT 1 FROM lineage WHERE name = ? AND role = ${ROLE.own} LIMIT 1`)
    .pluck();
  const families = new Map<number, number>();
  /** Files whose names came or went, and who shared names with them before. */
  const changed = new Set<number>();
  const relatives = new Set<number>();

  /** Whether nothing lies at the path that a fork says it comes from. */
  function hasLostParent(file: number): boolean {
    const path = namesOf.all(file).find(({ name, role }) => role === ROLE.parent && name.startsWith("path:"));
    return path !== undefined && isAt.get(path.name) === undefined;
  }

  /** Forks find their parent by its file's name where it is lost, and the other way round. */
  function byFileName(file: number, { name, role }: Name): number[] {
    if (role === ROLE.own) return holdersAs.all(name, ROLE.parent).filter(hasLostParent);
    return hasLostParent(file) ? holdersAs.all(name, ROLE.own) : [];
  }

  /** The files that share a name with one that has it in some role. */
  function sharing(file: number, { name, role }: Name): number[] {
    const holders = name.startsWith("file:") ? byFileName(file, { name, role }) : holdersOf.all(name);
    return holders.filter((holder) => holder !== file);
  }

  /** A file and all that it is related to, without looking through one of them. */
  function family(file: number, without?: number): Set<number> {
    const found = new Set([file]);
    const seen = new Set<string>();
    for (const each of found) {
      for (const name of namesOf.all(each)) {
        const step = name.name.startsWith("file:") ? `${name.name} ${name.role} ${each}` : name.name;
        if (seen.has(step)) continue;
        seen.add(step);
        for (const relative of sharing(each, name)) if (relative !== without) found.add(relative);
      }
    }
    return found;
  }

  function neighbours(file: number): number[] {
    return namesOf.all(file).flatMap((name) => sharing(file, name));
  }

  /** Whether the relatives of a file are as related without it: so it did not bring them together. */
  function isLeaf(file: number): boolean {
    const [first, ...others] = relatives;
    if (first === undefined) return true;
    // Where forks look for a lost parent, one that comes also parts.
    const own = namesOf.all(file).find(({ name, role }) => role === ROLE.own && name.startsWith("file:"));
    if (!own || holdersAs.all(own.name, ROLE.parent).length > 0) return false;
    const theirs = family(first, file);
    return others.every((other) => theirs.has(other));
  }

  return {
    /** To be called first in each transaction. */
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
    /** To be called before the rows of a file go, or its path changes. */
    leave(file: number): void {
      for (const relative of neighbours(file)) relatives.add(relative);
      removeOf.run(file);
      changed.add(file);
      families.clear();
    },
    /** A number that all files of a family have, and no others. It holds until names change. */
    familyOf(file: number): number {
      const known = families.get(file);
      if (known !== undefined) return known;
      for (const relative of family(file)) families.set(relative, file);
      return file;
    },
    /** The files of which the family may be another now, each told once. */
    changedFamilies(): Set<number> {
      const [file] = changed;
      for (const each of changed) for (const relative of neighbours(each)) relatives.add(relative);
      const isAlone = changed.size === 1 && file !== undefined && isLeaf(file);
      const files = new Set<number>();
      for (const each of isAlone ? changed : [...changed, ...relatives]) {
        if (files.has(each)) continue;
        files.add(each);
        if (!isAlone) for (const relative of family(each)) files.add(relative);
      }
      changed.clear();
      relatives.clear();
      return files;
    },
  };
}

/** The names of a session: its own, and those of the session that it was forked from. */
function lineageNames(path: string, { id, parent_session }: LineageHeader): Name[] {
  const parent = parent_session && recordedPath(parent_session);
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
