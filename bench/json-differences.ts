/** One difference of two JSON values: the path of the field, and both values, shortened. */
export interface Difference {
  field: string;
  before: string;
  after: string;
}

/** All differences of two JSON values. Elements of arrays are compared by position. */
export function findDifferences(before: unknown, after: unknown, field = ""): Difference[] {
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => {
      const inside = Array.isArray(before) ? `${field}[${key}]` : `${field}.${key}`;
      return findDifferences(before[key], after[key], inside);
    });
  }
  if (before === after) return [];
  return [{ field, before: toShortJson(before), after: toShortJson(after) }];
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

const MAX_CHARACTERS = 200;

function toShortJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "absent";
  return json.length > MAX_CHARACTERS
    ? `${json.slice(0, MAX_CHARACTERS)}… (${json.length} characters)`
    : json;
}
