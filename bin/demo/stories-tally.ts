/** A command-line tool in Rust. */
import {
  answer,
  bash,
  edit,
  failing,
  grep,
  label,
  model,
  read,
  say,
  story,
  think,
  user,
  write,
} from "./telling.ts";

export const TALLY = [
  story({
    project: "tally",
    vary: {
      input: ["1h30", "90m", "1:30", "1,5h", "an hour and a half"],
      command: ["tally add", "tally fix", "tally import"],
    },
    tags: ["bug", "parser"],
    tell: ({ input, command }, n) => [
      user(`\`${command} "${input}"\` is counted as 1 minute. It should be 90 minutes, or an error.`),
      failing(`cargo test duration`, [
        "running 14 tests",
        `test duration::parses_${n(2, 9)} ... FAILED`,
        "thread 'duration::parses' panicked at src/duration.rs:61:9:",
        "assertion `left == right` failed",
        "  left: 1",
        " right: 90",
      ]),
      read("src/duration.rs", [
        "pub fn parse(text: &str) -> Option<Minutes> {",
        "    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();",
        "    digits.parse().ok().map(Minutes)",
        "}",
      ]),
      think(
        "It reads the leading digits and throws the rest away. A parser that has to reach the end of its input is the fix; what it doesn't know is an error.",
      ),
      edit(
        "src/duration.rs",
        [
          "    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();",
          "    digits.parse().ok().map(Minutes)",
        ],
        [
          "    let mut rest = text.trim();",
          "    let minutes = clock(&mut rest).or_else(|| units(&mut rest))?;",
          "    rest.is_empty().then_some(Minutes(minutes))",
        ],
        n(20, 60),
      ),
      bash("cargo test", `test result: ok. ${n(80, 140)} passed; 0 failed`),
      answer(
        "The parser must reach the end of the text now. What it knows:",
        "",
        "- `90m`, `1h`, `1h30`, `1h 30m`",
        "- `1:30`",
        "- `1.5h`, `1,5h`",
        "",
        "Everything else is an error that shows where it stopped:",
        "",
        "```text",
        "error: I don't know how long 'an hour' is",
        "  |  an hour and a half",
        "  |  ^",
        "```",
      ),
    ],
    fork: ({ input, command }, n) => ({
      name: `Property tests for durations (${command} ${input})`,
      steps: [
        user("Add a property test: what we print, we parse to the same."),
        write("tests/duration_roundtrip.rs", [
          "proptest! {",
          "    #[test]",
          "    fn printed_is_parsed(minutes in 0u32..100_000) {",
          "        prop_assert_eq!(parse(&show(Minutes(minutes))), Some(Minutes(minutes)));",
          "    }",
          "}",
        ]),
        failing("cargo test roundtrip", "minimal failing input: minutes = 0"),
        edit(
          "src/duration.rs",
          "    if minutes == 0 { return String::new(); }",
          '    if minutes == 0 { return "0m".into(); }',
          n(70, 90),
        ),
        bash("cargo test", `test result: ok. ${n(80, 140)} passed; 0 failed`),
        answer("It found one at once: nothing was printed for 0 minutes."),
      ],
    }),
  }),

  story({
    project: "tally",
    vary: {
      command: ["report", "list", "invoice", "projects", "undo"],
      format: ["--json", "--csv", "--porcelain"],
    },
    name: ({ command, format }) => `tally ${command} ${format}`,
    tags: ["feature", "cli"],
    tell: ({ command, format }, n) => [
      user(`Give \`tally ${command}\` a ${format} that scripts can rely on. Document it and keep it stable.`),
      grep(
        "fn run",
        `src/commands/${command}.rs`,
        `src/commands/${command}.rs:18:pub fn run(store: &Store, out: &mut impl Write) -> Result<()> {`,
      ),
      answer(
        `Then I separate what is found from how it is shown: \`run\` returns rows, and \`show\` takes a format.`,
      ),
      edit(
        `src/commands/${command}.rs`,
        "pub fn run(store: &Store, out: &mut impl Write) -> Result<()> {",
        "pub fn run(store: &Store) -> Result<Vec<Row>> {",
        18,
      ),
      failing("cargo build", [
        "error[E0505]: cannot move out of `rows` because it is borrowed",
        `  --> src/commands/${command}.rs:${n(24, 60)}:17`,
      ]),
      think(
        "The iterator borrows rows while they are consumed. Collect the names first, or take references in the table.",
      ),
      edit(`src/commands/${command}.rs`, "    for row in rows {", "    for row in &rows {", n(24, 60)),
      bash(
        "cargo test && cargo clippy -- -D warnings",
        `test result: ok. ${n(90, 150)} passed; 0 failed\n    Finished \`dev\` profile`,
      ),
      write(`docs/${command}.md`, [
        `# tally ${command}`,
        "",
        `\`${format}\` writes one row a line; fields are only added, never renamed.`,
      ]),
      answer(
        `\`tally ${command} ${format}\` is there, with a snapshot test that fails when a field changes its name.`,
      ),
    ],
  }),

  story({
    project: "tally",
    vary: {
      module: ["store", "report", "config", "invoice", "clock"],
      smell: ["one function of 300 lines", "booleans as arguments", "errors as strings"],
    },
    tags: ["refactor"],
    tell: ({ module, smell }, n) => [
      user(`src/${module}.rs has grown: ${smell}. Tidy it up without changing what it does.`),
      bash(
        `wc -l src/${module}.rs && cargo test 2>&1 | tail -1`,
        `${n(400, 900)} src/${module}.rs\ntest result: ok. ${n(80, 140)} passed; 0 failed`,
      ),
      model("gpt"),
      user("First write down what you will do, in small steps."),
      answer(
        "1. Names for what the arguments mean (an enum each)",
        "2. An error type with `thiserror`; texts stay the same",
        "3. The long function in three: read, decide, write",
        "",
        "A commit after each, tests green.",
      ),
      edit(
        `src/${module}.rs`,
        "fn apply(entry: &Entry, force: bool, quiet: bool)",
        "fn apply(entry: &Entry, overwrite: Overwrite, told: Told)",
        n(30, 200),
      ),
      bash("cargo test 2>&1 | tail -1", `test result: ok. ${n(80, 140)} passed; 0 failed`),
      edit(
        `src/${module}.rs`,
        'Err(format!("no such project: {name}"))',
        "Err(Error::NoSuchProject(name.into()))",
        n(30, 200),
      ),
      failing("cargo test 2>&1 | tail -3", [
        "expected: no such project: alpha",
        "     got: No such project: alpha",
      ]),
      edit("src/error.rs", '#[error("No such project: {0}")]', '#[error("no such project: {0}")]', 9),
      bash("cargo test 2>&1 | tail -1", `test result: ok. ${n(80, 140)} passed; 0 failed`),
      answer(`Three commits; \`${module}.rs\` is ${n(40, 60)} % shorter and no output changed.`),
      label("reviewable"),
    ],
  }),

  story({
    project: "tally",
    vary: {
      shell: ["zsh", "fish", "bash", "PowerShell"],
      what: ["project names", "dates", "all options"],
    },
    tags: ["docs", "cli"],
    tell: ({ shell, what }, n) => [
      user(`Completions for ${shell} should know ${what}. Now they only know the commands.`),
      bash("cargo run -q -- completions --help", "Usage: tally completions <SHELL>"),
      read("src/completions.rs", [
        "pub fn script(shell: Shell) -> String {",
        "    clap_complete::generate_to_string(shell, &mut cli())",
        "}",
      ]),
      say("clap knows what is fixed. For the rest the script has to ask us."),
      edit(
        "src/completions.rs",
        "    clap_complete::generate_to_string(shell, &mut cli())",
        '    clap_complete::env::script(shell, cli, "tally --complete")',
        n(8, 20),
      ),
      bash(
        "time target/release/tally --complete projects",
        `alpha\nbakery\nmuseum\n\nreal\t0m0.00${n(3, 9)}s`,
      ),
      answer(
        `${shell} completes ${what} in under 10 ms. How to install them stands in \`docs/completions.md\`:`,
        "",
        "```sh",
        "tally completions >> ~/.config/tally.completions",
        "```",
      ),
    ],
  }),
];
