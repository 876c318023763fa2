/** The examples in the help of each command: a command line, and what it does. A test parses each. */
import type { CommandName } from "./commands.ts";

export type Example = readonly [line: string, description: string];

export const EXAMPLES: { readonly [Name in CommandName]: readonly Example[] } = {
  index: [["pidex index", "Index new entries and print a summary"]],
  pick: [
    ["pidex", "Open the picker on the sessions of this folder"],
    ["pidex pick --all checkout", "Search the sessions of all folders for checkout"],
    ['cd "$(pidex pick --print cwd)"', "Go to the folder of the session you select"],
  ],
  demo: [
    ["pidex demo", "Open the picker with 300 sample sessions"],
    ["pidex demo --serve", "Open the web page with sample sessions"],
  ],
  serve: [
    ["pidex serve", "Open the web page"],
    ["pidex serve --no-open --port 7777", "Print its address, for another browser or an ssh tunnel"],
  ],
  mcp: [
    ["pidex mcp", "Serve one client over stdio; clients start this themselves"],
    ["pidex mcp --http --port 7333", "Serve clients on this machine over HTTP"],
  ],
  list: [
    ["pidex list --here", "List the sessions of this folder"],
    [
      'pidex list --since "last week" --project shop',
      "List the sessions of a project since Monday of last week",
    ],
    ["pidex list --sort messages -n 5", "List the five longest sessions"],
    ["pidex list --tag later --archived yes --json", "Print sessions with a tag as JSON"],
  ],
  search: [
    ["pidex search failing test --since yesterday", "Search for two words"],
    [`pidex search '"double tax" role:user'`, "Search your own messages for a phrase"],
    ["pidex search is:error tool:bash --sort newest", "Find the latest failed commands"],
    [String.raw`pidex search --regex 'taxOf\(\w+\)'`, "Search the session files for a regular expression"],
  ],
  files: [
    ["pidex files tax.ts", "Find the sessions that touched a file"],
    [
      "pidex files src/ --action write,edit --since 7d",
      "Find the sessions that changed a folder in the last 7 days",
    ],
    ["pidex files '*.py'", "Find sessions by a glob"],
  ],
  blame: [
    ["pidex blame src/tax.ts", "Show the sessions and prompts behind a file"],
    ["pidex blame src/tax.ts:40-60 --json", "Print some lines as JSON"],
    ["pidex blame src/tax.ts --rev v1.0 --certain", "Show what is certain in a release"],
  ],
  commit: [
    ["pidex commit", "Show the sessions of the last commit"],
    ["pidex commit main..feature", "Show the sessions and the cost of a branch"],
    ["pidex commit --session @last", "Show the commits that contain edits of a session"],
    ["pidex commit --uncommitted", "Find edits of sessions that are in no commit"],
  ],
  show: [
    ["pidex show @last", "Print the most recent session"],
    ["pidex show 019c4bef --full", "Include thinking and full tool output"],
    ["pidex show 019c4bef 73949f99", "Print one entry"],
    ["pidex show @last -n 20", "Print the last 20 entries"],
    ["pidex show @last --context", "Print the messages as the model sees them"],
  ],
  handoff: [
    ["pidex handoff @last", "Print a brief of the most recent session"],
    ["pidex handoff @last | pi", "Start a session of pi with it"],
    ["pidex handoff 019c4bef --tokens 2000", "Print a shorter brief"],
  ],
  export: [
    ["pidex export @last -o session.html", "Write a web page to share, with likely secrets masked"],
    ["pidex export @last --format md", "Print Markdown"],
    ["pidex export --search checkout -o checkout.html", "Export the matching parts of all sessions"],
  ],
  tree: [
    ["pidex tree @last", "Show prompts, answers, branches, summaries and labels"],
    ["pidex tree @last --all", "Show every entry"],
  ],
  labels: [
    ["pidex labels", "List the labels of all sessions"],
    ["pidex labels @last", "List the labels of one session"],
  ],
  tags: [
    ["pidex tags", "List all tags, those of the newest sessions first"],
    ["pidex tags -n 5 --json", "Print the first five as JSON"],
  ],
  stats: [
    ["pidex stats", "Show totals of sessions, messages, tools and models"],
    ["pidex stats --problems", "List problems in session files"],
  ],
  usage: [
    ["pidex usage monthly --by model", "Show each month's cost by model"],
    ["pidex usage month --by project -n 5", "Show this month's five costliest projects"],
    ["pidex usage model --json model,cost", "Print the cost by model as JSON"],
    ["pidex usage daily --chart calendar", "Draw a calendar of costs"],
    ["pidex usage daily --budget 200/month", "Compare this month with a budget"],
    ["pidex usage model --estimates", "Estimate what has no recorded cost"],
  ],
  insights: [
    ["pidex insights", "Show findings of the last 30 days, and what changed since the 30 before"],
    ["pidex insights --since 7d --here", "Show those of the last week in this folder"],
    ["pidex insights --kind repeated-errors -n 20", "Show the errors that recur"],
    ["pidex insights --markdown", "Write a report with all tables"],
  ],
  spend: [
    ["pidex spend @last", "Show what the most recent session cost"],
    ["pidex spend @last --explain", "List the entries behind the numbers"],
  ],
  budget: [
    ["pidex budget", "Show the budgets of the settings"],
    ["pidex budget 200/month '50/month project:shop'", "Show these"],
    ["pidex budget --warn-at 80% || echo watch out", "Act on the exit code"],
  ],
  status: [
    ["pidex status", "Print today's cost and the state of the budget"],
    ["pidex status --format '{today} today, {session} here{stale}'", "Print it in this form"],
  ],
  prices: [
    ["pidex prices", "List all prices, your own first"],
    ["pidex prices anthropic/claude-opus-5", "Show which price applies to a model"],
  ],
  sql: [
    ["pidex sql --schema", "List the views and their columns"],
    ['pidex sql "SELECT * FROM daily_usage" --csv', "Run a query and print CSV"],
    ["pidex sql < report.sql", "Run a query from a file"],
  ],
  resume: [
    ["pidex resume @last --run", "Resume the most recent session"],
    ['eval "$(pidex resume 019c4bef)"', "Go to a session's folder in this shell and resume it"],
  ],
  name: [
    ['pidex name @last "Rounding at the till"', "Name a session"],
    ["pidex name @last", "Show its name"],
    ["pidex name @last --computed", "Keep the title that lists show as its name"],
  ],
  label: [
    ['pidex label 019c4bef 73949f99 "tax fixed here"', "Label an entry; pidex tree shows entry ids"],
    ["pidex label 019c4bef 73949f99 --clear", "Remove its label"],
  ],
  pin: [
    ["pidex pin @last", "Pin a session"],
    ["pidex pin @last --off", "Unpin it"],
  ],
  archive: [
    ["pidex archive 019c4bef 019bd693", "Archive two sessions"],
    ["pidex archive 019c4bef --off", "Unarchive one"],
  ],
  tag: [
    ['pidex tag @last till "to do"', "Add two tags"],
    ["pidex tag 019c4bef 019bd693 --add till", "Add a tag to two sessions"],
    ["pidex tag @last --add done --remove till", "Replace a tag with another"],
    ["pidex tag @last", "Show the tags"],
  ],
  move: [["pidex move 019c4bef ~/projects/shop", "Set the new folder of a project that moved"]],
  fork: [
    ["pidex fork @last", "Copy a session"],
    ["pidex fork @last --at 73949f99", "Copy the branch that ends at an entry"],
    ['pidex fork @last --name "Second try"', "Name the copy"],
  ],
  delete: [
    ["pidex delete 019c4bef", "Move a session to the trash"],
    ["pidex delete 019c4bef --dry-run", "Show what would be moved"],
  ],
  prune: [
    ["pidex prune --older-than 180d --contents", "Review old sessions"],
    ["pidex prune --older-than 180d --compress", "Compress them"],
    ["pidex prune --duplicates --trash", "Move copies to the trash"],
    ["pidex prune --configured --yes", "Do what the settings say, as in a cron job"],
  ],
  trash: [["pidex trash", "List deleted sessions, most recently deleted first"]],
  restore: [
    ["pidex restore @last", "Restore the most recently deleted session"],
    ["pidex restore 019c4bef", "Restore a compressed session"],
    ["pidex restore 019c4bef --dry-run", "Show what would be restored"],
  ],
  hub: [
    ["pidex hub", "Run a hub on this machine with an embedded database"],
    ["pidex hub --database postgres://pidex@db/pidex", "Run a hub with PostgreSQL"],
  ],
  "hub join": [["pidex hub join https://hub.example.com pidex_invitation_…", "Sign in with an invitation"]],
  "hub leave": [["pidex hub leave", "Sign out"]],
  "hub status": [["pidex hub status", "Show who you are on which hub"]],
  "hub invite": [
    ["pidex hub invite ada", "Invite a member"],
    ["pidex hub invite ada --role auditor", "Invite a member who sees only the audit log"],
  ],
  "hub members": [["pidex hub members", "List members and their roles"]],
  "hub role": [["pidex hub role ada owner", "Make a member an owner"]],
  "hub remove": [["pidex hub remove ada", "Remove a member"]],
  "hub machines": [["pidex hub machines", "List machines and when they last pushed"]],
  "hub revoke": [["pidex hub revoke laptop", "Sign a lost machine out"]],
  "hub forget": [
    ["pidex hub forget 019c4bef", "Delete a session from the hub"],
    ["pidex hub forget 019c4bef --undo", "Let it be pushed again"],
  ],
  "hub retention": [
    ["pidex hub retention", "Show how long projects are kept"],
    ["pidex hub retention shop 90", "Keep sessions of a project for 90 days"],
  ],
  "hub audit": [["pidex hub audit --since 7d", "Show what happened this week"]],
  watch: [
    ["pidex watch", "Index sessions as they grow, until Ctrl+C"],
    ["pidex watch --ndjson", "Print each change as JSON"],
  ],
  share: [
    ["pidex share", "List shared folders"],
    ["pidex share ~/shop", "Push a project for your other machines"],
    ["pidex share ~/shop --team --project shop", "Push it for your team, with likely secrets masked"],
  ],
  push: [
    ["pidex push --dry-run", "Show what would be sent"],
    ["pidex push --watch", "Keep pushing as sessions grow"],
  ],
  pull: [
    ["pidex pull", "Fetch sessions from your other machines"],
    ["pidex pull --map /home/ada/shop=/Users/ada/shop", "Map one of their folders to this machine"],
  ],
  verify: [
    ["pidex verify", "Compare the index with the files"],
    ["pidex verify --repair", "Rebuild the index if it differs"],
  ],
  doctor: [["pidex doctor", "Check versions, folders, files, index and hub"]],
  rebuild: [["pidex rebuild", "Rebuild the index"]],
  secrets: [
    ["pidex secrets", "Search all sessions"],
    ["pidex secrets @last --kind github", "Search one session for one kind"],
  ],
  config: [
    ["pidex config", "List all settings, and where each value comes from"],
    ["pidex config limit", "Show one setting"],
    ["pidex config set limit 100", "Show 100 sessions in lists"],
    ["pidex config set picker.preview right", "Change a setting of the picker"],
    ["pidex config edit", "Open the file in $EDITOR"],
  ],
  completions: [
    ['eval "$(pidex completions bash)"', "Load completions, in .bashrc"],
    ["pidex completions fish | source", "The same in config.fish"],
    ['eval "$(pidex completions --widget bash)"', "Bind the picker to Ctrl+X S"],
  ],
};
