import fc from "fast-check";

/** Pieces of text that sessions contain, and invalid ones. */
const PIECES = [
  ..."aBcé9ñªº¹",
  ...[
    "parseSession",
    "HTTPServer",
    "readLines",
    "snake_case",
    "i++",
    "C++",
    "C#",
    "v2Ray",
    "Straße",
    "ﬁn",
    "ＡＢ",
  ],
  ...["e\u0301", "addCafe\u0301", "é\u0323", "ο\u0301δος", "ΆΈ", "ё", "е\u0308", "й", "и\u0306", "Ж"],
  ...["数", "数据", "据库", "𠮷", "々", "の", "が", "か\u3099", "ｶﾞ", "ー", "ﾞ"],
  ...["한", "국어", "\u1112\u1161\u11ab", "ㅋ", "ไทย", "นำ", "กิ่", "ខ្មែរ", "မြန်မာ"],
  ...["🎉", "👩\u200d💻", "👍🏽", "✅", "❤\ufe0f", "🇺🇦", "🇩", "1\ufe0f\u20e3", "©", "→", "✓", "🤖"],
  ...["مُحَمَّد", "كـتاب", "אָב", "हिन्दी", "क्\u200dष"],
  ...[" ", " ", " ", "\n", "\t", ".", "/", "_", "-", "+", "#", "=", "(", '"', "—", "，", "│", "₿", "\u00a0"],
  ...[
    "\0",
    "\u0007",
    "\ue000",
    "\uf8ff",
    "\u{f0041}",
    "\ud83d",
    "\udc00",
    "\u0301",
    "\u200b",
    "\u00ad",
    "\ufeff",
  ],
];

const data = fc.oneof(
  fc.constantFrom("ab/", "A", "é", "数").map((piece) => piece.repeat(90)),
  fc.nat(300).map((length) => "x/".repeat(length)),
);

/** Text in many scripts, with identifiers, emoji, data, private-use characters, and lone surrogates. */
export const anyText = fc
  .array(
    fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: data },
      { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));
