/** How sessions end when what they were about is done. */
import type { Random } from "./random.ts";
import { answer, bash, edit, failing, type Step, type Story, shell, user } from "./telling.ts";

type Closing = (random: Random) => Step[];
type Closings = readonly [Closing, ...Closing[]];

const added = (random: Random) =>
  `${random.between(1, 6)} files changed, ${random.between(4, 90)} insertions(+)`;

const ENGLISH: Closings = [
  (random) => [
    user("Commit it, with a message that says why."),
    bash("git commit -aF tmp/message", `[main ${random.hex(7)}] ${added(random)}`),
    answer("Committed. The message says what went wrong, not what the lines do."),
  ],
  (random) => [
    user("Add a line to the changelog and push."),
    edit("CHANGELOG.md", "## Unreleased", ["## Unreleased", "", "- Fixed what was reported this week."], 3),
    failing("git push", ["! [rejected]  main -> main (fetch first)", "error: failed to push some refs"]),
    bash("git pull --rebase && git push", `   ${random.hex(7)}..${random.hex(7)}  main -> main`),
    answer("Pushed; somebody else had been faster, so I rebased first. No conflicts."),
  ],
  () => [
    user("What did you not check?"),
    answer(
      "Three things:",
      "",
      "- Windows; I have none here",
      "- how it behaves with an empty database",
      "- whether anybody relies on the old behaviour: the log would tell in a week",
    ),
  ],
  (random) => [
    user("Is there anything like it elsewhere?"),
    bash("git grep -n 'TODO' | wc -l", String(random.between(3, 40))),
    answer(
      "No second place with the same mistake. Two comments spoke of the old behaviour; I corrected them.",
    ),
  ],
  (random) => [
    user("ok, thanks. open a pull request"),
    shell("git push -u origin HEAD", "remote: Create a pull request by visiting the page of the branch"),
    bash("gh pr create --fill", `https://git.example/ada/pull/${random.between(40, 900)}`),
    answer("It is open, with the numbers from before and after in its text."),
  ],
];

const CHINESE: Closings = [
  (random) => [
    user("提交吧,说明写清楚原因。"),
    bash("git commit -aF tmp/message", `[main ${random.hex(7)}] ${added(random)}`),
    answer("已提交。"),
  ],
  () => [user("还有哪些没有验证?"), answer("- 数据量更大时的表现", "- 旧版浏览器", "", "其余都有测试。")],
];

const GERMAN: Closings = [
  (random) => [
    user("Bitte einchecken."),
    bash("git commit -aF tmp/message", `[main ${random.hex(7)}] ${added(random)}`),
    answer("Ist drin, mit der Begründung in der Nachricht."),
  ],
  () => [
    user("Müssen wir etwas nachmelden?"),
    answer("Nur, wenn die Voranmeldung schon abgegeben ist. Das sollte der Steuerberater entscheiden."),
  ],
];

/** A last exchange, in the language of the story. */
export function closingOf({ project, tags = [] }: Story, random: Random): Step[] {
  if (tags.includes("日本語"))
    return [user("ありがとう。コミットしてください。"), answer("コミットしました。")];
  const closings = { 书店: CHINESE, buchhaltung: GERMAN }[project as string] ?? ENGLISH;
  return random.pick(closings)(random);
}
