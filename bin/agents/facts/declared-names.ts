/** The names that code declares: functions, classes, types, constants, options and environment variables. */

/** Names per text; a generated file has thousands. */
const MAX_NAMES = 200;
/** Longer texts are cut, in characters. */
const MAX_TEXT = 200_000;

/** What can precede a declaration on its line. */
const MODIFIERS = String.raw`^[ \t]*(?:(?:export|default|declare|abstract|async|pub(?:\(\w+\))?|public|private|protected|internal|static|final|unsafe)\s+)*`;

/** The most telling kinds first: types and functions, constants, options, then methods. */
const DECLARATIONS = [
  new RegExp(
    String.raw`${MODIFIERS}(?:class|interface|enum|struct|trait|protocol|module|record)\s+([A-Za-z_$][\w$]{2,})`,
    "gm",
  ),
  new RegExp(String.raw`${MODIFIERS}type\s+([A-Za-z_$][\w$]{2,})(?:<[^=\n]*>)?\s*=`, "gm"),
  new RegExp(String.raw`${MODIFIERS}(?:function\*?|fn|def|func)\s+([A-Za-z_$][\w$]{2,})`, "gm"),
  /\bexport\s+(?:const|let|var)\s+([A-Za-z_$][\w$]{2,})/g,
  /\b(?:const|let|static|val)\s+([A-Z][A-Z0-9_]{3,})\b/g,
  /\b(?:const|let|var)\s+([A-Za-z_$][\w$]{2,})\s*=\s*(?:async\s*)?(?:\([^()\n]*\)|\w+)\s*=>/g,
  /["'`\s](--[a-z][a-z0-9-]{2,})\b/g,
  /\b(?:env\.|environ\[["']|getenv\(["'])([A-Z][A-Z0-9_]{3,})\b/g,
  /^[ \t]+(?:(?:private|public|protected|static|async|override|get|set)\s+)*([a-z_$#][\w$]{2,})\([^()\n]*\)(?::[^{\n]+)?\s*\{[ \t]*$/gm,
];
const KEYWORDS = new Set([
  "for",
  "while",
  "switch",
  "catch",
  "function",
  "constructor",
  "return",
  "with",
  "this",
  "super",
  "describe",
  "test",
  "expect",
]);

/** By kind of declaration, each once. */
export function extractDeclaredNames(code: string): Set<string> {
  const names = new Set<string>();
  const searched = code.slice(0, MAX_TEXT);
  for (const pattern of DECLARATIONS) {
    for (const [, name = ""] of searched.matchAll(pattern)) {
      if (names.size >= MAX_NAMES) return names;
      if (!KEYWORDS.has(name)) names.add(Buffer.from(name).toString());
    }
  }
  return names;
}
