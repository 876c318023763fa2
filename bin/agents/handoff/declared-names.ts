/** The names that code declares: functions, classes, types, constants, options and environment variables. */

/** Names per text; a generated file has thousands. */
const MAX_NAMES = 200;
/** Longer texts are cut, in characters. */
const MAX_TEXT = 200_000;

const DECLARATIONS = [
  /\b(?:function\*?|class|interface|type|enum|struct|trait|fn|def|func|module|protocol)\s+([A-Za-z_$][\w$]{2,})/g,
  /\b(?:export\s+|pub(?:lic)?\s+)(?:static\s+|default\s+)?(?:const|let|var|val)\s+([A-Za-z_$][\w$]{2,})/g,
  /\b(?:const|let|static)\s+([A-Z][A-Z0-9_]{3,})\b/g,
  /\b(?:const|let|var)\s+([A-Za-z_$][\w$]{2,})\s*=\s*(?:async\s*)?(?:\([^()\n]*\)|\w+)\s*=>/g,
  /^[ \t]+(?:(?:private|public|protected|static|async|override|readonly|get|set)\s+)+([A-Za-z_$#][\w$]{2,})\s*[(:=?]/gm,
  /^[ \t]+([a-z_$][\w$]{2,})\([^()\n]*\)(?::[^{\n]+)?\s*\{[ \t]*$/gm,
  /["'`\s](--[a-z][a-z0-9-]{2,})\b/g,
  /\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b/g,
];
const KEYWORDS = new Set(["for", "while", "switch", "catch", "function", "constructor", "return", "with", "this"]);

/** In the order of their declaration kinds, each once. */
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
