/** Sessions in languages other than English. */
import type { CreateStory, StorySession } from "./story-session.ts";

export function languageStories(createStory: CreateStory): StorySession[] {
  return [
    ...chinese(createStory),
    ...japanese(createStory),
    createStory("voron", "pipeline", "2026-03-03T12:12:12")
      .user("Воркер к вечеру съедает всю память. Похоже на утечку, но где?")
      .run("node scripts/diff-heaps.js 1 2", "+ 9120  Timeout\n+ 9120  Socket")
      .say(
        "Утечка памяти в пуле соединений: таймер закрытия ставится, но при повторном использовании сокета не снимается. Поэтому воркер держит девять тысяч сокетов.",
      )
      .edit("src/pool.ts", "pool.push(socket)", "clearTimeout(socket.closing); pool.push(socket)")
      .chores(3)
      .say("После шести часов — 300 МБ, как утром."),
    createStory("tonos", "kit", "2025-11-05T09:30:00")
      .user("Η αναζήτηση δεν βρίσκει λέξεις χωρίς τόνους: «καφές» ναι, «καφες» όχι.")
      .say("Θέλει κανονικοποίηση: NFD, και μετά φεύγουν τα σημάδια. Τα τελικά σίγμα γίνονται σ.")
      .edit(
        "src/fold.ts",
        "text.toLowerCase()",
        "text.normalize('NFD').replace(/\\p{M}/gu, '').toLowerCase()",
      )
      .chores(2)
      .run("npx vitest run src/fold", "✓ καφες βρίσκει καφές\nTests  8 passed (8)"),
  ];
}

const chinese = (createStory: CreateStory): StorySession[] => [
  createStory("zh-bom", "manual", "2026-02-11T02:20:00")
    .user("导出的 CSV 用 Excel 打开全是乱码，用编辑器看却是好的。")
    .run("head -c 6 export.csv | xxd", "00000000: e5a7 93e5 908d")
    .say(
      "文件是 UTF-8，但开头没有 BOM，Excel 就按 GBK 去猜，于是出现乱码。写文件时在最前面加上 EF BB BF 即可。",
    )
    .edit("src/export.ts", "stream.write(header)", "stream.write('\\ufeff' + header)")
    .chores(2)
    .say("Windows 和 Mac 上的 Excel 都正常了。"),
  createStory("zh-fallback", "manual", "2025-08-19T03:10:00")
    .user("台湾用户看到的是英文界面，明明有繁体翻译。")
    .read("src/i18n/fallback.ts", 'export const fallback = { "zh-TW": "en", "zh-CN": "zh-Hans" };')
    .say(
      "zh-TW 的回退写成了 en，所以繁体根本没有用上。应该先回退到 zh-Hant，再到 zh-Hans，最后才是英文。香港和澳门同理。",
    )
    .edit("src/i18n/fallback.ts", '"zh-TW": "en"', '"zh-TW": "zh-Hant"')
    .chores(3)
    .say("繁体界面恢复了。"),
  createStory("zh-crash", "manual", "2026-05-20T07:00:00")
    .user("小程序在旧安卓机上一打开就闪退，新机没事。")
    .run(
      "adb logcat | grep -i fatal",
      "E AndroidRuntime: FATAL EXCEPTION: main\nE AndroidRuntime: java.lang.OutOfMemoryError",
    )
    .say("首页一次解码了六十张原图，旧机只有 1 GB 内存，所以闪退。改成缩略图，滚动到才加载。")
    .edit("src/pages/home.js", "images.map(decode)", "images.map(thumbnail)")
    .chores(2)
    .say("三台旧机各开二十次，没有再闪退。"),
  createStory("zh-lock", "manual", "2026-09-10T06:06:00")
    .user("昨晚加字段的时候整张表锁了十分钟，订单全部超时。")
    .say(
      "MySQL 5.7 给大表加带默认值的字段会重建整张表，期间写入都在等待。用 gh-ost 在影子表上改，最后切换只要几毫秒。",
    )
    .run(
      "gh-ost --table=orders --alter='add column vip tinyint' --execute",
      "# Done migrating `shop`.`orders`",
    )
    .chores(2)
    .say("影子表同步了四十分钟，切换时没有订单超时。"),
];

const japanese = (createStory: CreateStory): StorySession[] => [
  createStory("ja-mojibake", "pipeline", "2025-09-03T01:15:00")
    .user("取引先から届くファイルを読むと文字化けします。先月までは大丈夫でした。")
    .run("file -i orders.csv", "orders.csv: text/plain; charset=unknown-8bit")
    .say(
      "中身は Shift_JIS です。先月から先方が「髙」や「①」を使い始めたので、文字化けが目立つようになりました。CP932 として読めば直ります。",
    )
    .edit("src/orders/read.ts", "decode('utf-8')", "decode('windows-31j')")
    .chores(2)
    .say("三か月分を読み直して、化けた行はゼロでした。"),
  createStory("ja-closing", "ledger", "2026-03-31T08:45:00")
    .user("月末の締め処理が日付をまたぐと二重に計上されます。")
    .say(
      "締め処理の途中で日付が変わると、後半の伝票が翌月として読まれ、翌月の処理でもう一度計上されます。基準日を最初に一度だけ決めて渡しましょう。",
    )
    .edit("src/closing/run.ts", "new Date()", "closingDate")
    .chores(3)
    .say("二重計上は再現しなくなりました。"),
  createStory("ja-permission", "manual", "2026-06-09T04:30:00")
    .user(
      "バックアップが毎晩失敗します。ログにはこれだけです:\n\nエラー: ファイルを開けませんでした (アクセスが拒否されました)",
    )
    .run("ls -l /var/backup", "drwxr-x--- 2 root root 4096 backup")
    .say(
      "バックアップ用の利用者がグループから外れています。先週の更新で作り直されたためです。グループに戻せば開けます。",
    )
    .chores(2)
    .say("今夜の分は成功しました。"),
];
