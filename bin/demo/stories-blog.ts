/** Work on a blog engine. */
import {
  answer,
  back,
  bash,
  edit,
  failing,
  grep,
  label,
  mark,
  model,
  read,
  say,
  shell,
  story,
  think,
  user,
  write,
} from "./telling.ts";

export const BLOG = [
  story({
    project: "blog",
    vary: {
      feed: ["Atom feed", "RSS feed", "JSON feed", "sitemap"],
      trouble: ["shows yesterday's date", "lists drafts", "repeats old posts", "is not valid"],
    },
    tags: ["bug", "feeds"],
    tell: ({ feed, trouble }, n) => [
      user(`The ${feed} ${trouble}. A reader sent me a screenshot. What is wrong?`),
      failing("go test ./feed/...", [
        "--- FAIL: TestDates (0.00s)",
        "    feed_test.go:41: got 2026-03-28T23:00:00Z, want 2026-03-29T00:00:00+01:00",
        "FAIL",
      ]),
      read("feed/feed.go", [
        "func entryOf(post Post) Entry {",
        '\tday, _ := time.Parse("2006-01-02", post.Date)',
        "\treturn Entry{Updated: day.UTC(), Draft: false}",
        "}",
      ]),
      think(
        "time.Parse gives UTC where the layout has no zone; the post's date is meant in the author's zone. And the error is dropped.",
      ),
      edit(
        "feed/feed.go",
        '\tday, _ := time.Parse("2006-01-02", post.Date)',
        [
          '\tday, err := time.ParseInLocation("2006-01-02", post.Date, site.Location)',
          "\tif err != nil {",
          '\t\treturn Entry{}, fmt.Errorf("%s: %w", post.Path, err)',
          "\t}",
        ],
        n(20, 60),
      ),
      bash("go test ./...", `ok  \tblog/feed\t0.0${n(11, 90)}s\nok  \tblog/render\t0.${n(110, 400)}s`),
      answer(
        `The ${feed} took dates as UTC; they are now in the site's zone, and a date that can't be read stops the build with the post's path.`,
        "",
        "Readers will see entries of the last weeks as updated once.",
      ),
    ],
  }),

  story({
    project: "blog",
    vary: {
      what: ["syntax highlighting", "footnotes", "tables of contents", "image captions", "math"],
      how: ["at build time", "without JavaScript", "in the feed, too"],
    },
    name: ({ what, how }) => `Add ${what} ${how}`,
    tags: ["feature"],
    tell: ({ what, how }, n) => [
      user(`I want ${what} ${how}. Which library, and what does it cost in build time?`),
      bash("go test -bench Render -benchmem ./render", [
        `BenchmarkRender-8   ${n(300, 900)}   ${n(1, 3)}.4 ms/op   812 kB/op`,
        "PASS",
      ]),
      answer(
        "Two candidates:",
        "",
        "| | size | build of 400 posts |",
        "| --- | ---: | ---: |",
        `| goldmark extension | 40 kB | +${n(90, 200)} ms |`,
        `| a parser of our own | 6 kB | +${n(20, 80)} ms |`,
        "",
        "I would take the extension: it is tested by others.",
      ),
      mark("choice"),
      user("Try our own first, I don't like the dependency."),
      write("render/own.go", [
        "package render",
        "",
        "// Extra renders what plain Markdown has no syntax for.",
        "func Extra(source []byte) []byte { return walk(source, rules) }",
      ]),
      failing("go test ./render", [
        "--- FAIL: TestNested (0.00s)",
        "    render_test.go:88: a list within a quote loses its second item",
        "FAIL",
      ]),
      answer(
        "Nesting is where it gets long: lists within quotes, code within lists. That is a week of work.",
      ),
      label("own parser: no"),
      back(
        "choice",
        "## Tried",
        "A parser of our own: nesting (lists within quotes) fails and is much work.",
      ),
      user("Fine, the extension then."),
      edit(
        "render/markdown.go",
        "goldmark.New()",
        "goldmark.New(goldmark.WithExtensions(extras...))",
        n(12, 40),
      ),
      bash(
        "go test ./... && go build && ./blog build --time",
        `ok  \tblog/render\nbuilt ${n(380, 430)} posts in ${n(500, 900)} ms`,
      ),
      answer(
        `${what[0]?.toUpperCase()}${what.slice(1)} ${how}: done, with goldmark's extension. Old posts render byte for byte as before; I compared all of them.`,
      ),
    ],
  }),

  story({
    project: "blog",
    vary: {
      branch: ["feature/search-box", "fix/slugs", "feature/themes", "chore/go-1.26", "feature/webmentions"],
      focus: ["correctness", "tests", "what breaks for users"],
    },
    tags: ["review"],
    tell: ({ branch, focus }, n) => [
      user(`Review the branch ${branch}. Look at ${focus} above all.`),
      bash(`git diff --stat main...${branch}`, [
        ` render/page.go   | ${n(12, 80)} +++---`,
        ` slug/slug.go     | ${n(8, 40)} ++--`,
        " 2 files changed",
      ]),
      bash(`git diff main...${branch} -- slug/slug.go`, [
        "-\treturn strings.ToLower(title)",
        "+\treturn strings.ToLower(norm.NFKD.String(title))",
      ]),
      think(
        "NFKD splits umlauts into letter and mark; the mark is then dropped or kept? If dropped, slugs of existing posts change and links break.",
      ),
      grep("Slug\\(", ".", [
        "render/page.go:31:\tpath := Slug(post.Title)",
        "feed/feed.go:12:\tid := Slug(post.Title)",
      ]),
      answer(
        "Three findings, the first of which I would not merge:",
        "",
        "1. **Links break.** `Slug` changes for every title with an umlaut. Keep the old slug where a post has been published.",
        "2. `Slug` is called twice per post; the feed's id should be stored, not made.",
        "3. No test has a title that is only emoji: the slug is empty and the page overwrites the index.",
        "",
        "The rest is fine; the names are good.",
      ),
      user("Fix 1 and 3 on the branch."),
      edit(
        "slug/slug.go",
        "\treturn strings.ToLower(norm.NFKD.String(title))",
        ['\tif post.Slug != "" {', "\t\treturn post.Slug", "\t}", "\treturn orID(fold(title), post.ID)"],
        n(8, 20),
      ),
      bash("go test ./slug", `ok  \tblog/slug\t0.0${n(10, 60)}s`),
      answer("Both are pushed, each in a commit of its own with a test that failed before."),
    ],
  }),

  story({
    project: "blog",
    vary: {
      version: ["2.4.0", "2.4.1", "2.5.0", "2.6.0", "3.0.0-beta.1"],
      target: ["for all platforms", "with signed binaries", "and the Docker image"],
    },
    name: ({ version, target }) => `Release ${version} ${target}`,
    tags: ["release"],
    tell: ({ version, target }, n) => [
      user(`Release ${version} ${target}. Changelog from the commits, but written for people.`),
      bash("git log --oneline $(git describe --tags --abbrev=0)..HEAD", [
        "a81f2c3 feed: dates in the site's zone",
        "5d20be1 render: footnotes",
        "0c97aa4 serve: reload on template changes",
      ]),
      edit(
        "CHANGELOG.md",
        "# Changelog",
        [
          "# Changelog",
          "",
          `## ${version}`,
          "",
          "- Feeds have dates in the zone of the site.",
          "- Footnotes.",
          "- `blog serve` reloads when a template changes.",
        ],
        1,
      ),
      failing("goreleaser release --clean", [
        "• building binaries",
        "⨯ release failed: git is in a dirty state",
        "  M CHANGELOG.md",
      ]),
      say("The changelog is not committed yet, of course."),
      shell(
        `git commit -am 'Release ${version}' && git tag v${version}`,
        `[main ${n(100000, 999999)}a] Release ${version}`,
      ),
      model("haiku"),
      user("now again"),
      bash("goreleaser release --clean", [
        `• published ${n(8, 14)} artifacts`,
        `• release succeeded after ${n(40, 95)}s`,
      ]),
      answer(
        `${version} is out. The checksums are signed, and \`blog version\` of the Linux binary says ${version}.`,
      ),
      label(`v${version}`),
    ],
  }),
];
