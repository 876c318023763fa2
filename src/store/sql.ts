/**
 * SQL text with values, which are bound as parameters, and nested `Sql`, which is inserted.
 *
 * @example
 * const { rows } = await sql<{ id: number }>`SELECT id FROM file WHERE path = ${path} AND ${isInScope}`.execute(db);
 */
export class Sql<T = unknown> {
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];

  /** @internal Use `sql`. @param texts one more than `values` */
  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts;
    this.#values = values;
  }

  /** Runs the statement. */
  execute(db: StatementRunner): Promise<{ rows: T[] }> {
    return db.query<T>(this.statement(db.placeholder)).then((rows) => ({ rows }));
  }

  /** The SQL text and its parameters. @param placeholder the text of parameter `n`, from 1 */
  statement(placeholder: StatementRunner["placeholder"] = () => "?"): Statement {
    const parts: string[] = [];
    const values: unknown[] = [];
    this.#write(parts, values, placeholder);
    return { sql: parts.join(""), values };
  }

  #write(parts: string[], values: unknown[], placeholder: (n: number) => string): void {
    this.#texts.forEach((text, n) => {
      parts.push(text);
      if (n === this.#values.length) return;
      const value = this.#values[n];
      if (value instanceof Sql) value.#write(parts, values, placeholder);
      else {
        values.push(value);
        parts.push(placeholder(values.length));
      }
    });
  }
}

/** Runs statements on a database. */
export interface StatementRunner {
  query<Row>(statement: Statement): Promise<Row[]>;
  /** The text of parameter `n`, from 1; by default `?`. */
  readonly placeholder?: ((n: number) => string) | undefined;
}

/** A statement, and the values of its parameters in order. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** SQLite's booleans. */
export type SqlBool = boolean | 0 | 1;

export function sql<T = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Sql<T> {
  return new Sql<T>(texts, values);
}

/** Values or SQL, separated by `separator`. */
sql.join = <T = unknown>(values: readonly unknown[], separator: Sql = COMMA): Sql<T> => {
  const texts = values.map((_, n) => (n === 0 ? "" : separator.statement().sql));
  return new Sql<T>([...texts, ""], values);
};

/** For SQLite, which limits the number of parameters: a list of any length, bound as one: `id IN ${sql.list(ids)}`. */
sql.list = (values: Iterable<string | number>): Sql =>
  sql`(SELECT value FROM json_each(${JSON.stringify([...values])}))`;

/** Inserts text as SQL. Never pass text from a user. */
sql.raw = <T = unknown>(text: string): Sql<T> => new Sql<T>([text], []);

/** Quotes the name of a column, or of `table.column`. */
sql.ref = <T = unknown>(name: string): Sql<T> =>
  sql.raw<T>(
    name
      .split(".")
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join("."),
  );

/** A number as a literal: SQLite's planner uses its value. */
sql.lit = <T = unknown>(value: number): Sql<T> => {
  if (typeof value !== "number") throw new TypeError("only a number can be an SQL literal here");
  return sql.raw<T>(String(value));
};

const COMMA = new Sql([", "], []);
