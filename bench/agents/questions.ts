/** Twenty questions about the sample sessions, as a person would ask an agent, and their answers. */

export interface Question {
  /** As a person phrases it. */
  question: string;
  /** What a model would search for. */
  query: string;
  /** A text in the sample sessions. None of its words are in the query. */
  answer: string;
  /** The only kind of text with the answer: model responses, tool calls, tool output or compactions. */
  foundIn: "response" | "call" | "output" | "compaction";
  /** Set unless the answer is on the current branch of the session in question. */
  location?: "abandoned branch" | "subagent's session";
}

export const QUESTIONS: readonly Question[] = [
  {
    question: "Customers were charged double tax at checkout. What prevents that from happening again?",
    query: "checkout double tax release",
    answer: "so a gross amount does not compile any more",
    foundIn: "response",
  },
  {
    question:
      "Orders failed because PostgreSQL could not be reached after the deploy. What is in its configuration now?",
    query: "PostgreSQL orders fail after deploy",
    answer: "bind 127.0.0.1 10.0.4.12",
    foundIn: "call",
  },
  {
    question: "The order history was very slow. Someone tried a join and gave up on it: why?",
    query: "order history join",
    answer: "4.1 MB for one page",
    foundIn: "response",
    location: "abandoned branch",
  },
  {
    question: "The test session-expiry was flaky on CI. What does it do now instead of sleeping?",
    query: "flaky session-expiry",
    answer: "await clock.whenWaitedFor();",
    foundIn: "call",
  },
  {
    question: "We moved the basket routes away from Express. What was left to do halfway?",
    query: "basket routes away Express",
    answer: "then remove the package",
    foundIn: "compaction",
  },
  {
    question: "Two customers could use the last coupon at once. How does the database prevent that?",
    query: "coupons members checkout migration",
    answer: "set uses_left = uses_left - 1 where id = $1 and uses_left > 0",
    foundIn: "call",
  },
  {
    question: "In the code that confirms an order, what happens right after the mail is sent?",
    query: "confirm.ts sendMail",
    answer: "await queue.done(job);",
    foundIn: "output",
    location: "subagent's session",
  },
  {
    question: "I wanted footnotes in the blog with our own parser. What went wrong?",
    query: "footnotes own parser",
    answer: "a list within a quote loses its second item",
    foundIn: "output",
    location: "abandoned branch",
  },
  {
    question: "Which kind of title did the review of feature/themes say is untested?",
    query: "review feature/themes",
    answer: "a title that is only emoji",
    foundIn: "response",
  },
  {
    question: "The disk of db-1 was full. Which file was it?",
    query: "db-1 disk full",
    answer: "/var/log/nginx/access.log.1 (deleted)",
    foundIn: "output",
  },
  {
    question: "Which package was missing when we practiced restoring the wiki?",
    query: "restore drill wiki",
    answer: "- postgresql-contrib",
    foundIn: "call",
  },
  {
    question:
      "The shop's pipeline had to take less than five minutes. What was left to do when we ran out of context?",
    query: "pipeline shop under five minutes",
    answer: "The jobs share a database; give each its own.",
    foundIn: "compaction",
  },
  {
    question: "Terraform wanted to delete records of example.org. How did we stop it?",
    query: "Terraform delete records example.org",
    answer: 'from = module.dns["main"]',
    foundIn: "call",
  },
  {
    question: "We added a JSON format to tally report: what did the compiler say?",
    query: '"tally report" json cargo build',
    answer: "cannot move out of `rows` because it is borrowed",
    foundIn: "output",
  },
  {
    question: "Reading the click log ran out of memory. We tried narrow types first: was that enough?",
    query: "click log memory types",
    answer: "It fits, but takes minutes, and next year it won't fit again.",
    foundIn: "response",
    location: "abandoned branch",
  },
  {
    question: "The chart of weekly visitors has a hole in March. Is it real?",
    query: "chart weekly visitors hole",
    answer: "it was the change of the clocks",
    foundIn: "response",
  },
  {
    question: "The cat falls through walls. Which case did the test find?",
    query: "cat falls through walls",
    answer: "wall: 8, dt: 0.016",
    foundIn: "output",
  },
  {
    question: "按书名检索很慢，后来是怎么改的？",
    query: "书名 检索",
    answer: "写入时按二元切分",
    foundIn: "response",
  },
  {
    question: "Der DATEV-Export hatte kaputte Umlaute. Welche Kodierung wird denn verlangt?",
    query: "DATEV Export Umlaute",
    answer: "Der Import erwartet Windows-1252",
    foundIn: "response",
  },
  {
    question: "検索ページの文字化けは何が原因でしたか。",
    query: "検索ページ 文字化け",
    answer: "'text/html; charset=utf-8'",
    foundIn: "call",
  },
];
