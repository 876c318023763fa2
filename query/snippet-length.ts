/** Approximate length of a snippet, in UTF-16 units, unless a longer one is requested. */
export const DEFAULT_SNIPPET_LENGTH = 160;
export const MAX_SNIPPET_LENGTH = 1000;
