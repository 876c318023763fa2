/**
 * Terminal escape sequences: CSI; strings such as titles and links, on one line; others of two or more characters. Not
 * `stripVTControlCharacters`, which removes all lines up to the end of a string that is not terminated.
 */
export const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text of terminals contains them
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;
