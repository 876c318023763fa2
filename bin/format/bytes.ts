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
