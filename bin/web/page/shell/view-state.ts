/**
 * The scroll positions, expanded elements and focus of each entry in the browser's history. Going back or forward restores them
 * as soon as the content has loaded again. The browser's own restoration gives up before responses arrive.
 */
import { LimitedMap } from "./limited-map.ts";

/** The saved state of a history entry. */
interface Place {
  /** `scrollTop` by selector; "" is the document. */
  scrolled: Map<string, number>;
  /** Whether `<details>` elements are open, by `elementKey`. */
  open: Map<string, boolean>;
  focus?: string;
  /** State saved by views. */
  kept: Map<string, unknown>;
}

/** Time after which content that has not loaded is no longer restored. */
const RESTORE_LIMIT_MS = 5000;
/** Maximum number of history entries. */
const MAX_PLACES = 100;

const places = new LimitedMap<string, Place>(MAX_PLACES);
/** The state being restored, until done or until the user acts. */
let restoring: Place | undefined;
let observer: MutationObserver | undefined;

/** Starts saving and restoring. Call it before other `popstate` listeners, whose views read the restored state. */
export function trackViewState(): void {
  history.scrollRestoration = "manual";
  addEventListener("popstate", () => restore(places.get(historyKey())));
  document.addEventListener("scroll", ({ target }) => update((place) => saveScrolls(place, target)), true);
  // Browsers report scrolling in the next frame, which may be after the navigation.
  window.navigation?.addEventListener("navigate", () => update(saveScrolls));
  document.addEventListener("focusin", ({ target }) =>
    update((place) => {
      if (target instanceof HTMLElement) place.focus = elementKey(target);
    }),
  );
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && !target.closest(SAVES_ITSELF))
        update(({ open }) => open.set(elementKey(target), target.open));
    },
    true,
  );
  for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
    addEventListener(type, () => stopRestoring(), { capture: true, passive: true });
}

/** Saves state of a view with the current history entry. */
export function saveViewState(name: string, value: unknown): void {
  update(({ kept }) => kept.set(name, value));
}

/** The state that a view saved, while going back or forward to it; otherwise undefined. */
export function getRestoredState<T>(name: string): T | undefined {
  return restoring?.kept.get(name) as T | undefined;
}

/** A virtual list saves its own position and expanded rows. */
const SAVES_ITSELF = ".transcript-scroller";
const FOCUSABLE = "a[href], button, summary, input, select, [tabindex]";

/** The key of the current history entry, or its address in browsers without the Navigation API. */
function historyKey(): string {
  return window.navigation?.currentEntry?.key ?? `${location.pathname}${location.search}`;
}

function update(change: (place: Place) => void): void {
  if (restoring) return; // restoring is not a user action
  const key = historyKey();
  const place = places.get(key) ?? { scrolled: new Map([["", 0]]), open: new Map(), kept: new Map() };
  places.set(key, place);
  change(place);
}

/** Saves the positions of the document and of what was scrolled before, or just now. */
function saveScrolls({ scrolled }: Place, target?: EventTarget | null): void {
  if (target instanceof HTMLElement && !target.matches(SAVES_ITSELF))
    scrolled.set(`.${target.classList[0]}`, target.scrollTop);
  for (const selector of scrolled.keys()) {
    const scroller = findScroller(selector);
    if (scroller) scrolled.set(selector, scroller.scrollTop);
  }
}

function findScroller(selector: string): Element | null {
  return selector === "" ? document.scrollingElement : document.querySelector(selector);
}

function restore(place: Place | undefined): void {
  stopRestoring();
  if (!place) return;
  restoring = { ...place, scrolled: new Map(place.scrolled), open: new Map(place.open) };
  const state = restoring;
  observer = new MutationObserver(() => restoreLoaded(state));
  observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  requestAnimationFrame(() => restoreLoaded(state));
  setTimeout(() => restoring === state && stopRestoring(), RESTORE_LIMIT_MS);
}

function stopRestoring(): void {
  restoring = undefined;
  observer?.disconnect();
}

/** Restores what has loaded by now. Called again as the page changes, until the user acts or the time limit. */
function restoreLoaded(place: Place): void {
  if (place !== restoring) return;
  for (const [key, isOpen] of place.open) {
    const details = all<HTMLDetailsElement>("details").find((element) => elementKey(element) === key);
    if (!details) continue;
    details.open = isOpen;
    place.open.delete(key);
  }
  for (const [selector, pixels] of place.scrolled) {
    const scroller = findScroller(selector);
    if (scroller) scroller.scrollTop = pixels; // repeated when content appears above it
  }
  const { focus } = place;
  const focused =
    focus !== undefined && all<HTMLElement>(FOCUSABLE).find((element) => elementKey(element) === focus);
  if (focused) {
    focused.focus({ preventScroll: true });
    delete place.focus;
  }
}

const all = <T extends Element>(selector: string): T[] => [...document.querySelectorAll<T>(selector)];

/** Identifies an element across renders. */
function elementKey(element: HTMLElement): string {
  const { tagName, id } = element;
  if (element instanceof HTMLDetailsElement)
    return `DETAILS ${element.querySelector("summary")?.textContent ?? ""}`;
  const own = element.getAttribute("href") ?? (id || element.getAttribute("aria-label"));
  return `${tagName} ${own ?? element.textContent?.slice(0, 200) ?? ""}`;
}
