import { CommandCollector, type SimpleCommand } from "./shell-words.ts";

const CONTROL =
  /^(?:if|elseif|else|foreach|for|while|do|until|switch|function|filter|class|try|catch|finally|trap|param|begin|process|end)$/i;

/** Tokens of a script. Blocks, subexpressions and here-strings are skipped as a whole. */
const TOKEN =
  /(?<comment>#[^\n]*|<#[\s\S]*?(?:#>|$))|(?<here>@'\r?\n[\s\S]*?(?:\n'@|$)|@"\r?\n[\s\S]*?(?:\n"@|$))|'(?<single>(?:[^']|'')*)'|"(?<double>(?:[^"`]|`[\s\S]|"")*)"|`(?<continued>\r?\n)|`(?<escaped>[\s\S])|(?<variable>\$\w+|\$\{[^}]*\})|(?<open>[$@]?\(|@?\{)|(?<end>[\r\n;]|\|\|?|&&?)|(?<redirection>[1-6*]?>>?(?:&[1-6])?)|(?<space>[ \t,]+)|(?<plain>[^\s'"`$(){};|&<>,#@*]+|[\s\S])/y;

/** Nesting of brackets that is read: each level is scanned again. */
const MAX_DEPTH = 4;

/**
 * The simple commands of a PowerShell script, in order. Blocks and subexpressions are words that are not literal.
 *
 * @returns undefined for scripts that must be run to be understood: loops, conditions, functions
 */
export function parsePowershellCommands(script: string, depth = 0): SimpleCommand[] | undefined {
  const collector = new CommandCollector();
  const add = (text: string, isLiteral: boolean): void => collector.add(text, isLiteral);
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(script); match?.[0]; match = TOKEN.exec(script)) {
    const token = match.groups ?? {};
    const { single, double, escaped, plain } = token;
    if (token.comment !== undefined) {
      if (collector.word) add(match[0], true); // a # inside a word
    } else if (token.end !== undefined) {
      collector.endCommand();
      collector.target = undefined;
    } else if (token.space !== undefined) collector.endWord();
    else if (token.redirection !== undefined) {
      collector.endWord();
      collector.target = match[0].includes("&") ? undefined : collector.command.outputFiles;
    } else if (single !== undefined) add(single.replaceAll("''", "'"), true);
    else if (double !== undefined)
      add(
        double.replace(/`([\s\S])|""/g, (_, one) => one ?? '"'),
        !double.includes("$"),
      );
    else if (escaped !== undefined) add(escaped, true);
    else if (token.open !== undefined) {
      const start = TOKEN.lastIndex;
      const end = endOfGroup(script, start);
      if (end === undefined) return undefined;
      // Commands in brackets run in place: `(Get-Content a.txt) -replace …`.
      if (!collector.word && match[0].endsWith("(") && depth < MAX_DEPTH) {
        const inner = parsePowershellCommands(script.slice(start, end - 1), depth + 1);
        if (inner === undefined) return undefined;
        collector.commands.push(...inner);
      }
      add(match[0], false);
      TOKEN.lastIndex = end;
    } else if (token.here !== undefined || token.variable !== undefined) add(match[0], false);
    else if (plain !== undefined) add(plain, !/[*?[\]]/.test(plain));
  }
  return collector.end(CONTROL);
}

/** The offset after the bracket that closes the one opened before `from`; undefined if none does. */
function endOfGroup(script: string, from: number): number | undefined {
  const inside = /'(?:[^']|'')*'|"(?:[^"`]|`[\s\S]|"")*"|`[\s\S]|[()[\]{}]/g;
  inside.lastIndex = from;
  let depth = 1;
  for (let match = inside.exec(script); match; match = inside.exec(script)) {
    if (/^[({[]$/.test(match[0])) depth++;
    else if (/^[)}\]]$/.test(match[0])) depth--;
    if (depth === 0) return inside.lastIndex;
  }
  return undefined;
}
