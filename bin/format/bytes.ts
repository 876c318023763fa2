/** A number of bytes with a decimal unit: `1.2 MB`. */
export function formatBytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let power = 0;
  let value = count;
  while (Math.round(value) >= 1000 && power < units.length - 1) {
    value /= 1000;
    power++;
  }
  return `${power === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

const UNITS = ["", "K", "M", "G", "T"];

/** The bytes of a size such as `10MB`, `1.5 GB` or `512KiB`; undefined for any other text. */
export function parseByteSize(text: string): number | undefined {
  const [, count, unit = "", binary] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*$/i.exec(text) ?? [];
  if (count === undefined) return undefined;
  return Math.round(Number(count) * (binary ? 1024 : 1000) ** UNITS.indexOf(unit.toUpperCase()));
}
