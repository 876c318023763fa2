/** The colors of the pictures. */

export const BACKGROUND = "#16181d";
export const FOREGROUND = "#d8dae0";
export const FRAME = "#22252c";
export const TITLE = "#8b909c";

/** The 16 named colors, black to bright white, all readable on the background. */
const NAMED = [
  ...["#2e323b", "#f0717c", "#8fca78", "#e3bd6d", "#6cb0f5", "#c68aee", "#59c3cf", "#c9ccd4"],
  ...["#6f7583", "#ff8f98", "#a9e192", "#f5d58d", "#8cc6ff", "#dba8ff", "#7bdde8", "#ffffff"],
];

/** One of the 256 colors of a terminal: 16 named, a cube of 216, 24 grays. */
export function paletteColor(index: number): string {
  const named = NAMED[index];
  if (named !== undefined) return named;
  if (index >= 232) {
    const gray = 8 + (index - 232) * 10;
    return rgb(gray, gray, gray);
  }
  const step = (of: number) => (of === 0 ? 0 : 55 + of * 40);
  const position = index - 16;
  return rgb(step(Math.floor(position / 36)), step(Math.floor(position / 6) % 6), step(position % 6));
}

/** `0xrrggbb` */
export const trueColor = (value: number): string => `#${value.toString(16).padStart(6, "0")}`;

/** A color on its way to another: 0 is the first, 1 the second. */
export function mixed(from: string, to: string, share: number): string {
  const part = (color: string, at: number) => Number.parseInt(color.slice(1 + 2 * at, 3 + 2 * at), 16);
  const at = (index: number) => Math.round(part(from, index) * (1 - share) + part(to, index) * share);
  return rgb(at(0), at(1), at(2));
}

function rgb(red: number, green: number, blue: number): string {
  return trueColor((red << 16) | (green << 8) | blue);
}
