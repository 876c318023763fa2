import fc from "fast-check";
import { expect, test } from "vitest";
import { type Sql, sql } from "../../src/store/sql.ts";

const written = (piece: Sql) => piece.statement();

test("values are bound, and nested SQL becomes part of the text", () => {
  const condition = sql`path = ${"a'b"} AND size > ${5}`;
  expect(written(sql`SELECT * FROM file WHERE ${condition} LIMIT ${1}`)).toEqual({
    sql: "SELECT * FROM file WHERE path = ? AND size > ? LIMIT ?",
    values: ["a'b", 5, 1],
  });
});

test("a list is joined by commas, or by a separator", () => {
  expect(written(sql`x IN (${sql.join([1, 2, 3])})`)).toEqual({ sql: "x IN (?, ?, ?)", values: [1, 2, 3] });
  expect(written(sql.join([sql`a`, sql`b = ${1}`], sql` OR `))).toEqual({ sql: "a OR b = ?", values: [1] });
  expect(written(sql`(${sql.join([])})`)).toEqual({ sql: "()", values: [] });
});

test("names are quoted, numbers and raw text are inserted unchanged", () => {
  expect(written(sql`${sql.ref("event.cost")} ${sql.ref('a"b')} ${sql.lit(-1)} ${sql.raw("DESC")}`)).toEqual({
    sql: '"event"."cost" "a""b" -1 DESC',
    values: [],
  });
});

test("only numbers can be literals", () => {
  expect(() => sql.lit("1; DROP TABLE file" as unknown as number)).toThrow(TypeError);
});

test("values are bound in the order of the parameters", () => {
  const piece: fc.Arbitrary<{ piece: Sql; values: unknown[] }> = fc.letrec((tie) => ({
    piece: fc.oneof(
      { maxDepth: 4 },
      fc.integer().map((value) => ({ piece: sql`a = ${value}`, values: [value] })),
      fc.tuple(tie("piece"), tie("piece")).map((pair) => {
        const [a, b] = pair as { piece: Sql; values: unknown[] }[];
        const values = [...(a?.values ?? []), ...(b?.values ?? [])];
        return { piece: sql`(${a?.piece} AND ${b?.piece})`, values };
      }),
      fc
        .array(fc.string(), { maxLength: 3 })
        .map((values) => ({ piece: sql`b IN (${sql.join(values)})`, values })),
    ),
  })).piece as never;
  fc.assert(
    fc.property(piece, ({ piece, values }) => {
      const statement = written(piece);
      expect(statement.values).toEqual(values);
      expect(statement.sql.split("?").length - 1).toBe(values.length);
    }),
  );
});
