/** A word of a shell command, without its quotes. */
export interface Word {
  text: string;
  /** False if the shell would expand it: a wildcard, a variable, another user's home. */
  isLiteral: boolean;
}

/** A command with its arguments, and the files that its input and output are redirected from and to. */
export interface SimpleCommand {
  words: Word[];
  inputFiles: Word[];
  outputFiles: Word[];
  /** Its here-document. */
  hereDocument?: string;
  /** Set instead of a command where a subshell begins or ends. */
  subshell?: "begin" | "end";
}

/** A run of characters without a special meaning. */
const ORDINARY = /[^\s\\'"$`()&|;<>#~*?[\]{}]+/y;

/** Keywords of control flow, which a list of simple commands cannot represent. */
const CONTROL = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function)$/;

/** Words allowed before `[[`. */
const BEFORE_TEST = /^(?:!|time|-p|\{)$/;

/**
 * The simple commands of a shell script, in order, without comments.
 *
 * @returns undefined for scripts that must be run to be understood (command substitution, loops, conditions, functions) and
 * for syntax errors
 */
export function parseShellCommands(script: string): SimpleCommand[] | undefined {
  return new ShellReader(script).read();
}

type Redirection = "from" | "to" | "here" | "here-tabs" | "none";

class ShellReader {
  readonly #script: string;
  #at = 0;
  readonly #commands: SimpleCommand[] = [];
  #command: SimpleCommand = { words: [], inputFiles: [], outputFiles: [] };
  #word: Word | undefined;
  /** How the next word is used, after a `<` or `>`. */
  #redirection: Redirection | undefined;
  /** Here-documents that begin after this line, with the line that ends each. */
  #hereEnds: { end: string; tabs: boolean; command: SimpleCommand }[] = [];
  /** Brace lists within the word, such as `src/{a,b}.ts`, each with its offset in the word's text. */
  #lists: { at: number; texts: string[] }[] = [];
  /** Words from expanded brace lists so far. */
  #listWords = 0;
  #subshells = 0;
  /** Within `[[` and `]]`, where < and > compare. */
  #isTest = false;

  constructor(script: string) {
    this.#script = script;
  }

  read(): SimpleCommand[] | undefined {
    while (this.#at < this.#script.length) if (!this.#step()) return undefined;
    if (!this.#endCommand() || this.#subshells > 0) return undefined;
    const controlled = this.#commands.some(
      ({ words: [first] }) => first?.isLiteral && CONTROL.test(first.text),
    );
    return controlled ? undefined : this.#commands;
  }

  /** Reads one token or a run of ordinary characters. False if it is not understood. */
  #step(): boolean {
    ORDINARY.lastIndex = this.#at;
    const ordinary = ORDINARY.exec(this.#script)?.[0];
    if (ordinary !== undefined) {
      this.#at += ordinary.length;
      this.#add(ordinary);
      return true;
    }
    const character = this.#script[this.#at++] as string;
    switch (character) {
      case " ":
      case "\t":
      case "\r":
        return this.#endWord();
      case "\n":
        if (!this.#endCommand()) return false;
        for (const { end, tabs, command } of this.#hereEnds.splice(0))
          command.hereDocument = this.#hereText(end, tabs);
        return true;
      case ";":
      case "|":
        return this.#endCommand();
      case "&":
        return this.#script[this.#at] === ">" ? this.#endWord() : this.#endCommand();
      case "<":
      case ">":
        return this.#beginRedirection(character);
      case "'":
        return this.#singleQuoted();
      case '"':
        return this.#doubleQuoted();
      case "\\":
        this.#escaped();
        return true;
      case "$":
        // Command substitution, or a special form of quotes.
        if (/[('"]/.test(this.#script[this.#at] ?? "")) return false;
        this.#add(character, false);
        return true;
      case "`":
        return false;
      case "(":
        return this.#beginSubshell();
      case ")":
        return this.#endSubshell();
      case "{":
        return this.#braces();
      case "#":
        if (this.#word) this.#add(character);
        else this.#skipLine();
        return true;
      case "~":
        this.#add(character, this.#word !== undefined || /^(?:[/\s;&|<>]|$)/.test(this.#rest(1)));
        return true;
      default:
        this.#add(character, !"*?[]{}".includes(character));
        return true;
    }
  }

  #beginSubshell(): boolean {
    const { words, inputFiles, outputFiles } = this.#command;
    if (this.#script[this.#at] === "(") return false; // arithmetic, where > compares
    if (this.#word || this.#redirection || words.length + inputFiles.length + outputFiles.length > 0)
      return false;
    this.#subshells++;
    this.#commands.push({ words: [], inputFiles: [], outputFiles: [], subshell: "begin" });
    return true;
  }

  #endSubshell(): boolean {
    if (this.#subshells-- === 0 || !this.#endCommand()) return false;
    this.#commands.push({ words: [], inputFiles: [], outputFiles: [], subshell: "end" });
    return true;
  }

  /** Reads a brace list, which expands to one word per item. */
  #braces(): boolean {
    LIST.lastIndex = this.#at;
    const list = LIST.exec(this.#script);
    if (!list) this.#add("{", false);
    else {
      this.#add("");
      this.#lists.push({ at: this.#word?.text.length ?? 0, texts: (list[1] as string).split(",") });
      this.#at += list[0].length;
    }
    return true;
  }

  #rest(length: number): string {
    return this.#script.slice(this.#at, this.#at + length);
  }

  #add(text: string, plain = true): void {
    this.#word ??= { text: "", isLiteral: true };
    this.#word.text += text;
    this.#word.isLiteral &&= plain;
  }

  #singleQuoted(): boolean {
    const end = this.#script.indexOf("'", this.#at);
    if (end < 0) return false;
    this.#add(this.#script.slice(this.#at, end));
    this.#at = end + 1;
    return true;
  }

  #doubleQuoted(): boolean {
    this.#add("");
    for (; this.#at < this.#script.length; this.#at++) {
      const character = this.#script[this.#at] as string;
      const next = this.#script[this.#at + 1] ?? "";
      if (character === '"') {
        this.#at++;
        return true;
      }
      if (character === "`" || (character === "$" && next === "(")) return false;
      if (character === "\\" && '$`"\\\n'.includes(next) && next !== "") {
        if (next !== "\n") this.#add(next);
        this.#at++;
      } else this.#add(character, character !== "$" || !/[\w{@*#?!-]/.test(next));
    }
    return false;
  }

  #escaped(): void {
    const next = this.#script[this.#at++] ?? "";
    if (next !== "\n") this.#add(next);
  }

  #beginRedirection(character: string): boolean {
    // A number before it is a file descriptor, not an argument.
    if (this.#word && /^\d+$/.test(this.#word.text)) this.#word = undefined;
    if (!this.#endWord()) return false;
    const sign = /^(?:<<-|<<<|<<|<&|<>|<|>>|>\||>&|>)/.exec(character + this.#rest(2))?.[0] as string;
    this.#at += sign.length - 1;
    this.#redirection = REDIRECTIONS[sign] ?? "to";
    if (this.#isTest) this.#redirection = "none";
    if (sign === ">&" && /^(?:\d|-)/.test(this.#rest(1))) this.#redirection = "none";
    return true;
  }

  #endWord(): boolean {
    const word = this.#word;
    if (!word) return true;
    this.#word = undefined;
    const redirection = this.#redirection;
    this.#redirection = undefined;
    if (word.text === "[[" && this.#command.words.every(({ text }) => BEFORE_TEST.test(text)))
      this.#isTest = true;
    else if (word.text === "]]") this.#isTest = false;
    const lists = this.#lists.splice(0);
    const words = expandLists(word, lists, MAX_LIST_WORDS - this.#listWords);
    if (lists.length > 0) this.#listWords += words.length;
    if (redirection === undefined) this.#command.words.push(...words);
    else if (redirection === "from") this.#command.inputFiles.push(...words);
    else if (redirection === "to") this.#command.outputFiles.push(...words);
    else if (redirection !== "none") {
      this.#hereEnds.push({ end: word.text, tabs: redirection === "here-tabs", command: this.#command });
    }
    return true;
  }

  #endCommand(): boolean {
    this.#endWord();
    if (this.#redirection) return false; // without a target
    const { words, inputFiles, outputFiles } = this.#command;
    if (words.length + inputFiles.length + outputFiles.length > 0) this.#commands.push(this.#command);
    this.#command = { words: [], inputFiles: [], outputFiles: [] };
    return true;
  }

  #skipLine(): void {
    const end = this.#script.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#script.length : end;
  }

  #hereText(end: string, tabs: boolean): string {
    const start = this.#at;
    while (this.#at < this.#script.length) {
      const begin = this.#at;
      this.#skipLine();
      const line = this.#script.slice(begin, this.#at++);
      if ((tabs ? line.replace(/^\t+/, "") : line) === end) return this.#script.slice(start, begin);
    }
    return this.#script.slice(start);
  }
}

/** The rest of a brace list after `{`: at least two items, without special characters. */
const LIST = /([^\s'"$`(){}|&;<>*?[\]~,\\]*(?:,[^\s'"$`(){}|&;<>*?[\]~,\\]*)+)\}/y;
/** Maximum words from brace lists per script: three lists of 400 items would expand to 64 million. */
const MAX_LIST_WORDS = 1_000;

/** Expands the brace lists of a word; to one word that is not literal if there would be more than `max`. */
function expandLists(
  { text, isLiteral }: Word,
  lists: readonly { at: number; texts: string[] }[],
  max: number,
): Word[] {
  if (lists.length === 0) return [{ text, isLiteral }];
  const count = lists.reduce((product, { texts }) => product * texts.length, 1);
  if (count > max) return [{ text, isLiteral: false }];
  let words = [""];
  let from = 0;
  for (const { at, texts } of lists) {
    words = words.flatMap((begin) => texts.map((each) => begin + text.slice(from, at) + each));
    from = at;
  }
  return words.map((begin) => ({ text: begin + text.slice(from), isLiteral }));
}

const REDIRECTIONS: Record<string, Redirection> = {
  "<": "from",
  "<<": "here",
  "<<-": "here-tabs",
  "<<<": "none",
  "<&": "none",
};
