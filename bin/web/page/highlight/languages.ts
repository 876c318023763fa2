/** The languages that can be highlighted, and their aliases. Imports no grammars, which load on demand. */

/** Aliases and file extensions by language. */
const ALIASES = {
  bash: "sh shell zsh shellscript shellsession console ksh bats",
  c: "h",
  clojure: "clj cljs edn",
  cmake: "",
  cpp: "c++ cc cxx hpp hh hxx ino",
  csharp: "cs c#",
  css: "",
  dart: "",
  diff: "patch",
  docker: "dockerfile containerfile",
  elixir: "ex exs",
  erlang: "erl hrl",
  fish: "",
  go: "golang",
  graphql: "gql",
  haskell: "hs",
  hcl: "tf terraform tfvars",
  html: "htm xhtml",
  ini: "conf cfg properties editorconfig env dotenv service",
  java: "",
  javascript: "js mjs cjs node",
  json: "json5 webmanifest",
  jsonc: "",
  jsonl: "ndjson",
  jsx: "",
  julia: "jl",
  kotlin: "kt kts",
  lua: "",
  make: "makefile mk",
  markdown: "md mdown mdx",
  nginx: "",
  nix: "",
  ocaml: "ml mli",
  perl: "pl pm",
  php: "",
  powershell: "ps1 psm1 pwsh",
  proto: "protobuf",
  python: "py py3 pyi pyw python3",
  r: "",
  ruby: "rb rake gemspec gemfile rakefile",
  rust: "rs",
  scala: "sc sbt",
  scss: "sass less",
  sql: "postgres postgresql mysql sqlite psql",
  svelte: "",
  swift: "",
  toml: "",
  tsx: "",
  typescript: "ts mts cts",
  vue: "",
  xml: "svg xsd xsl plist rss csproj",
  yaml: "yml",
  zig: "",
};

export type Language = keyof typeof ALIASES;
export const LANGUAGES = Object.keys(ALIASES) as Language[];

const BY_NAME = new Map<string, Language>(
  LANGUAGES.flatMap((language) =>
    [language, ...ALIASES[language].split(" ")].map((name) => [name, language]),
  ),
);
BY_NAME.delete("");

/** The language with a name, alias or extension; undefined if unknown. */
export function findLanguage(name: string | undefined): Language | undefined {
  return name === undefined || name.length > 40 ? undefined : BY_NAME.get(name.toLowerCase());
}

/** The language of a file by its name or extension. */
export function findFileLanguage(path: string): Language | undefined {
  const name = path.slice(-200).replace(/^.*[\\/]/s, "");
  return findLanguage(name) ?? (name.includes(".") ? findLanguage(name.replace(/^.*\./s, "")) : undefined);
}
