import type { Random } from "./random.ts";

const ENGLISH = `the to a of and in is it that this for i we be on with not as you are have if but can so from
or at by an now let will all do when no what then there which was should need one new also out more only they
use just has up into any some first same like make see would than look how get here add check my your them been
good could other where why because still each two before after over very sure actually right run want fix
through does did back without change between really since way time work thing both already probably instead
maybe think might while most every want current simple seems once think problem both found keep try done next
last long again never always under until enough better around different part small whole clean issue left best
per case point place plan step reason sense idea question answer wrong correct thanks please sorry great nice
yes okay fine however therefore exactly clearly quickly slowly often rarely seldom together against during`;

const PROGRAMMING = `file code test function error type line string value class method return import module
session entry message index path parse tool output read write edit call data list user key name object array
config option default async await promise thread process server client request response query search token
model context cache buffer stream event handler state update delete create insert table column row schema
migration database transaction commit branch merge rebase diff patch build bundle compile deploy release version
package dependency library framework component render layout style theme button input form view page route
router middleware controller service worker queue job task schedule timer timeout retry limit rate page cursor
offset length count size byte char number boolean null undefined generic interface enum union tuple record map
set graph tree node leaf root parent child sibling edge weight depth stack heap memory leak garbage collector
pointer reference scope closure variable constant expression statement operator loop iterator generator
callback listener emitter observer signal effect hook plugin extension loader resolver factory builder adapter
wrapper proxy decorator visitor parser lexer tokenizer compiler linter formatter printer logger tracer profiler
debugger breakpoint assertion fixture mock stub snapshot coverage benchmark regression performance latency
throughput lock mutex semaphore deadlock race atomic volatile channel socket port host address protocol header
body payload cookie credential permission role policy secret hash digest signature cipher certificate encoding
unicode codepoint locale timezone timestamp duration interval terminal shell command argument flag environment
container image volume network cluster replica shard partition backup restore archive compress checksum`;

const CHINESE = `我们 需要 修改 文件 这个 函数 可以 然后 问题 代码 测试 一下 现在 如果 没有 就是 会话 消息 索引 数据 数据库
错误 处理 实现 使用 因为 所以 但是 应该 已经 检查 运行 结果 添加 删除 更新 搜索 查询 解析 缓存 性能 配置 接口 类型
返回 参数 变量 模块 目录 路径 日志 请求 响应 用户 系统 设计 方案 重构 优化 部署 版本 提交 分支 合并 冲突 依赖 构建 编译
调试 异常 超时 连接 线程 进程 内存 时间 字符 编码 中文 分词 全文 首先 其次 最后 请 帮 看 的 了 和 在 把 对 不 也 都`;
const HANZI =
  `一二三上下大小中多少前后左右内外新旧高低长短开关进出来去回到起落动静明暗水火土木金山石田光电声色
形体面点线角边圆方向位数量度重力热冷风云雨雪天地年月日时分秒人手心头目口耳足家门户国城市镇村路桥车船机器具
材料物品质性格式样法规则理论学习教育文字语言词句章书画音乐图表格单元节点树根枝叶花果种`.replace(/\s/g, "");

const JAPANESE = `ファイル コード テスト 関数 エラー 修正 確認 実行 変更 追加 削除 検索 更新 設定 結果 問題 処理 実装 必要
この その これ ください します です ました ません ので から まで という ために について セッション メッセージ データ
データベース インデックス キャッシュ ブランチ コミット 依存 構築 時間 文字 日本語 全文 まず 次に 最後に お願い 型 値 行 列`;
const KATAKANA =
  "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロガギグゲゴダデドバビブベボパピプペポン";

const RUSSIAN = `и в не на что это с как но для по мы из если то файл код тест ошибка функция нужно можно надо проверь
исправь добавь удали запусти почему когда где теперь только ещё уже потом сначала сессия сообщение индекс данные
база поиск строка значение время память поток запрос ответ ветка слияние сборка версия зависимость настройка
результат проблема решение спасибо пожалуйста работает сломалось медленно быстро снова всегда никогда`;

const LATIN_SYLLABLES = {
  onsets: "b c d f g h j k l m n p r s t v w z br ch dr fl gr pl sh st tr".split(" "),
  vowels: "a e i o u a e i o ai ea ou".split(" "),
  codas: ["", "", "", "", "l", "m", "n", "r", "s", "t", "st"],
};
const CYRILLIC_SYLLABLES = {
  onsets: "б в г д ж з к л м н п р с т ф х ч ш пр ст".split(" "),
  vowels: "а е и о у я ы".split(" "),
  codas: ["", "", "", "", "л", "м", "н", "р", "с", "т", "й"],
};

/** The words of all sessions of a root, most frequent first, to be drawn with `Random.zipf`. */
export interface Vocabulary {
  english: readonly string[];
  chinese: readonly string[];
  japanese: readonly string[];
  russian: readonly string[];
  identifiers: readonly string[];
  paths: readonly string[];
}

export function createVocabulary(random: Random): Vocabulary {
  const programming = split(PROGRAMMING);
  const english = extend(30_000, [...split(ENGLISH), ...programming], () =>
    createWord(random, LATIN_SYLLABLES),
  );
  // Names in code mostly consist of programming words.
  const part = () =>
    random.chance(0.75)
      ? (programming[random.zipf(programming.length)] as string)
      : (english[random.zipf(english.length)] as string);
  return {
    english,
    chinese: extend(6_000, split(CHINESE), () => repeat(random.between(2, 3), () => random.pick([...HANZI]))),
    japanese: extend(6_000, split(JAPANESE), () =>
      repeat(random.between(3, 5), () => random.pick([...KATAKANA])),
    ),
    russian: extend(8_000, split(RUSSIAN), () => createWord(random, CYRILLIC_SYLLABLES)),
    identifiers: extend(20_000, [], () => createIdentifier(random, part)),
    paths: extend(4_000, [], () => createPath(random, part)),
  };
}

/** A word for needles. No session contains it by chance: in the vocabularies, `q` only occurs before `u`. */
export function rareWord(random: Random): string {
  const syllable = (onset: string) => onset + random.pick([..."aeio"]) + random.pick([..."lnrst"]);
  return syllable("q") + repeat(3, () => syllable(random.pick([..."vzxq"])));
}

/** A phrase of five characters that do not occur in the Chinese vocabulary. */
export function rarePhrase(random: Random): string {
  return repeat(5, () => random.pick([..."鸢霁籁琥珀璇霭麒麟鹭芷蘅翡翠砚笺篆檀曦岚"]));
}

function split(words: string): string[] {
  return words.split(/\s+/);
}

function repeat(times: number, generate: () => string): string {
  return Array.from({ length: times }, generate).join("");
}

/** Returns `count` distinct words: the known ones, then generated ones. */
function extend(count: number, known: readonly string[], generate: () => string): string[] {
  const words = new Set(known);
  while (words.size < count) words.add(generate());
  return [...words];
}

function createWord(random: Random, { onsets, vowels, codas }: typeof LATIN_SYLLABLES): string {
  return repeat(random.between(2, 3), () => random.pick(onsets) + random.pick(vowels) + random.pick(codas));
}

function createIdentifier(random: Random, part: () => string): string {
  const parts = Array.from({ length: random.between(2, 4) }, part);
  const style = random.weighted({ camel: 50, pascal: 20, snake: 20, constant: 10 });
  if (style === "snake") return parts.join("_");
  if (style === "constant") return parts.join("_").toUpperCase();
  const pascal = parts.map(capitalize).join("");
  return style === "pascal" ? pascal : (parts[0] as string) + pascal.slice(parts[0]?.length);
}

function createPath(random: Random, part: () => string): string {
  const folders = Array.from({ length: random.between(0, 3) }, part);
  const top = random.pick(["src", "src", "lib", "test", "packages", "docs", "internal"]);
  const name = random.chance(0.5) ? `${part()}-${part()}` : part();
  return [
    top,
    ...folders,
    `${name}.${random.pick(["ts", "ts", "ts", "tsx", "py", "rs", "go", "md", "json"])}`,
  ].join("/");
}

export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
