import type { Random } from "../random.ts";

export type Tongue = "technical" | "german" | "spanish" | "arabic" | "korean" | "thai" | "chinese";

interface Syllables {
  /** Number of distinct words. */
  words: number;
  /** Fewest and most syllables between the first and the last. */
  middle: readonly [number, number];
  first: readonly string[];
  inner: readonly string[];
  last: readonly string[];
}

const list = (text: string): string[] => text.trim().split(/\s+/);

const CHINESE = list(
  "汽 海 港 票 价 仓 库 订 单 客 服 药 医 院 诊 所 粮 油 茶 酒 肉 菜 鱼 鸟 马 牛 羊 船 账 税 银 款 存 取 借 贷 买 卖 租 赁 班 课 考 试 卷 签 证 护 照 航",
);
const KOREAN = list(
  "가 나 다 라 마 바 사 아 자 차 카 타 파 하 고 노 도 로 모 보 소 오 조 초 구 누 두 루 무 부 수 우 주 추 기 니 디 리 미 비 시 이 지 치 강 난 달 말 방 산 장 창",
);
const ARABIC = list("كا مد رس با حس نو في قر طا سم لي دا من عم شر جه خو زي تا هم وق صف");
const THAI = list("กา นา มา รา ลา สี ดี ที มี ปี คน งาน วัน เดือน บ้าน เมือง น้ำ ไฟ ลม ข้าว ปลา ทาง ใจ เสียง");

const SYLLABLES: Readonly<Record<Tongue, Syllables>> = {
  technical: {
    words: 12_000,
    middle: [0, 1],
    first: list("acro baro chrono dendro electro ferro geo hydro iso kilo lipo mega neuro opto photo quadro"),
    inner: list("phon graph therm morph plas lith stat gen dyn cycl path log nom troph pod blast"),
    last: list("meter scope ics ide ism ist oid ule ase ene ium ax ent ile ory ure ance ity"),
  },
  german: {
    words: 9000,
    middle: [0, 2],
    first: list("ver ge be ent über auf ab schl kr str zw fr gr pf unter zer rück vor hin schm"),
    inner: list("ei au ie ö ä ü mut land wert zeit haus bau teil kauf druck schrift fall stand"),
    last: list("ung heit keit lich tag stück zeug bar en er schaft nis sam tum maß"),
  },
  spanish: {
    words: 7000,
    middle: [0, 2],
    first: list("ca mi ro tor pla den sue gui her lla que ri sal ve zo des con pre tras"),
    inner: list("ta ri mo ne lu ca pi so da gue bra ci fo"),
    last: list("ción mente ado ar ir ero eza ble ía ñas jos dad illa ando"),
  },
  arabic: { words: 4000, middle: [0, 2], first: ["ال", "و", "ب", ...ARABIC], inner: ARABIC, last: ARABIC },
  korean: {
    words: 5000,
    middle: [0, 1],
    first: KOREAN,
    inner: KOREAN,
    last: list("를 은 에서 으로 이 다 요 까지"),
  },
  thai: { words: 3000, middle: [0, 2], first: THAI, inner: THAI, last: THAI },
  chinese: { words: 1200, middle: [0, 0], first: CHINESE, inner: CHINESE, last: CHINESE },
};

/** Scripts without spaces between words. */
export const UNSPACED: ReadonlySet<Tongue> = new Set(["thai", "chinese"]);

export type Words = Readonly<Record<Tongue, readonly string[]>>;

export function createWords(random: Random): Words {
  const tongues = Object.entries(SYLLABLES) as [Tongue, Syllables][];
  return Object.fromEntries(
    tongues.map(([tongue, syllables]) => [tongue, buildWords(random, syllables)]),
  ) as unknown as Words;
}

function buildWords(random: Random, { words, middle, first, inner, last }: Syllables): string[] {
  const built = new Set<string>();
  while (built.size < words) {
    const between = Array.from({ length: random.between(...middle) }, () => random.pick(inner));
    // Most words of these lists are longer than three syllables, so that there are enough of them.
    const extra = built.size > words / 8 ? random.pick(inner) : "";
    built.add([random.pick(first), ...between, first === CHINESE ? "" : extra, random.pick(last)].join(""));
  }
  return [...built];
}

/** A word that occurs once in a root. No two are similar, so that neither is suggested as a misspelling of the other. */
export function createUniqueWord(random: Random): string {
  return `wyx${Array.from({ length: 12 }, () => random.pick([..."bcdfghjklmnpqrstvwxzaeiou"])).join("")}`;
}

/** Five Chinese characters that are in no word above. */
export function createUniquePhrase(random: Random): string {
  return Array.from({ length: 5 }, () => random.pick([..."鼹鼬鳄鲸鹦鹉骆驼犀鸵鹈鹕"])).join("");
}
