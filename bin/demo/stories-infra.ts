/** Servers, and what happens to them. */
import {
  answer,
  bash,
  compact,
  edit,
  failing,
  failure,
  label,
  model,
  say,
  shell,
  story,
  think,
  user,
  write,
} from "./telling.ts";

export const INFRA = [
  story({
    project: "infra",
    vary: {
      host: ["db-1", "shop-1", "build-2", "mail-1", "metrics-1"],
      culprit: ["old logs", "Docker layers", "a deleted file that is still open"],
    },
    name: ({ host, culprit }) => `${host}: disk full (${culprit})`,
    tags: ["incident", "disk"],
    tell: ({ host, culprit }, n) => [
      user(
        `Alert: ${host} has 2 % disk left and it falls. Find what fills it, don't delete anything without asking.`,
      ),
      bash(`ssh ${host} 'df -h / && du -xsh /var/* 2>/dev/null | sort -h | tail -3'`, [
        "Filesystem      Size  Used Avail Use% Mounted on",
        "/dev/sda1        78G   76G  1.6G  98% /",
        "1.1G\t/var/cache",
        `${n(9, 22)}G\t/var/lib`,
        `${n(24, 40)}G\t/var/log`,
      ]),
      think("du and df may differ: files that were deleted but are still open. lsof +L1 tells."),
      bash(`ssh ${host} 'lsof -nP +L1 | sort -k7 -n | tail -2'`, [
        `nginx   ${n(700, 4000)} root  7w  REG  8,1  ${n(11, 29)}884901888  0 /var/log/nginx/access.log.1 (deleted)`,
      ]),
      answer(
        `It is ${culprit}, mostly:`,
        "",
        "| what | size | can go |",
        "| --- | ---: | --- |",
        `| access.log.1, deleted but open | ${n(11, 29)} GB | with a reload of nginx |`,
        `| journal | ${n(3, 6)} GB | \`journalctl --vacuum-size=500M\` |`,
        "| backups | 8 GB | **no**, they are the only copy |",
        "",
        "Shall I reload nginx?",
      ),
      user("yes, and fix logrotate so it doesn't come back"),
      bash(
        `ssh ${host} 'systemctl reload nginx && df -h / | tail -1'`,
        `/dev/sda1        78G   ${n(40, 55)}G   30G  61% /`,
      ),
      edit(
        "roles/nginx/files/logrotate.conf",
        "    nocompress",
        ["    compress", "    postrotate", "        systemctl reload nginx", "    endscript"],
        6,
      ),
      bash(
        `ansible-playbook site.yml --limit ${host} --tags logrotate`,
        `${host} : ok=5 changed=1 unreachable=0 failed=0`,
      ),
      answer(
        "61 % used. logrotate tells nginx to open its file anew; before, it wrote on into the deleted one.",
      ),
      label("resolved"),
    ],
  }),

  story({
    project: "infra",
    vary: {
      service: ["redis", "grafana", "the registry", "vault"],
      cause: ["a firewall rule", "the new container network", "an upgrade", "IPv6"],
    },
    tags: ["network"],
    tell: ({ service, cause }, n) => [
      user(
        `After ${cause} nobody can reach ${service}: connection refused from build-2, fine from the host itself.`,
      ),
      failing("ssh build-2 'nc -vz services-1 6379'", [
        `nc: connect to services-1 (10.0.7.${n(4, 60)}) port 6379 (tcp) failed: Connection refused`,
      ]),
      failing("ssh build-2 'journalctl -u runner -n 2 --no-pager'", [
        `runner[${n(900, 4000)}]: dial failed: ECONNREFUSED 10.0.7.${n(4, 60)}:6379, attempt ${n(3, 20)}`,
        "runner: giving up",
      ]),
      bash("ssh services-1 'nft list ruleset | grep -n dport'", [
        "14: tcp dport { 22, 443 } accept",
        "15: tcp dport 6379 ip saddr 10.0.4.0/24 accept",
      ]),
      think("build-2 moved to 10.0.9.0/24 last week. The rule names the old network."),
      edit(
        "roles/firewall/templates/services.nft",
        "ip saddr 10.0.4.0/24 accept",
        "ip saddr { 10.0.4.0/24, 10.0.9.0/24 } accept",
        15,
      ),
      bash(
        "ansible-playbook site.yml --limit services-1 --tags firewall --check --diff",
        "services-1 : ok=4 changed=1 unreachable=0 failed=0",
      ),
      user("apply"),
      bash(
        "ansible-playbook site.yml --limit services-1 --tags firewall && ssh build-2 'nc -vz services-1 6379'",
        "Connection to services-1 6379 port [tcp/redis] succeeded!",
      ),
      answer(
        `${service} answers again. Networks are named once now, in \`group_vars/all.yml\`; the rule lists them from there.`,
      ),
    ],
  }),

  story({
    project: "infra",
    vary: {
      what: ["the shop's database", "the wiki", "mailboxes", "the invoices", "Grafana"],
      age: ["from last night", "from a month ago", "from before the upgrade"],
    },
    name: ({ what, age }) => `Restore drill: ${what} ${age}`,
    tags: ["backup"],
    tell: ({ what, age }, n) => [
      user(
        `Restore drill: bring back ${what} ${age} on a fresh machine, and tell me how long it took. Write the steps down as you go.`,
      ),
      bash("restic snapshots --latest 2 --compact", [
        `${n(1000, 9999)}fa2c  db-1  /backup/db`,
        "2 snapshots",
      ]),
      bash("time restic restore latest --target /restore", [
        `restored ${n(3, 40)}.2 GiB`,
        `real\t${n(6, 30)}m${n(10, 59)}s`,
      ]),
      failing(
        "pg_restore -d drill /restore/db.dump",
        'pg_restore: error: could not execute query: ERROR:  extension "pg_trgm" is not available',
      ),
      say("The fresh machine lacks an extension that the old one has by hand. That goes into the role."),
      edit(
        "roles/postgres/tasks/main.yml",
        "    - postgresql-17",
        ["    - postgresql-17", "    - postgresql-contrib"],
        8,
      ),
      bash(
        "ansible-playbook site.yml --limit drill-1 && pg_restore -d drill /restore/db.dump",
        "drill-1 : ok=31 changed=3 failed=0",
      ),
      write("docs/restore.md", [
        "# Restore",
        "",
        "1. A fresh machine: `ansible-playbook site.yml --limit NAME`",
        "2. `restic restore latest --target /restore`",
        "3. `pg_restore -d NAME /restore/db.dump`",
        "4. Compare the row counts with `docs/counts.sql`",
      ]),
      answer(
        `It works: ${n(35, 80)} minutes in all, of which the download took half. One thing was missing (pg_trgm), and it is in the role now.`,
      ),
    ],
  }),

  story({
    project: "infra",
    vary: {
      pipeline: ["shop", "blog", "tally", "lanterns"],
      time: ["18 minutes", "half an hour", "11 minutes"],
    },
    tags: ["ci", "performance"],
    tell: ({ pipeline, time }, n) => [
      user(`The pipeline of ${pipeline} takes ${time}. Bring it under five without leaving tests out.`),
      bash(`./scripts/ci-times ${pipeline}`, [
        "install   4m10s",
        `build     ${n(2, 4)}m02s`,
        "test      9m40s",
        "image     3m15s",
      ]),
      answer(
        "Three things, in order of gain:",
        "",
        "- tests run one after another: four jobs",
        "- nothing is kept between runs: cache by the lock file",
        "- the image is built after the tests, though it needs only the build",
      ),
      edit(".ci/pipeline.yml", "  parallel: 1", "  parallel: 4", 14),
      edit(".ci/pipeline.yml", "  needs: [test]", "  needs: [build]", 31),
      failing(`./scripts/ci-run ${pipeline}`, [
        "job test 3/4 failed: database shop_test is being accessed by other users",
      ]),
      think("The jobs share one database. A schema per job, named by its number."),
      compact(
        "## Goal",
        `The pipeline of ${pipeline} under five minutes.`,
        "## Done",
        "Four test jobs, image beside the tests.",
        "## Open",
        "The jobs share a database; give each its own.",
      ),
      user("go on"),
      edit("tests/setup.sh", 'export DATABASE="shop_test"', 'export DATABASE="shop_test_$CI_NODE_INDEX"', 3),
      bash(`./scripts/ci-run ${pipeline}`, [
        `install   0m2${n(0, 9)}s (cached)`,
        "build     1m50s",
        "test      2m31s",
        "image     1m04s",
        "",
        "total     4m44s",
      ]),
      answer(
        `4 minutes 44 seconds instead of ${time}. No test was left out: ${n(800, 1600)} before and after.`,
      ),
    ],
  }),

  story({
    project: "infra",
    vary: {
      zone: ["example.com", "example.org", "shop.example", "blog.example"],
      record: [
        "the certificate expires in 3 days",
        "Terraform wants to delete records",
        "mail is rejected for SPF",
        "www points to the old server",
      ],
    },
    tags: ["dns"],
    tell: ({ zone, record }, n) => [
      user(`${zone}: ${record}. What is going on?`),
      failing(`terraform plan -target module.dns[\\"${zone}\\"]`, [
        "Error: reading zone: API answered 403 Forbidden",
        "  with module.dns, on dns/main.tf line 12",
      ]),
      say("The token has no right to that zone any more. With the read-only one:"),
      bash(`dig +short ${zone} A TXT CAA`, [
        `203.0.113.${n(2, 250)}`,
        '"v=spf1 include:mail.example -all"',
        '0 issue "letsencrypt.org"',
      ]),
      failure("fetch failed: connect ETIMEDOUT"),
      model("sonnet"),
      user("again"),
      bash("git log --oneline -3 -- dns/", [
        "7f0aa12 dns: one file a zone",
        "19bc0de dns: new token",
        "c0ffee1 dns: www to the new server",
      ]),
      think(
        "The commit that split the file changed the keys of the map; Terraform sees other addresses and wants to delete and create. moved blocks solve that.",
      ),
      write("dns/moved.tf", [
        "moved {",
        `  from = module.dns["main"]`,
        `  to   = module.dns["${zone}"]`,
        "}",
      ]),
      shell("terraform plan", "No changes. Your infrastructure matches the configuration."),
      answer(
        "The records stay as they are. The token was made for the old account; I noted in `docs/tokens.md` which zones each may change.",
      ),
    ],
  }),
];
