/**
 * Questions about two real sessions of pi's author, which are test fixtures in pi's repository under the MIT license. They ask
 * for entries, because with two sessions finding the right one says little.
 */
import type { Kind } from "./questions.ts";

export interface RealQuestion {
  kind: Kind;
  query: string;
  /** Id of the session. */
  session: string;
  /** Line numbers in its file, from 1; finding any of them is enough. */
  lines: readonly number[];
}

const THEMES = "d703a1a9-1b7b-4fb1-b512-c9738b1fe617";
const REFACTORING = "ffae836b-9420-4060-ac13-7745215f90ff";

export const REAL_SESSIONS: readonly string[] = [THEMES, REFACTORING];

const inSession =
  (session: string) =>
  (kind: Kind, query: string, ...lines: number[]): RealQuestion => ({ kind, query, session, lines });
const themes = inSession(THEMES);
const refactoring = inSession(REFACTORING);

export const REAL_QUESTIONS: readonly RealQuestion[] = [
  themes("identifier", "customBgFn", 340, 342, 348),
  themes("identifier", "minimumContrastRatio", 366, 406, 408),
  themes("error message", "Invalid hex color: #000cc", 856),
  themes("error message", "TS2739 ChalkInstance noMatch", 62, 64),
  themes("remembered words", "colors differ ghostty vs code", 355, 388, 408),
  themes("remembered words", "rendering artifacts next tick", 791, 808),
  themes("exact phrase", '"brighter than thinking level minimal"', 632),
  themes("remembered words", "footer warning 70%", 597, 606),
  themes("remembered words", "theme file deleted falling back to dark", 742, 746, 752),
  themes("file", "test-theme-colors.ts", 376, 377, 380, 382),
  refactoring("remembered words", "unsubscribe clear event listeners", 196, 197),
  refactoring("error message", "ENOENT: no such file or directory src/package.json", 606),
  refactoring("error message", "`tool_use` ids were found without `tool_result` blocks", 848, 869),
  refactoring("identifier", "collapseChangelog settings manager", 408, 409),
  refactoring("identifier", "appendMessage not queueMessage", 882, 883),
  refactoring("identifier", "pending message container", 959),
  refactoring("remembered words", "showSelector factory done callback", 680),
  refactoring("remembered words", "2 subscription handlers", 911, 921),
  refactoring("remembered words", "main-new compare in parallel", 92, 93),
  refactoring("remembered words", "selectSession belongs in model-resolver", 779, 780, 781),
];
