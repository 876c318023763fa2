/** A terminal that knows how wide signs are today: by itself, xterm has emoji in one column, as in 2010. */
import xterm, { type IUnicodeVersionProvider, type Terminal } from "@xterm/headless";
import stringWidth from "string-width";

/** An empty terminal of that many columns and rows. */
export function modernTerminal(cols: number, rows: number): Terminal {
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
  return terminal;
}

/** What the sign before was, for what follows it. */
const PLAIN = 0;
const JOINER = 1;
const HALF_A_FLAG = 2;

const widths: IUnicodeVersionProvider = {
  version: "today",
  wcwidth: widthOf,
  // xterm packs what it knows of a sign into a number: whether it belongs to the one before, its width, and a state of ours.
  charProperties(code, before) {
    const [widthBefore, stateBefore] = [(before >> 1) & 3, before >> 3];
    const isFlag = code >= 0x1f1e6 && code <= 0x1f1ff;
    const width = widthOf(code);
    const joins =
      widthBefore > 0 &&
      (width === 0 || stateBefore === JOINER || isSkinTone(code) || (isFlag && stateBefore === HALF_A_FLAG));
    const state = code === 0x200d ? JOINER : isFlag && !joins ? HALF_A_FLAG : PLAIN;
    const isMadeWide = code === 0xfe0f || (isFlag && joins);
    const together = joins ? Math.max(widthBefore, isMadeWide ? 2 : 0) : width;
    return (state << 3) | (together << 1) | (joins ? 1 : 0);
  },
};

const isSkinTone = (code: number): boolean => code >= 0x1f3fb && code <= 0x1f3ff;

function widthOf(code: number): 0 | 1 | 2 {
  if (code >= 0x20 && code < 0x7f) return 1;
  return Math.min(2, stringWidth(String.fromCodePoint(code))) as 0 | 1 | 2;
}
