/** Sessions about servers, builds and mail, including one that calls a subagent. */
import type { CreateStory, StorySession } from "./story-session.ts";

export function opsStories(createStory: CreateStory): StorySession[] {
  return [
    lostCommits(createStory),
    dockerCache(createStory),
    oomKilled(createStory),
    stateLock(createStory),
    override(createStory),
    dkim(createStory),
    leapSecond(createStory),
    pool(createStory),
    certificates(createStory),
    keepAlive(createStory),
    monorepo(createStory),
    audit(createStory),
  ];
}

const lostCommits = (createStory: CreateStory) =>
  createStory("lost-commits", "kit", "2025-08-28T21:05:00")
    .user("My rebase went wrong and two commits from this morning are gone. Please tell me they are not.")
    .run("git status | head -2; git stash list", "On branch tokens\nnothing to commit, working tree clean")
    .say(
      "Nothing is lost for ninety days. Every place HEAD has been is in the reflog; your branch was at `HEAD@{6}` before you began.",
    )
    .run(
      "git log --oneline -3 'HEAD@{6}'",
      "71c0de2 Split words at case changes\n5ba11ad Keep the offsets\n0ddba11 Start of tokens",
    )
    .run("git branch tokens-before 71c0de2", "")
    .say(
      "Both are on `tokens-before` now. The conflict was in `words.ts`: you took theirs for the whole file.",
    )
    .chores(2)
    .user("phew. thank you");

const dockerCache = (createStory: CreateStory) =>
  createStory("docker-cache", "infra", "2026-03-17T12:21:12")
    .user("Building the API image takes nine minutes even when I only touch a comment.")
    .read("api/Dockerfile", "FROM node:24-slim\nWORKDIR /app\nCOPY . .\nRUN npm ci\nRUN npm run build")
    .say(
      "`COPY . .` comes before `npm ci`, so any changed byte throws the installed modules away. Bring the lockfile in first, install, then the rest.",
    )
    .edit(
      "api/Dockerfile",
      "COPY . .\nRUN npm ci",
      "COPY package.json package-lock.json ./\nRUN npm ci\nCOPY . .",
    )
    .run(
      "docker build --no-cache -t api . | tail -1",
      "#14 DONE 541.2s",
      "Once with --no-cache to have something to compare:",
    )
    .run("docker build -t api . | tail -1", "#14 DONE 22.8s")
    .say(
      "22 s instead of nine minutes. Don't put --no-cache into the pipeline, that is where the old time came from.",
    )
    .chores(2);

const oomKilled = (createStory: CreateStory) =>
  createStory("oom-killed", "infra", "2026-05-05T05:55:00")
    .user("The search pods restart all night.")
    .run(
      "kubectl describe pod search-7d9f | grep -A6 'Last State'",
      "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n      Started:      Tue, 05 May 2026 03:11:40\n    Limits:\n      memory:  512Mi",
    )
    .think("Node takes half the machine's memory for its heap, not the container's, unless told.")
    .say(
      "The heap may grow to 2 GB on these nodes while the container is allowed 512 MiB. With --max-old-space-size=400 it collects in time.",
    )
    .edit("k8s/search.yaml", 'args: ["server.js"]', 'args: ["--max-old-space-size=400", "server.js"]')
    .chores(3)
    .run("kubectl get pods | grep search", "search-5c88   1/1   Running   0   14h")
    .say("No restart for fourteen hours.");

const stateLock = (createStory: CreateStory) =>
  createStory("state-lock", "infra", "2026-06-30T22:10:00")
    .user("apply is stuck since Ben's laptop went to sleep in the middle")
    .fails(
      "terraform apply -auto-approve",
      "Error: Error acquiring the state lock\n\nError message: ConditionalCheckFailedException\nLock Info:\n  ID:        6c1f0b52\n  Who:       ben@thinkpad\n  Operation: OperationTypeApply",
    )
    .say(
      "Ben's run never gave it back. If you are sure that nothing of it runs any more, `force-unlock` with that ID; the state itself was written before he closed the lid.",
    )
    .run("terraform force-unlock -force 6c1f0b52", "Terraform state has been successfully unlocked!")
    .chores(2)
    .run("terraform plan | tail -1", "No changes. Your infrastructure matches the configuration.");

const override = (createStory: CreateStory) =>
  createStory("override", "shop", "2025-10-14T09:45:45")
    .user("I want the debugger port open on my machine only, without touching what the others use.")
    .create(
      "docker-compose.override.yml",
      'services:\n  web:\n    ports: ["9229:9229"]\n    command: node --inspect=0.0.0.0 server.js\n',
      "Compose lays this file over the other one without being asked; git ignores it.",
    )
    .run("docker compose config | grep -n 9229", "31:      - 9229:9229")
    .chores(2)
    .say("Breakpoints work. The shared file is as it was.");

const dkim = (createStory: CreateStory) =>
  createStory("dkim", "infra", "2026-01-14T10:30:30")
    .user("Order confirmations land in spam at two providers since the new relay.")
    .run(
      "grep -i authentication-results bounced.eml",
      "Authentication-Results: mx.example; spf=pass; dkim=fail (body hash did not verify) header.d=storefront.test; dmarc=fail",
    )
    .say(
      "Signed, then changed: the relay adds a footer after our signature. Either it signs itself, or it keeps its hands off. I turn the footer off.",
    )
    .edit("mail/relay.cf", "footer = on", "footer = off")
    .chores(2)
    .run("swaks --to check@auth.example | grep dkim", "dkim=pass")
    .say("Passes everywhere.");

const leapSecond = (createStory: CreateStory) =>
  createStory("leap-second", "pipeline", "2025-12-30T14:00:00")
    .user("What happens to the meters' timestamps if one is announced? They send 23:59:60.")
    .run("node -e \"console.log(Date.parse('2016-12-31T23:59:60Z'))\"", "NaN")
    .say(
      "NaN, and the whole batch is refused. Half a day smeared would be nicer, but the meters are what they are: 60 becomes 59.999, and a flag keeps the order.",
    )
    .edit("src/meters/time.ts", "Date.parse(stamp)", "parseMeterTime(stamp)")
    .chores(3)
    .run("npx vitest run src/meters", "Tests  11 passed (11)")
    .name("Drill for 23:59:60");

const pool = (createStory: CreateStory) =>
  createStory("pool", "ledger", "2026-07-15T16:16:00")
    .user("Load test for the sale: where do we break?")
    .chores(2)
    .run(
      "k6 run sale.js",
      "checks.........................: 91.20%\nhttp_req_duration..............: avg=410ms p(99)=1840ms\nerror: remaining connection slots are reserved for roles with the SUPERUSER attribute (2207 times)",
    )
    .say(
      "At 320 users the database has no more connections to give: six pods with a pool of twenty each, and a hundred allowed. PgBouncer in between, in transaction mode.",
    )
    .edit("k8s/ledger.yaml", "POOL_SIZE: 20", "POOL_SIZE: 12")
    .run(
      "k6 run sale.js",
      "checks.........................: 100.00%\nhttp_req_duration..............: avg=95ms p(99)=240ms",
    )
    .say("The sale can come.");

const certificates = (createStory: CreateStory) =>
  createStory("certificates", "infra", "2025-06-24T07:07:07")
    .user("Internal calls fail since midnight, browsers are happy.")
    .fails(
      "node -e \"await fetch('https://billing.internal')\"",
      "TypeError: fetch failed\n  [cause]: Error: unable to verify the first certificate\n    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'",
    )
    .say(
      "The renewed certificate came without its intermediate. Browsers fetch that themselves, Node does not. Put the full chain into the secret.",
    )
    .run(
      "cat leaf.pem intermediate.pem > fullchain.pem && kubectl create secret tls billing --cert fullchain.pem --key key.pem",
      "secret/billing created",
    )
    .chores(2)
    .say("All internal calls answer again.");

const keepAlive = (createStory: CreateStory) =>
  createStory("keep-alive", "infra", "2026-04-02T18:40:00")
    .user("One request in ten thousand comes back as 502 from the load balancer.")
    .run(
      "grep 502 alb.log | head -2; journalctl -u api | grep ECONNRESET | head -1",
      "502 - target closed\n502 - target closed\nError: read ECONNRESET\n    at TCP.onStreamRead (node:internal/stream_base_commons:216:20)",
    )
    .say(
      "The balancer keeps idle connections for 60 s, Node closes them after 5. Sometimes a request is sent just as Node hangs up. `keepAliveTimeout` has to be longer than the balancer's: 65 s.",
    )
    .edit("src/server.ts", "server.listen(port)", "server.keepAliveTimeout = 65_000;\nserver.listen(port)")
    .chores(2)
    .say("Not a single 502 since yesterday.");

const monorepo = (createStory: CreateStory) =>
  createStory("monorepo", "kit", "2026-09-23T13:00:00")
    .user("Two versions of React end up in one bundle and hooks blow up. Find out who brings the second.")
    .run(
      "npm ls react",
      "textkit@2.0.0\n├─┬ @textkit/editor@2.0.0\n│ └── react@19.1.0\n└─┬ @textkit/preview@1.4.2\n  └── react@18.3.1",
    )
    .fails(
      "npm test -w editor",
      "Error: Invalid hook call. Hooks can only be called inside of the body of a function component.",
    )
    .say("`@textkit/preview` pins 18 as a dependency. It should be a peer dependency, as in the editor.")
    .edit(
      "packages/preview/package.json",
      '"dependencies": { "react": "18.3.1"',
      '"peerDependencies": { "react": ">=18"',
    )
    .chores(3)
    .run("npm ls react --depth=0", "└── react@19.1.0");

const audit = (createStory: CreateStory) =>
  createStory("audit", "ledger", "2026-10-07T08:20:00")
    .user("Let the scout list every place that writes to the ledger without an audit row, then fix them.")
    .tool(
      "subagent",
      { agent: "scout", task: "list every write to ledger_entries without recordAudit" },
      "3 places: src/payout/send.ts:40, src/import/commit.ts:19, src/admin/correct.ts:77",
      { details: { mode: "single", results: [{ agent: "scout", exitCode: 0, model: "claude-haiku-4-5" }] } },
    )
    .edit("src/admin/correct.ts", "await db.insert(entry)", "await recordAudit(user, () => db.insert(entry))")
    .chores(6)
    .compaction(
      "## Goal\nNo write to ledger_entries without an audit row.\n## Done\nsrc/admin/correct.ts and src/import/commit.ts go through recordAudit.\n## Next\nsrc/payout/send.ts runs outside of a request: there is no user to name.",
      null,
    )
    .user("use the service account 'payouts' there")
    .edit(
      "src/payout/send.ts",
      "db.insert(payout)",
      "recordAudit(serviceAccount('payouts'), () => db.insert(payout))",
    )
    .say("All three write an audit row now.");
