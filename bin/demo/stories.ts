/** All stories of the demo. The first is what the newest session tells. */
import { BLOG } from "./stories-blog.ts";
import { INFRA } from "./stories-infra.ts";
import { LANGUAGES } from "./stories-languages.ts";
import { LANTERNS } from "./stories-lanterns.ts";
import { NOTEBOOKS } from "./stories-notebooks.ts";
import { SHOP } from "./stories-shop.ts";
import { TALLY } from "./stories-tally.ts";
import type { Story } from "./telling.ts";

/** One of each project after another, so that no list begins with one project alone. */
export const STORIES: readonly Story[] = inTurn([SHOP, BLOG, INFRA, TALLY, NOTEBOOKS, LANTERNS, LANGUAGES]);

function inTurn(rooms: readonly Story[][]): Story[] {
  const longest = Math.max(...rooms.map((room) => room.length));
  return Array.from({ length: longest }, (_, turn) => rooms.flatMap((room) => room[turn] ?? [])).flat();
}
