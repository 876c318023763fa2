/** The theme: light, dark, or that of the system. */
import { signal } from "@preact/signals";

const KEY = "pidex-theme";
const ICONS = { system: "◐", light: "☀", dark: "☾" };
export type Theme = keyof typeof ICONS;

const stored = localStorage.getItem(KEY);
const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

/** Applies the selected theme to the page. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset.theme;
  else dataset.theme = theme.value;
}

export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  applyTheme();
}

/** The theme that the button changes to: from the system's to the one that looks different, then to the other, and back. */
function getNextTheme(current: Theme): Theme {
  const [own, other] = matchMedia("(prefers-color-scheme: dark)").matches
    ? (["dark", "light"] as const)
    : (["light", "dark"] as const);
  if (current === "system") return other;
  return current === other ? own : "system";
}

/** Cycles through the system's theme, light and dark. */
export function ThemeButton() {
  const current = theme.value;
  const next = getNextTheme(current);
  return (
    <button
      type="button"
      class="button button-plain theme-button"
      aria-label={`Theme: ${current}. Change to ${next}`}
      title={`Theme: ${current}`}
      onClick={() => setTheme(getNextTheme(current))} // the system's may have changed since it was rendered
    >
      <span aria-hidden="true">{ICONS[current]}</span>
    </button>
  );
}
