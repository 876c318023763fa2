/**
 * Where one was in each entry of the browser's history: how far it was scrolled, what was unfolded, where the focus was. Going
 * back or forward restores it, once what it was in is there again. The browser's own way gives up before answers have come.
 */
import { LimitedMap } from "./limited-map.ts";

/** Where one was. */
interface Place {
  /** Pixels from the top, by what is scrolled. */
  scrolled: Map<string, number>;
  /** What was folded or unfolded, by its words. */
  open: Map<string, boolean>;
  focus?: string;
  /** What views keep themselves. */
  kept: Map<string, unknown>;
}

/** Longer than answers take, in milliseconds; what has not come then is not waited for. */
const GIVE_UP_MS = 5000;
/** Entries of the history that are remembered. */
const MAX_PLACES = 100;

const places = new LimitedMap<string, Place>(MAX_PLACES);
/** What is to be restored, until it is, or somebody does something else. */
let restoring: Place | undefined;
let watched: MutationObserver | undefined;

/** Begins to keep places. Before anything else listens to `popstate`: what is drawn for it asks what to restore. */
export function keepPlaces(): void {
  history.scrollRestoration = "manual";
  addEventListener("popstate", () => restore(places.get(keyNow())));
  document.addEventListener(
    "scroll",
    ({ target }) => note(({ scrolled }) => noteScroll(scrolled, target)),
    true,
  );
  // A browser reports scrolling in its next frame, which may come after one has left.
  browserNavigation()?.addEventListener("navigate", () => note(({ scrolled }) => scrollsNow(scrolled)));
  document.addEventListener("focusin", ({ target }) =>
    note((place) => {
      if (target instanceof HTMLElement) place.focus = wordsFor(target);
    }),
  );
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && !target.closest(KEEPS_ITS_OWN))
        note(({ open }) => open.set(wordsFor(target), target.open));
    },
    true,
  );
  for (const act of ["wheel", "touchmove", "pointerdown", "keydown"])
    addEventListener(act, () => done(), { capture: true, passive: true });
}

/** Keeps something of a view for when one comes back to it. */
export function keepHere(name: string, value: unknown): void {
  note(({ kept }) => kept.set(name, value));
}

/** What a view kept that is come back to; undefined where one goes to it by a link. */
export function keptHere<T>(name: string): T | undefined {
  return restoring?.kept.get(name) as T | undefined;
}

/** What scrolls rows that come and go keeps its place by rows, and what is unfolded in them. */
const KEEPS_ITS_OWN = ".transcript-scroller";
const CAN_BE_FOCUSED = "a[href], button, summary, input, select, [tabindex]";

/** As much of the Navigation API as is used here; older browsers lack it. */
interface BrowserNavigation extends EventTarget {
  currentEntry?: { key: string } | null;
}

const browserNavigation = () => (window as { navigation?: BrowserNavigation }).navigation;

/** Which entry of the history is shown. Where the browser does not say, its address has to do. */
function keyNow(): string {
  return browserNavigation()?.currentEntry?.key ?? `${location.pathname}${location.search}`;
}

function note(change: (place: Place) => void): void {
  if (restoring) return; // what is on its way back is not what somebody did
  const key = keyNow();
  const place = places.get(key) ?? { scrolled: new Map(), open: new Map(), kept: new Map() };
  places.set(key, place);
  change(place);
}

function noteScroll(scrolled: Place["scrolled"], target: EventTarget | null): void {
  if (target === document) scrolled.set("", scrollY);
  else if (target instanceof HTMLElement && !target.matches(KEEPS_ITS_OWN))
    scrolled.set(`.${target.classList[0]}`, target.scrollTop);
}

function scrollsNow(scrolled: Place["scrolled"]): void {
  scrolled.set("", scrollY);
  for (const what of scrolled.keys()) {
    const scroller = what === "" ? undefined : document.querySelector(what);
    if (scroller) scrolled.set(what, scroller.scrollTop);
  }
}

function restore(place: Place | undefined): void {
  done();
  if (!place) return;
  restoring = { ...place, scrolled: new Map(place.scrolled), open: new Map(place.open) };
  const now = restoring;
  watched = new MutationObserver(() => tryAgain(now));
  watched.observe(document.body, { childList: true, subtree: true, attributes: true });
  requestAnimationFrame(() => tryAgain(now));
  setTimeout(() => restoring === now && done(), GIVE_UP_MS);
}

function done(): void {
  restoring = undefined;
  watched?.disconnect();
}

/** Restores what is there by now: again with all that comes, until somebody does something, or for some seconds. */
function tryAgain(place: Place): void {
  if (place !== restoring) return;
  for (const [words, isOpen] of place.open) {
    const details = all<HTMLDetailsElement>("details").find((one) => wordsFor(one) === words);
    if (!details) continue;
    details.open = isOpen;
    place.open.delete(words);
  }
  for (const [what, pixels] of place.scrolled) {
    const scroller = what === "" ? document.scrollingElement : document.querySelector(what);
    if (scroller) scroller.scrollTop = pixels; // and once more when something comes above it
  }
  const { focus } = place;
  const focused =
    focus === undefined ? undefined : all<HTMLElement>(CAN_BE_FOCUSED).find((one) => wordsFor(one) === focus);
  if (focused) {
    focused.focus({ preventScroll: true });
    delete place.focus;
  }
}

const all = <T extends Element>(what: string): T[] => [...document.querySelectorAll<T>(what)];

/** What tells an element from others, and is the same when it is drawn again. */
function wordsFor(element: HTMLElement): string {
  const { tagName, id } = element;
  if (element instanceof HTMLDetailsElement)
    return `DETAILS ${element.querySelector("summary")?.textContent ?? ""}`;
  const own = element.getAttribute("href") ?? (id || element.getAttribute("aria-label"));
  return `${tagName} ${own ?? element.textContent?.slice(0, 200) ?? ""}`;
}
