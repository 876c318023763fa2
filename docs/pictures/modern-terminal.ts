/** A terminal with current character widths: by default, xterm gives emoji one column. */
import xterm, { type IUnicodeVersionProvider, type Terminal } from "@xterm/headless";
import stringWidth from "string-width";

/** An empty terminal with this number of columns and rows. */
export function modernTerminal(cols: number, rows: number): Terminal {
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
  return terminal;
}

/** What the preceding character was, as far as the next one depends on it. */
const PLAIN = 0;
const JOINER = 1;
const HALF_A_FLAG = 2;

const widths: IUnicodeVersionProvider = {
  version: "today",
  wcwidth: widthOf,
  // xterm packs the properties of a character into a number: whether it joins the preceding one, its width, and our state.
  charProperties(code, before) {
    const [widthBefore, stateBefore] = [(before >> 1) & 3, before >> 3];
    const isFlag = code >= 0x1f1e6 && code <= 0x1f1ff;
    const width = widthOf(code);
    const joins =
      widthBefore > 0 &&
      (width === 0 || stateBefore === JOINER || isSkinTone(code) || (isFlag && stateBefore === HALF_A_FLAG));
    const state = code === 0x200d ? JOINER : isFlag && !joins ? HALF_A_FLAG : PLAIN;
    const isMadeWide = code === 0xfe0f || (isFlag && joins);
    const totalWidth = joins ? Math.max(widthBefore, isMadeWide ? 2 : 0) : width;
    return (state << 3) | (totalWidth << 1) | (joins ? 1 : 0);
  },
};

const isSkinTone = (code: number): boolean => code >= 0x1f3fb && code <= 0x1f3ff;

function widthOf(code: number): 0 | 1 | 2 {
  if (code >= 0x20 && code < 0x7f) return 1;
  return Math.min(2, stringWidth(String.fromCodePoint(code))) as 0 | 1 | 2;
}
