/** Decoys that share only words with the stories. */
import { parseStory } from "./parse-story.ts";
import type { CreateStory, StorySession } from "./story-session.ts";

/** Newer sessions with some of the words of a question. */
export const partialMatches = (createStory: CreateStory): StorySession[] => [
  parseStory(createStory, "d-zone-picker", "ledger", "2026-10-02T10:00:00", [
    "> Let people choose their timezone in the settings.",
    "A list by city: Lisbon, London, Berlin. Midnight of a day is then midnight in the chosen timezone.",
    "~ 3",
    "> default?",
    "What the browser says. Nobody has to choose a timezone who has not moved.",
  ]),
  parseStory(createStory, "d-invoice-layout", "ledger", "2026-10-28T10:00:00", [
    "> Invoices need a second page when there are more than 30 lines.",
    "The table of the invoices breaks after line 30, the sums come last.",
    "~ 3",
    "> the office in Lisbon prints on letter paper??",
    "They don't, their printer says so. Invoices are A4 everywhere.",
  ]),
  parseStory(createStory, "d-squash", "kit", "2026-10-26T21:00:00", [
    "> Squash my seven commits into two before the review: rebase them for me.",
    "$ git rebase --autosquash main => Successfully rebased and updated refs/heads/spans.",
    "Two commits. The rebase went through without a conflict.",
    "~ 2",
    "> the timestamps of the commits are gone",
    "Only the author dates matter; they are kept.",
  ]),
  parseStory(createStory, "d-git-notes", "kit", "2026-07-28T21:00:00", [
    "> One line for each git command I always forget.",
    "bisect: find the commit that broke it. reflog: where HEAD was. worktree: two branches at once. rerere: remember how a conflict was solved. cherry: what has not gone upstream.",
  ]),
  parseStory(createStory, "d-orders-sort", "ledger", "2026-10-21T10:00:00", [
    "> Sort the orders page by total.",
    "The orders page asks the server with ?sort=total; there is an index, so it is not slow.",
    "~ 3",
    "> and remember the page I was on",
    "The number of the page is in the address. Going back to the orders page is not slow either.",
  ]),
  parseStory(createStory, "d-graphql", "shop", "2026-08-03T10:00:00", [
    "> Do we need a dataloader for the categories in GraphQL?",
    "No: there are forty categories, they fit into one map at the start. A dataloader would be one more thing to explain.",
    "~ 2",
  ]),
  parseStory(createStory, "d-emitter", "pipeline", "2026-10-13T10:00:00", [
    "> MaxListenersExceededWarning on start. Harmless?",
    "Yes: eleven modules listen for `exit`. Either removeListener in those that end early, or setMaxListeners(20).",
    "~ 2",
  ]),
  parseStory(createStory, "d-worker-evening", "pipeline", "2026-09-09T18:00:00", [
    "> Every evening the worker waits an hour for the warehouse. Can it go on with what is there?",
    "The worker takes what came until six in the evening, and the rest the next day.",
    "~ 3",
    "> and if a job dies?",
    "The worker tries it again, three times.",
  ]),
  parseStory(createStory, "d-report-layout", "infra", "2026-10-19T08:00:00", [
    "> The report should go out on Sunday evening instead of Monday.",
    "cron: 0 18 * * 0. The report covers the week until Saturday.",
    "~ 2",
    "> once per customer",
    "Once per customer, yes.",
  ]),
  parseStory(createStory, "d-address-form", "kit", "2026-10-06T13:00:00", [
    "> The address validator refuses new top level domains.",
    "The address validator had a list of 2012. It takes any ending of two letters or more now.",
    "~ 2",
    "> it hangs for a second at the start",
    "It compiled 1,500 expressions. One is enough.",
  ]),
  parseStory(createStory, "d-floats", "ledger", "2026-09-29T11:00:00", [
    "> The sensor API gives cents as floats, should we keep that?",
    "Temperatures are floats, prices are cents. What they count in is not ours to choose, we convert at the border: floats in, whole cents out, and count on nothing.",
    "~ 2",
  ]),
  parseStory(createStory, "d-tokens", "field", "2026-08-31T07:00:00", [
    "> Where do we store the refresh token?",
    "In an HttpOnly cookie. The access token lives for ten minutes in memory only. Rotate the signing key every ninety days; each refresh of the page asks for a new token.",
    "~ 2",
    "> and on logout?",
    "The refresh token is revoked.",
  ]),
  parseStory(createStory, "d-pipeline-time", "shop", "2026-10-23T11:00:00", [
    "> Pipeline runs take 19 minutes. One of them took forty.",
    "Six of eight minutes of setup are the browsers. With a cache of them the runs of the pipeline take eleven.",
    "~ 2",
    "We went on a hunt for what is slow and not for what is a flake; those are next.",
  ]),
  parseStory(createStory, "d-known-good", "pipeline", "2026-10-24T11:00:00", [
    "> Revert the last deploy, it lost messages.",
    "Back on the image of Tuesday, the last one that is known to work. A good day to add a canary.",
    "~ 2",
    "> which one was good?",
    "sha-88c1; known from the tag on it.",
  ]),
  parseStory(createStory, "d-font-licence", "field", "2026-11-02T11:00:00", [
    "> Cleanup: which font files do we ship without using them?",
    "Two of five: the light and the black. The cleanup saves 300 KiB.",
    "~ 2",
    "> the grand total?",
    "1.1 MiB instead of 1.4.",
  ]),
  parseStory(createStory, "d-jwt", "ledger", "2026-10-15T13:00:00", [
    "> Why does our JWT check fail for partner tokens?",
    "Their signature is in DER, ours expects raw: 64 bytes, r and s. Convert the signature before the check.",
    "~ 2",
  ]),
  parseStory(createStory, "d-exif-docs", "field", "2026-10-17T15:00:00", [
    "> What does EXIF say about where a photo was taken? Legal asks.",
    "GPS, if the tablet may. Besides: time, camera, orientation, exposure. We keep the time and drop the rest.",
    "~ 2",
  ]),
  parseStory(createStory, "d-refund-talk", "ledger", "2026-10-18T11:00:00", [
    "> How do other shops handle partial returns?",
    "They refund per line. Some let people return twice, with one refund each; then twice the fee is due. A refund never goes out twice for a line, since the line knows its state.",
    "~ 2",
    "> ok, like that",
    "A line can be: ordered, sent, returned, paid back. Whoever asks for a refund twice gets the same answer twice.",
  ]),
  parseStory(createStory, "d-state-lock-talk", "infra", "2026-10-25T22:00:00", [
    "> Should we move the Terraform state to another bucket?",
    "The state and the lock live apart: the state in the bucket, the lock in a table. Moving the state needs the lock, so nobody may run apply meanwhile. `terraform init -migrate-state` takes the lock, copies the state, gives the lock back.",
    "~ 2",
    "$ terraform init -migrate-state => Acquiring state lock. This may take a few moments...\nSuccessfully configured the backend",
    "The state is in the new bucket, the lock is free.",
  ]),
  parseStory(createStory, "d-react-state", "field", "2026-09-22T22:00:00", [
    "! npx vitest run src/state => AssertionError: expected 'lock' to be 'free'\n ❯ src/state/machine.test.ts:12:9",
    "> The state machine of the door is wrong: lock and free are mixed up.",
    "In the table of the state machine `lock` stands where `free` should.",
    "~ 1",
  ]),
  createStory("d-prisma-old", "shop", "2025-12-12T09:00:00")
    .user("Orders need a state: an enum please.")
    .edit(
      "prisma/schema.prisma",
      "model Order {",
      "enum OrderState {\n  NEW\n  PAID\n  SENT\n}\n\nmodel Order {\n  state OrderState",
      "An enum with three values, and every enum value has a test.",
    )
    .chores(2)
    .say("The enum is in, all orders are NEW or SENT."),
  parseStory(createStory, "d-enum-style", "kit", "2026-10-11T09:00:00", [
    "> enum or union of strings?",
    "A union. An enum is code at run time, an enum can't be erased, and enum members don't compare across packages.",
    "~ 1",
  ]),
];

/** The same words with other meanings. */
export const otherMeanings = (createStory: CreateStory): StorySession[] => [
  parseStory(createStory, "d-screencast", "kit", "2026-10-31T09:00:00", [
    "> Record the demo as a video, small enough for the README. The mouse cursor should be seen.",
    "ffmpeg with x11grab draws the cursor when told `-draw_mouse 1`. Twelve frames a second are enough for a terminal. Of what GitHub plays, H.264 is the only codec that all browsers show, and 2 MB is what we need at 800 pixels.",
    "~ 2",
  ]),
  parseStory(createStory, "d-editor-cursor", "kit", "2026-09-14T09:00:00", [
    "> The cursor jumps to the end after each paste.",
    "We set the value and the browser moves the cursor. Keep selectionStart and put it back.",
    "~ 2",
    "The cursor stays.",
  ]),
  parseStory(createStory, "d-flight", "pipeline", "2026-10-10T09:00:00", [
    "> Import the cargo lists: each flight once, in order.",
    "A flight has a number and a day. Lists come in more than once; the second list of a flight replaces the first, and what was in the hold stays.",
    "~ 3",
  ]),
  parseStory(createStory, "d-http-cache", "infra", "2026-10-04T09:00:00", [
    "> Cache-Control for the start page: no-cache or no-store?",
    "no-cache means: keep it, but ask before each use. no-store means: don't keep it. For the start page no-cache is right, with an ETag a 304 costs nothing. No cache in between may answer on its own with no-cache.",
    "~ 2",
    "$ curl -sI https://www.storefront.test | grep -i cache-control => cache-control: no-cache",
  ]),
  parseStory(createStory, "d-rss", "kit", "2026-09-27T17:00:00", [
    "> The podcast feed shows old episodes first after a purge.",
    "The purge empties the page cache but not the feed. Flush both: `cache flush pages feed`. The feed flush takes a second.",
    "~ 2",
  ]),
  parseStory(createStory, "d-c-header", "kit", "2026-08-28T10:00:00", [
    "> Does the parser know C headers?",
    "$ gcc -c -o probe.o probe.c && nm -C probe.o => 0000 T probe",
    "It reads C, with `#include` left out. For a C struct it gives one symbol. C macros stay as they are; what -c and -C mean is up to the compiler.",
    "~ 2",
    "> C only?",
    "C only.",
  ]),
  parseStory(createStory, "d-csharp", "kit", "2026-10-03T10:00:00", [
    "> Add C# to the languages we colour.",
    "C# has verbatim strings and interpolated ones; both are in. C# files end in .cs.",
    "~ 2",
  ]),
  parseStory(createStory, "d-resolve-tenant", "shop", "2026-10-19T14:00:00", [
    "> resolveTenant throws for hosts with a port.",
    "`resolveTenant(host)` compares the whole host. It cuts the port off now. The locale of the tenant is chosen later, by what comes after.",
    "~ 2",
  ]),
  parseStory(createStory, "d-ledger-parse", "ledger", "2026-10-30T16:00:00", [
    "> Parse the ledger of the old system, one line an entry.",
    "$ rg -n 'parse.*Line' src => src/import/parseLedgerLine.ts:4:export function parseLedgerLine(line: string)\nsrc/legacy/parseOldLine.ts:9:export function parseOldLine(line: string)",
    "`parseOldLine` is nearly that. It lacks the sign for corrections.",
    "~ 3",
    "The old ledger is read, 41,000 lines.",
  ]),
  parseStory(createStory, "d-queue-export", "ledger", "2026-10-20T15:00:00", [
    "> Export the queue's numbers to Prometheus: how many wait, how long.",
    "Each worker of the queue counts; the export is on :9100. A queue without a worker shows as waiting for ever.",
    "~ 3",
  ]),
  parseStory(createStory, "d-rota", "infra", "2026-11-05T08:00:00", [
    "> Plan the support rota for winter.",
    "Weeks begin on Sunday evening. Nobody twice in a row.",
    "> Ben is in Lisbon in January",
    "Then his shift ends at midnight there.",
    "~ 3",
    "> who writes the invoices for standby?",
    "The office does, in their timezone. I send them the report.",
    "~ 2",
    "> is there a cron for the reminder?",
    "Yes, and it sends the address of the rota page. Memory of who swapped with whom is a list below.",
    "~ 3",
    "> a progress bar for the quarter would be nice",
    "A bar with twelve weeks, grey when they are gone. nginx serves it as a file, there is no buffering to think of.",
  ]),
  parseStory(createStory, "d-retro", "kit", "2026-11-09T15:00:00", [
    "> Notes for the retrospective, I talk, you write.",
    "Ready.",
    "> the sidebar of the wiki is too long, nobody finds anything",
    "~ 2",
    "> Ana wants a name for the release, and the histogram with minmax",
    "Both are noted.",
    "~ 3",
    "> we rebase too late. Half of the commits of a week are fixes of fixes",
    "~ 2",
    "> somebody's branch was gone and nobody knew the reflog",
    "Noted, with a link.",
    "> orders: fine. The page for partners: slow. One wish: less dataloader magic",
    "~ 3",
    "> the worker dies on Fridays, and in the evening nobody is there",
    "Noted. I add the removeListener warning, it was named twice.",
    "~ 2",
    "> the validator for the address is good now. The build hangs. Regular expressions: no more nested quantifiers, put that into the guide",
  ]),
  parseStory(createStory, "d-flake-day", "shop", "2026-11-06T11:00:00", [
    "> Write the invitation: each first Friday is flake hunt.",
    "## Flake hunt\nOne test that fails now and then, four people, two hours. The hunt ends with a fix or with a deleted test. Last time the flake hunt took us to the clock of the runner.",
    "~ 1",
    "> and mention the grand prize",
    "Whoever finds the flake gets cake.",
  ]),
  parseStory(createStory, "d-canary", "pipeline", "2026-11-04T11:00:00", [
    "> The canary is red. What was the last known good build, and how do I revert to it?",
    "`deploy list --good` shows them; the known good one is from Monday. `deploy revert 2211` takes you there in a minute.",
    "~ 2",
    "Reverted, the canary is green.",
  ]),
  parseStory(createStory, "d-after-cleanup", "field", "2026-11-11T09:00:00", [
    "> Since the grand font cleanup in summer the icons are a pixel lower?",
    "The icon font has another baseline than the one that went. A cleanup of the line heights puts them right; the font stays.",
    "~ 2",
  ]),
];

/** Chinese, Japanese, Russian, Greek. */
export const otherLanguages = (createStory: CreateStory): StorySession[] => [
  parseStory(createStory, "d-zh-mess", "manual", "2026-10-12T02:00:00", [
    "> 这段代码太混乱了，能整理一下吗？",
    "按职责拆成三个文件，代码就不乱了。日志里的码也统一成四位。",
    "~ 2",
  ]),
  parseStory(createStory, "d-zh-font", "manual", "2026-10-28T02:00:00", [
    "> 终端里的边框对不齐。",
    "是字体的问题，不是乱码：方框字符的宽度和汉字不一样。换成等宽字体就好。",
    "~ 2",
  ]),
  parseStory(createStory, "d-zh-git", "manual", "2026-09-19T03:00:00", [
    "> 怎么回退到上一个版本？",
    "已经推送的用 git revert，没有推送的用 git reset。回退之前先打个标签。",
    "~ 2",
    "> 回退好了",
    "好的。",
  ]),
  parseStory(createStory, "d-zh-traditional", "manual", "2026-10-26T03:00:00", [
    "> 手册要出繁体版，术语怎么办？",
    "繁体版不只是换字：「软件」在台湾是「軟體」。我做一张术语表，繁体版按表替换。",
    "~ 3",
  ]),
  parseStory(createStory, "d-zh-flash", "manual", "2026-10-30T07:00:00", [
    "> 设备的闪存还剩多少？",
    "$ df -h /flash => /dev/mtd4  64M  41M  23M  64% /flash",
    "闪存还有 23 MB。",
    "~ 2",
  ]),
  parseStory(createStory, "d-zh-orders", "manual", "2026-11-01T06:00:00", [
    "> 订单付款后要锁定，不能再改地址。",
    "付款后状态变成 locked，订单页上的按钮变灰。锁定之后只有客服能改。",
    "~ 2",
    "> 接口超时怎么办？",
    "超时就重试一次，再不行就提示用户。",
  ]),
  parseStory(createStory, "d-ja-name", "pipeline", "2026-10-22T01:00:00", [
    "> ファイル名に日本語を使っても大丈夫ですか。",
    "大丈夫です。ただし ZIP にすると古い展開ソフトでは文字化けすることがあります。",
    "~ 2",
  ]),
  parseStory(createStory, "d-ja-batch", "ledger", "2026-10-31T08:00:00", [
    "> 処理の順番を変えたいです。締め切りの前に請求書を出します。",
    "請求書の処理を先にしました。締め処理はその後です。",
    "~ 2",
  ]),
  parseStory(createStory, "d-ja-open", "manual", "2026-10-19T04:00:00", [
    "> 大きなファイルを開くと遅いです。",
    "全部読み込まずに、見えるところだけ開けば速くなります。開けない拡張子は一覧から外しました。",
    "~ 2",
  ]),
  parseStory(createStory, "d-ru-sockets", "pipeline", "2026-10-27T12:00:00", [
    "> Сколько памяти нужно воркеру для очереди?",
    "Около 400 МБ. Если больше — это не утечка, а кэш: он отдаёт память, когда её просят.",
    "~ 2",
    "> хорошо",
    "Воркер перезапускается раз в неделю, на всякий случай.",
  ]),
  parseStory(createStory, "d-el-menu", "kit", "2026-10-24T09:00:00", [
    "> Στο μενού να γράφει «Καφές» και όχι «Ροφήματα».",
    "Άλλαξα τη μετάφραση· οι τόνοι είναι σωστοί. Τους τόνους στα κεφαλαία τους βγάζει το CSS.",
    "~ 1",
  ]),
];
