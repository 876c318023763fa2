/** Arrays in PostgreSQL's binary format, which takes less time to write and to read than the text format. */

/** Object identifiers of the elements' types. */
const OIDS = { smallint: 21, int: 23, bigint: 20, text: 25, bytea: 17 };
export type ArrayType = keyof typeof OIDS;

const SIZES = { smallint: 2, int: 4, bigint: 8 };
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Encodes the values of a parameter of type `type[]`. Numbers must be integers in the range of the type. */
export function encodeArray(type: ArrayType, values: readonly (string | number | Buffer | null)[]): Buffer {
  const size = values.reduce<number>((sum, value) => sum + LENGTH_BYTES + maxBytes(value), HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  // Dimensions, whether there are nulls, the type, and the length and first subscript of the only dimension.
  for (const number of [1, 1, OIDS[type], values.length, 1]) at = bytes.writeInt32BE(number, at);
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : writeValue(bytes, at + LENGTH_BYTES, type, value);
    bytes.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(length, 0);
  }
  return bytes.subarray(0, at);
}

function maxBytes(value: string | number | Buffer | null): number {
  if (value === null) return 0;
  if (typeof value === "number") return SIZES.bigint;
  return typeof value === "string" ? value.length * MAX_UNIT_BYTES : value.length;
}

/** @returns the length of the value */
function writeValue(bytes: Buffer, at: number, type: ArrayType, value: string | number | Buffer): number {
  if (type === "text") return bytes.write(value as string, at);
  if (type === "bytea") return (value as Buffer).copy(bytes, at);
  const number = value as number;
  if (type === "bigint") {
    bytes.writeInt32BE(Math.floor(number / 2 ** 32), at);
    bytes.writeUInt32BE(number >>> 0, at + 4);
  } else if (type === "int") bytes.writeInt32BE(number, at);
  else bytes.writeInt16BE(number, at);
  return SIZES[type];
}
