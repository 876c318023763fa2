import fc from "fast-check";
import { expect, test } from "vitest";
import { type ArrayType, encodeArray } from "../../../src/store/postgres/binary-array.ts";
import { createDatabase, hasPostgres } from "./databases.ts";

const int = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });
const VALUES: Record<ArrayType, fc.Arbitrary<string | number | Buffer>> = {
  smallint: int(16),
  int: int(32),
  bigint: fc.maxSafeInteger(),
  text: fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
  bytea: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
};

test.skipIf(!hasPostgres)("PostgreSQL reads arrays as they were encoded", async () => {
  await using database = await createDatabase();
  const { pool } = database;
  for (const [type, value] of Object.entries(VALUES)) {
    const arrays = fc.array(fc.option(value), { size: "+1" });
    const isRead = async (values: (string | number | Buffer | null)[]) => {
      const { rows } = await pool.query(
        `SELECT value FROM unnest($1::${type}[]) WITH ORDINALITY AS each (value, n) ORDER BY n`,
        [encodeArray(type as ArrayType, values)],
      );
      expect(rows.map(({ value }) => value)).toEqual(values);
    };
    await fc.assert(fc.asyncProperty(arrays, isRead), { numRuns: 40 });
  }
});
