/** A count with its noun: `1 file`, `2 files`. */
export function formatCount(count: number, one: string, many: string = `${one}s`): string {
  return `${formatInteger(count)} ${count === 1 ? one : many}`;
}

/** An integer with separators: `1,234,567`. Without `Intl`, which takes longer to load than a short command runs. */
export function formatInteger(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
