/** Twenty questions over the demo's sessions, as somebody would put them to an agent, and what answers them. */

export interface Question {
  /** As a person phrases it. */
  asked: string;
  /** What a model searches for: what it can know of the matter, and not how that was solved. */
  query: string;
  /** The text in the answer; none of its words are in the query. */
  answer: string;
  /** In what kind of text it stands, and only there: answers, calls (commands, edits), output, summaries. */
  standsIn: "answer" | "call" | "output" | "compaction";
  /** Where, if it is not the session that is talked of, as it went on. */
  apart?: "abandoned branch" | "subagent's session";
}

export const QUESTIONS: readonly Question[] = [
  {
    asked: "Customers were charged double tax at the checkout. What keeps that from coming back?",
    query: "checkout double tax release",
    answer: "so a gross amount does not compile any more",
    standsIn: "answer",
  },
  {
    asked:
      "Orders failed because PostgreSQL could not be reached after the deploy. What is in its configuration now?",
    query: "PostgreSQL orders fail after deploy",
    answer: "bind 127.0.0.1 10.0.4.12",
    standsIn: "call",
  },
  {
    asked: "The order history took ages. Somebody tried a join and gave it up: why?",
    query: "order history join",
    answer: "4.1 MB for one page",
    standsIn: "answer",
    apart: "abandoned branch",
  },
  {
    asked: "The test session-expiry was flaky on CI. What does it do now instead of sleeping?",
    query: "flaky session-expiry",
    answer: "await clock.whenWaitedFor();",
    standsIn: "call",
  },
  {
    asked: "We moved the basket routes away from Express. What was left to do halfway?",
    query: "basket routes away Express",
    answer: "then remove the package",
    standsIn: "compaction",
  },
  {
    asked: "Two customers could use the last coupon at once. How does the database keep them apart?",
    query: "coupons members checkout migration",
    answer: "set uses_left = uses_left - 1 where id = $1 and uses_left > 0",
    standsIn: "call",
  },
  {
    asked: "In what confirms an order, what happens right after the mail is sent?",
    query: "confirm.ts sendMail",
    answer: "await queue.done(job);",
    standsIn: "output",
    apart: "subagent's session",
  },
  {
    asked: "I wanted footnotes in the blog with a parser of our own. What went wrong with it?",
    query: "footnotes own parser",
    answer: "a list within a quote loses its second item",
    standsIn: "output",
    apart: "abandoned branch",
  },
  {
    asked: "What did the review of feature/themes say about titles that nobody tests?",
    query: "review feature/themes",
    answer: "a title that is only emoji",
    standsIn: "answer",
  },
  {
    asked: "The disk of db-1 was full. Which file was it?",
    query: "db-1 disk full",
    answer: "/var/log/nginx/access.log.1 (deleted)",
    standsIn: "output",
  },
  {
    asked: "When we practised to restore the wiki, a package was missing. Which?",
    query: "restore drill wiki",
    answer: "- postgresql-contrib",
    standsIn: "call",
  },
  {
    asked:
      "The pipeline of the shop was to be brought under five minutes. What was still open when we ran out of context?",
    query: "pipeline shop under five minutes",
    answer: "The jobs share a database; give each its own.",
    standsIn: "compaction",
  },
  {
    asked: "Terraform wanted to delete records of example.org. What stopped it?",
    query: "Terraform delete records example.org",
    answer: 'from = module.dns["main"]',
    standsIn: "call",
  },
  {
    asked: "tally report should have got a JSON format: what did the compiler say?",
    query: '"tally report" json cargo build',
    answer: "cannot move out of `rows` because it is borrowed",
    standsIn: "output",
  },
  {
    asked: "Reading the click log ran out of memory. We tried narrow types first: was that enough?",
    query: "click log memory types",
    answer: "It fits, but takes minutes, and next year it won't fit again.",
    standsIn: "answer",
    apart: "abandoned branch",
  },
  {
    asked: "The chart of weekly visitors has a hole in March. Is that real?",
    query: "chart weekly visitors hole",
    answer: "it was the change of the clocks",
    standsIn: "answer",
  },
  {
    asked: "The cat falls through walls. Which case did the test find?",
    query: "cat falls through walls",
    answer: "wall: 8, dt: 0.016",
    standsIn: "output",
  },
  {
    asked: "按书名检索很慢，后来是怎么改的？",
    query: "书名 检索",
    answer: "写入时按二元切分",
    standsIn: "answer",
  },
  {
    asked: "Der DATEV-Export hatte kaputte Umlaute. Welche Kodierung wird denn verlangt?",
    query: "DATEV Export Umlaute",
    answer: "Der Import erwartet Windows-1252",
    standsIn: "answer",
  },
  {
    asked: "検索ページの文字化けは何が原因でしたか。",
    query: "検索ページ 文字化け",
    answer: "'text/html; charset=utf-8'",
    standsIn: "call",
  },
];
