/** Light or dark: as the system has it, unless somebody chose. */
import { signal } from "@preact/signals";

const KEY = "pidex-theme";
const SIGNS = { system: "◐", light: "☀", dark: "☾" };
const NEXT = { system: "light", light: "dark", dark: "system" } as const;

const kept = localStorage.getItem(KEY);
const theme = signal<keyof typeof NEXT>(kept === "light" || kept === "dark" ? kept : "system");

/** Shows the page in the chosen theme, from now on. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset.theme;
  else dataset.theme = theme.value;
}

/** Changes between the system's theme, light and dark. */
export function ThemeButton() {
  const now = theme.value;
  const choose = () => {
    theme.value = NEXT[now];
    if (NEXT[now] === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, NEXT[now]);
    applyTheme();
  };
  return (
    <button
      type="button"
      class="button button-plain theme-button"
      aria-label={`Theme: ${now}. Change to ${NEXT[now]}`}
      title={`Theme: ${now}`}
      onClick={choose}
    >
      <span aria-hidden="true">{SIGNS[now]}</span>
    </button>
  );
}
