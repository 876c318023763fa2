/**
 * SQL as it is written in queries: text with values in it, which are bound, and other such pieces, which become part of it.
 *
 * @example
 * const { rows } = await sql<{ id: number }>`SELECT id FROM file WHERE path = ${path} AND ${isInScope}`.execute(db);
 */
export class Sql<T = unknown> {
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];

  /** @internal Use `sql`. @param texts one more than there are values */
  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts;
    this.#values = values;
  }

  /** Asks it, once what was asked before is answered. */
  execute(db: { ask<R>(statement: Statement): Promise<R[]> }): Promise<{ rows: T[] }> {
    return db.ask<T>(this.statement()).then((rows) => ({ rows }));
  }

  /** The whole as SQLite takes it. */
  statement(): Statement {
    const parts: string[] = [];
    const values: unknown[] = [];
    this.#write(parts, values);
    return { sql: parts.join(""), values };
  }

  #write(parts: string[], values: unknown[]): void {
    this.#texts.forEach((text, n) => {
      parts.push(text);
      if (n === this.#values.length) return;
      const value = this.#values[n];
      if (value instanceof Sql) value.#write(parts, values);
      else {
        parts.push("?");
        values.push(value);
      }
    });
  }
}

/** A statement and what is bound to its parameters, in their order. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** What SQLite has for true and false. */
export type SqlBool = boolean | 0 | 1;

export function sql<T = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Sql<T> {
  return new Sql<T>(texts, values);
}

/** Values, or pieces, one after the other. */
sql.join = <T = unknown>(values: readonly unknown[], separator: Sql = COMMA): Sql<T> => {
  const texts = values.map((_, n) => (n === 0 ? "" : separator.statement().sql));
  return new Sql<T>([...texts, ""], values);
};

/** Text that is SQL already: never a user's. */
sql.raw = <T = unknown>(text: string): Sql<T> => new Sql<T>([text], []);

/** The name of a column, or of `table.column`. */
sql.ref = <T = unknown>(name: string): Sql<T> =>
  sql.raw<T>(
    name
      .split(".")
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join("."),
  );

/** A number, in the text of the statement: SQLite plans it by what it is. */
sql.lit = <T = unknown>(value: number): Sql<T> => {
  if (typeof value !== "number") throw new TypeError("only a number may stand in the text of a statement");
  return sql.raw<T>(String(value));
};

const COMMA = new Sql([", "], []);
