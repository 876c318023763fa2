/** A user's message as a brief quotes it. */
import { toOneLine } from "../../format/safe.ts";
import { detach } from "./statements.ts";

/** Messages up to this length are quoted as they are, in characters. Longer ones often contain pasted output. */
const MAX_PLAIN = 600;
const MAX_TEXT = 20_000;

const CORRECTION =
  /^(?:no|nope|nah|wait|stop|don'?t|not|actually|instead|revert|undo|hm+|but|why|also|never|always|please (?:don'?t|undo|revert))\b|\b(?:instead|rather|revert|undo|wrong|shouldn'?t|should not|must(?:n'?t| not)?|never|don'?t (?:want|like|need|do|use)|do not|remove|drop|rename|get rid|not what|still (?:broken|not|wrong|see)|doesn'?t work|keep|prefer|let'?s)\b/i;

/** A line of output, code or a drawing rather than a sentence. */
const PASTED = /^\s*(?:at |[│┌└╭╰─|$>+\-*]{1,3}\s|\d+[:|]|[{}[\]()<]|\w+\(.*\)|.*[;{}]$|[/~]\S+$|\S+:\d+)/;

/** Pictures that a terminal pasted by their path. */
const PICTURE =
  /(["'])[^"'\n]*\.(?:png|jpe?g|gif|webp|heic)\1|(?:~|\.|[A-Z]:)?[\\/](?:\\ |[^\s"'])*\.(?:png|jpe?g|gif|webp|heic)\b/gi;

export function toPrompt(message: string): { text: string; isCorrection: boolean } {
  const text = message.slice(0, MAX_TEXT).replace(PICTURE, "[picture]");
  const whole = toOneLine(text);
  const shown = whole.length <= MAX_PLAIN ? whole : toOneLine(withoutPastes(text));
  return { text: detach(shown), isCorrection: CORRECTION.test(shown.slice(0, 2000)) };
}

/** Without code blocks and lines that are hardly sentences; whole, if hardly anything else is there. */
function withoutPastes(text: string): string {
  const lines = text.replace(/^```[\s\S]*?^```[^\n]*$/gm, "[…]").split("\n");
  const said = lines.filter(
    (line) => line.trim() !== "" && !PASTED.test(line) && /\p{L}{2,}\s+\p{L}{2,}/u.test(line),
  );
  const kept = said.join(" ");
  return kept.length < 40 ? text : kept;
}
