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

/** Collects the simple commands of a script from its tokens. */
export class CommandCollector {
  readonly commands: SimpleCommand[] = [];
  command: SimpleCommand = { words: [], inputFiles: [], outputFiles: [] };
  word: Word | undefined;
  /** Where the next word goes, if not to the arguments of the command. */
  target: Word[] | undefined;
  /** The words so far that brace lists expand to, each without the text after the last list. */
  #expanded: string[] | undefined;
  #wordsOfLists = 0;

  get isEmpty(): boolean {
    const { words, inputFiles, outputFiles } = this.command;
    return words.length + inputFiles.length + outputFiles.length === 0;
  }

  /** Adds text to the current word. */
  add(text: string, isLiteral = true): void {
    if (!this.word) this.word = { text, isLiteral };
    else {
      this.word.text += text;
      this.word.isLiteral &&= isLiteral;
    }
  }

  /** Adds a brace list to the current word, such as `{a,b}`. If there would be too many words, it is one that is not literal. */
  addList(items: readonly string[]): void {
    const { word = { text: "", isLiteral: true } } = this;
    const { text } = word;
    const begun = this.#expanded ?? [""];
    const isTooLong = begun.length * items.length > MAX_LIST_WORDS - this.#wordsOfLists;
    this.#expanded = isTooLong ? [] : begun.flatMap((start) => items.map((item) => start + text + item));
    this.word = { text: "", isLiteral: !isTooLong && word.isLiteral };
  }

  /** Drops the current word if it is a number. */
  dropNumber(): void {
    if (!this.#expanded && /^\d+$/.test(this.word?.text ?? "")) this.word = undefined;
  }

  endWord(): void {
    const { word, target = this.command.words } = this;
    if (!word) return;
    if (!this.#expanded) target.push(word);
    else {
      const texts = this.#expanded.length > 0 ? this.#expanded : [""];
      for (const start of texts) target.push({ ...word, text: start + word.text });
      this.#wordsOfLists += texts.length;
    }
    this.word = undefined;
    this.target = undefined;
    this.#expanded = undefined;
  }

  endCommand(): void {
    this.endWord();
    if (!this.isEmpty) this.commands.push(this.command);
    this.command = { words: [], inputFiles: [], outputFiles: [] };
  }

  addSubshell(subshell: "begin" | "end"): void {
    this.commands.push({ words: [], inputFiles: [], outputFiles: [], subshell });
  }

  /** Ends the script. Undefined if it contains a keyword of control flow, which a list of simple commands cannot represent. */
  end(control: RegExp): SimpleCommand[] | undefined {
    this.endCommand();
    const isControl = ({ words: [first] }: SimpleCommand) => first?.isLiteral && control.test(first.text);
    return this.commands.some(isControl) ? undefined : this.commands;
  }
}

/** Maximum words from brace lists per script: three lists of 400 items would expand to 64 million. */
const MAX_LIST_WORDS = 1_000;

const CONTROL = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function)$/;

/** Words allowed before `[[`. */
const BEFORE_TEST = /^(?:!|time|-p|\{)$/;

/** An item of a brace list, without special characters. */
const ITEM = String.raw`[^\s'"$\`(){}|&;<>*?[\]~,\\]*`;

/** Tokens of a script, identified by their first character. An unfinished quote is a token of one character. */
const TOKEN = new RegExp(
  [
    /[^\s\\'"$`()&|;<>#~*?[\]{}]+/.source,
    /'[^']*'|"(?:[^"\\`$]|\\[\s\S]|\$(?!\())*"|\\[\s\S]?|\$['"(]?/.source,
    /<<<|<<-?|<[&>]?|>&[\d-]?|>[>|]?|\(\(?/.source,
    `\\{${ITEM}(?:,${ITEM})+\\}`,
    /[\s\S]/.source,
  ].join("|"),
  "y",
);

/**
 * The simple commands of a shell script, in order, without comments.
 *
 * @returns undefined for scripts that must be run to be understood (command substitution, loops, conditions, functions) and
 * for syntax errors
 */
export function parseShellCommands(script: string): SimpleCommand[] | undefined {
  const collector = new CommandCollector();
  /** Here-documents that begin after this line, with the word that ends each. */
  const hereDocuments: { end: Word[]; tabs: boolean; command: SimpleCommand }[] = [];
  let subshells = 0;
  let isTest = false; // within `[[` and `]]`, where < and > compare
  const endWord = (): void => {
    const { word, command } = collector;
    if (word?.text === "[[" && command.words.every(({ text }) => BEFORE_TEST.test(text))) isTest = true;
    else if (word?.text === "]]") isTest = false;
    collector.endWord();
  };
  /** False for a redirection without a target. */
  const endCommand = (): boolean => {
    endWord();
    const isComplete = collector.target === undefined;
    collector.endCommand();
    return isComplete;
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(script)?.[0]; token; token = TOKEN.exec(script)?.[0]) {
    switch (token[0]) {
      case " ":
      case "\t":
      case "\r":
        endWord();
        break;
      case ";":
      case "|":
        if (!endCommand()) return undefined;
        break;
      case "&":
        if (script[TOKEN.lastIndex] === ">") endWord();
        else if (!endCommand()) return undefined;
        break;
      case "\n":
        if (!endCommand()) return undefined;
        for (const { end, tabs, command } of hereDocuments.splice(0)) {
          if (end[0]) command.hereDocument = readHereDocument(script, end[0].text, tabs);
        }
        break;
      case "'":
        if (token === "'") return undefined;
        collector.add(token.slice(1, -1));
        break;
      case '"': {
        if (token === '"') return undefined;
        const isLiteral = !/\$[\w{@*#?!-]/.test(token.replace(/\\[\s\S]/g, " "));
        collector.add(token.slice(1, -1).replace(/\\(?:\n|([$`"\\]))/g, "$1"), isLiteral);
        break;
      }
      case "\\":
        if (token !== "\\\n") collector.add(token.slice(1));
        break;
      case "<":
      case ">": {
        collector.dropNumber(); // a file descriptor, not an argument
        endWord();
        const { command } = collector;
        const isFile = !isTest && !/^(?:<<|<&|>&.)/.test(token);
        collector.target = !isFile ? [] : token === "<" ? command.inputFiles : command.outputFiles;
        if (/^<<-?$/.test(token) && !isTest) {
          hereDocuments.push({ end: collector.target, tabs: token === "<<-", command });
        }
        if (/^>&./.test(token)) TOKEN.lastIndex--; // the descriptor is the target
        break;
      }
      case "(":
        if (token === "((") return undefined; // arithmetic, where > compares
        if (collector.word || collector.target || !collector.isEmpty) return undefined;
        subshells++;
        collector.addSubshell("begin");
        break;
      case ")":
        if (subshells-- === 0 || !endCommand()) return undefined;
        collector.addSubshell("end");
        break;
      case "`":
        return undefined;
      case "$":
        if (token !== "$") return undefined; // command substitution, or a special form of quotes
        collector.add(token, false);
        break;
      case "{":
        if (token === "{") collector.add(token, false);
        else collector.addList(token.slice(1, -1).split(","));
        break;
      case "#":
        if (collector.word) collector.add(token);
        else TOKEN.lastIndex = endOfLine(script, TOKEN.lastIndex);
        break;
      case "~": {
        const next = script[TOKEN.lastIndex] ?? " ";
        collector.add(token, collector.word !== undefined || /[/\s;&|<>]/.test(next));
        break;
      }
      default:
        collector.add(token, !/^[*?[\]}]/.test(token));
    }
  }
  return endCommand() && subshells === 0 ? collector.end(CONTROL) : undefined;
}

/** Reads a here-document from the position of `TOKEN`, and moves that to the line after it. */
function readHereDocument(script: string, end: string, tabs: boolean): string {
  const start = TOKEN.lastIndex;
  while (TOKEN.lastIndex < script.length) {
    const at = TOKEN.lastIndex;
    const lineEnd = endOfLine(script, at);
    const line = script.slice(at, lineEnd);
    TOKEN.lastIndex = lineEnd + 1;
    if ((tabs ? line.replace(/^\t+/, "") : line) === end) return script.slice(start, at);
  }
  return script.slice(start);
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf("\n", from);
  return end < 0 ? script.length : end;
}
