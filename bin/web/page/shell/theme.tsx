/** The theme: light, dark, or that of the system. */
import { signal } from "@preact/signals";

const KEY = "pidex-theme";
const ICONS = { system: "◐", light: "☀", dark: "☾" };
const NEXT = { system: "light", light: "dark", dark: "system" } as const;

const stored = localStorage.getItem(KEY);
const theme = signal<keyof typeof NEXT>(stored === "light" || stored === "dark" ? stored : "system");

/** Applies the selected theme to the page. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset.theme;
  else dataset.theme = theme.value;
}

/** Cycles through the system's theme, light and dark. */
export function ThemeButton() {
  const current = theme.value;
  const choose = () => {
    theme.value = NEXT[current];
    if (NEXT[current] === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, NEXT[current]);
    applyTheme();
  };
  return (
    <button
      type="button"
      class="button button-plain theme-button"
      aria-label={`Theme: ${current}. Change to ${NEXT[current]}`}
      title={`Theme: ${current}`}
      onClick={choose}
    >
      <span aria-hidden="true">{ICONS[current]}</span>
    </button>
  );
}
