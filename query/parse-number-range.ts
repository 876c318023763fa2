import type { NumberRange } from "../src/store/conditions.ts";

const COMPARISON = /^(>=|<=|>|<|=?)(\d{1,12}(?:\.\d{1,12})?)$/;
const RANGE = /^(\d{1,12}(?:\.\d{1,12})?)?\.\.(\d{1,12}(?:\.\d{1,12})?)?$/;

/**
 * Parses a comparison with a number (`>1`, `>=1`, `<0.5`, `<=0.5`, `=1`, `1`) or a range that includes its ends (`10..20`, `10..`, `..20`).
 *
 * @param unit multiplies the numbers; the result is in integers
 * @returns undefined for anything else
 */
export function parseNumberRange(text: string, unit: number): NumberRange | undefined {
  const scale = (number: string) => Number((Number(number) * unit).toFixed(3)); // without rounding errors such as 289999999.99999994
  const [, sign, number] = COMPARISON.exec(text.trim()) ?? [];
  if (number !== undefined) {
    const value = scale(number);
    if (sign === ">") return { min: Math.floor(value) + 1 };
    if (sign === ">=") return { min: Math.ceil(value) };
    if (sign === "<") return { max: Math.ceil(value) - 1 };
    if (sign === "<=") return { max: Math.floor(value) };
    return { min: Math.ceil(value), max: Math.floor(value) };
  }
  const [whole, low, high] = RANGE.exec(text.trim()) ?? [];
  if (whole === undefined || (low === undefined && high === undefined)) return undefined;
  return {
    min: low === undefined ? undefined : Math.ceil(scale(low)),
    max: high === undefined ? undefined : Math.floor(scale(high)),
  };
}
