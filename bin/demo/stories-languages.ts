/** Work that is talked of in Chinese, Japanese and German. */
import {
  answer,
  bash,
  edit,
  failing,
  grep,
  label,
  model,
  read,
  story,
  think,
  user,
  write,
} from "./telling.ts";

export const LANGUAGES = [
  story({
    project: "书店",
    vary: {
      what: ["书名", "作者", "出版社", "ISBN"],
      trouble: ["两个字要等三秒", "搜不到繁体字", "结果顺序不对", "全角字母搜不到"],
    },
    name: ({ what, trouble }) => `检索${what}:${trouble}`,
    tags: ["检索", "bug"],
    tell: ({ what, trouble }, n) => [
      user(`按${what}检索有问题:${trouble}。请先找出原因,再说怎么改。`),
      bash("psql books -c \"explain analyze select * from books where title like '%红楼%'\"", [
        "Seq Scan on books",
        `  Rows Removed by Filter: ${n(180_000, 420_000)}`,
        `Execution Time: ${n(1900, 3400)}.412 ms`,
      ]),
      think("like '%…%' 用不上 B-tree 索引。两个字也不够 trigram。需要二元分词的全文索引。"),
      read("src/检索.ts", [
        "const 查询 = 'select * from books where title like $1';",
        "export const 检索 = (词: string) => db.query(查询, ['%' + 词 + '%']);",
      ]),
      edit("src/检索.ts", "where title like $1", "where 词条 @@ 二元($1)", 1),
      failing("npm test", [
        "FAIL tests/检索.test.ts > 单个字也能找到",
        "AssertionError: expected 0 to be 12",
      ]),
      edit("src/检索.ts", "二元($1)", "二元或前缀($1)", 1),
      bash("npm test", ` Tests  ${n(60, 120)} passed`),
      answer(
        "原因:`like '%词%'` 每次都要扫描整张表。",
        "",
        "改法:",
        "",
        "1. 写入时按二元切分,存入 `词条`",
        "2. 检索时同样切分;单个字按前缀找",
        "3. 繁体、全角先规范化(NFKC)",
        "",
        `现在平均 ${n(6, 30)} 毫秒。`,
      ),
      label("已修复"),
    ],
    fork: ({ what, trouble }, n) => ({
      name: `检索排序:${what}优先(${trouble})`,
      steps: [
        user("顺序呢?完全相同的书名应该排在最前面。"),
        edit("src/检索.ts", "order by id", "order by (title = $1) desc, 相关度 desc", 6),
        bash("npm test", ` Tests  ${n(60, 120)} passed`),
        answer("完全相同的排第一,其余按相关度。"),
      ],
    }),
  }),

  story({
    project: "书店",
    vary: {
      order: ["订单", "发票", "退货单", "对账单"],
      trouble: ["日期差一天", "金额多一分钱", "重复生成", "编号不连续"],
    },
    tags: ["订单"],
    tell: ({ order, trouble }, n) => [
      user(`${order}${trouble},从上周开始。客服每天都收到投诉,请查一下。`),
      grep(
        "new Date\\(",
        "src",
        "src/时间.ts:4:export const 今天 = () => new Date().toISOString().slice(0, 10);",
      ),
      think("toISOString 是 UTC。北京时间早上八点以前,日期就是昨天。"),
      failing("TZ=Asia/Shanghai npm test", [
        "FAIL tests/时间.test.ts > 早上七点也是今天",
        "AssertionError: expected '2026-05-11' to be '2026-05-12'",
      ]),
      edit("src/时间.ts", "new Date().toISOString().slice(0, 10)", "日期格式.format(new Date())", 4),
      bash("TZ=Asia/Shanghai npm test", ` Tests  ${n(60, 120)} passed`),
      model("glm"),
      user("已经错的怎么办?"),
      write("scripts/更正.sql", [
        "update orders set 日期 = 日期 + 1",
        "where created_at::time < '08:00' and created_at > now() - interval '7 days';",
      ]),
      answer(
        `原因是按 UTC 取日期。已改为北京时间;受影响的${order}有 ${n(20, 90)} 张,更正脚本在 \`scripts/更正.sql\`,请确认后再执行。`,
      ),
    ],
  }),

  story({
    project: "书店",
    vary: {
      page: ["検索ページ", "注文履歴", "カート", "会員登録"],
      trouble: ["文字化けする", "表示が遅い", "スマホで崩れる", "戻ると入力が消える"],
    },
    tags: ["日本語"],
    tell: ({ page, trouble }, n) => [
      user(`日本語版の${page}で${trouble}と報告がありました。原因を調べてください。`),
      bash("grep -c . locales/ja.json", String(n(180, 420))),
      read("src/ページ.ts", ["response.setHeader('Content-Type', 'text/html');", "response.end(html);"]),
      think("charset が指定されていない。ブラウザが推測するので、環境によって結果が変わる。"),
      edit("src/ページ.ts", "'text/html'", "'text/html; charset=utf-8'", 1),
      failing(
        "npx playwright test --project ja",
        `  1 failed, ${n(10, 30)} passed\n  Error: 半角カナ「ｶｰﾄ」が見つかりません`,
      ),
      edit("src/ページ.ts", "response.end(html);", "response.end(html.normalize('NFKC'));", 2),
      bash("npx playwright test --project ja", `  ${n(12, 31)} passed`),
      answer(
        `${page}の問題を直しました。`,
        "",
        "- `charset=utf-8` を明示",
        "- 半角カナは全角に正規化",
        "",
        "テストも追加しました。",
      ),
    ],
  }),

  story({
    project: "buchhaltung",
    vary: {
      wer: ["Skonto", "Anzahlungen", "Gutschriften", "Auslandsrechnungen"],
      was: [
        "wird die Umsatzsteuer doppelt gerechnet",
        "fehlt ein Cent",
        "stimmt das Konto nicht",
        "ist der Steuersatz falsch",
      ],
    },
    tags: ["umsatzsteuer"],
    tell: ({ wer, was }, n) => [
      user(
        `Bei ${wer} ${was}. Der Steuerberater hat es gemerkt. Bitte finde die Ursache, bevor du etwas änderst.`,
      ),
      failing("pytest -q tests/test_steuer.py", [
        "E       AssertionError: Decimal('141.61') != Decimal('119.00')",
        `1 failed, ${n(30, 80)} passed`,
      ]),
      read("buchen/steuer.py", [
        "def brutto(netto, satz):",
        "    return round(float(netto) * (1 + satz), 2)",
      ]),
      think(
        "float und round: 1.005 wird 1.0. Und brutto wird auf einen Betrag angewandt, der schon brutto ist.",
      ),
      edit(
        "buchen/steuer.py",
        "    return round(float(netto) * (1 + satz), 2)",
        "    return (netto * (1 + satz)).quantize(CENT, ROUND_HALF_UP)",
        2,
      ),
      edit(
        "buchen/belege.py",
        "betrag = brutto(brutto(netto, satz), satz)",
        "betrag = brutto(netto, satz)",
        n(20, 70),
      ),
      bash("pytest -q", `${n(90, 160)} passed in ${n(2, 7)}.${n(10, 99)}s`),
      answer(
        "Zwei Ursachen:",
        "",
        "1. **Doppelt**: `belege.py` rechnete die Steuer auf einen Betrag, der sie schon enthielt.",
        "2. **Rundung**: mit `float` wird aus 1,005 nicht 1,01, sondern 1,00. Jetzt `Decimal`, kaufmännisch gerundet.",
        "",
        `Betroffen sind ${n(5, 40)} Belege; die Liste liegt in \`tmp/betroffen.csv\`.`,
      ),
    ],
  }),

  story({
    project: "buchhaltung",
    vary: {
      jahr: ["2024", "2025", "das erste Quartal", "das Rumpfgeschäftsjahr"],
      was: [
        "Umlaute sind kaputt",
        "die Summe weicht ab",
        "ein Konto ist unbekannt",
        "die Datei wird abgelehnt",
      ],
    },
    name: ({ jahr, was }) => `DATEV-Export für ${jahr}: ${was}`,
    tags: ["datev", "export"],
    tell: ({ jahr, was }, n) => [
      user(`Der DATEV-Export für ${jahr}: ${was}. Was ist los?`),
      bash(
        "python -m datev export --jahr aktuell | file -",
        "/dev/stdin: Unicode text, UTF-8 text, with CRLF line terminators",
      ),
      grep("encoding=", "datev", "datev/schreiben.py:9:    with open(pfad, 'w', encoding='utf-8') as datei:"),
      edit("datev/schreiben.py", "encoding='utf-8'", "encoding='cp1252', errors='strict'", 9),
      failing(
        "python -m datev export --jahr aktuell",
        "UnicodeEncodeError: 'charmap' codec can't encode character '\\u010d' in position 61",
      ),
      think("č gibt es in cp1252 nicht. Der Buchungstext darf umschrieben werden, der Name im Beleg bleibt."),
      write("datev/zeichen.py", [
        "def umschreiben(text: str) -> str:",
        "    return unicodedata.normalize('NFKD', text).encode('cp1252', 'ignore').decode('cp1252')",
      ]),
      bash(
        "python -m datev export --jahr aktuell && python -m datev pruefen",
        `${n(800, 2400)} Buchungen, 0 Fehler`,
      ),
      answer(
        "Der Import erwartet Windows-1252, wir schrieben UTF-8. Zeichen, die es dort nicht gibt, werden im Buchungstext umschrieben (č → c).",
      ),
      label("geprüft"),
    ],
  }),
];
