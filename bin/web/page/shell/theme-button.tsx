import { chooseTheme, type Theme, theme } from "./theme.ts";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const SIGNS: Record<Theme, string> = { system: "◐", light: "☀", dark: "☾" };

/** Changes between the system's theme, light and dark. */
export function ThemeButton() {
  const now = theme.value;
  return (
    <button
      type="button"
      class="button button-plain theme-button"
      aria-label={`Theme: ${now}. Change to ${NEXT[now]}`}
      title={`Theme: ${now}`}
      onClick={() => chooseTheme(NEXT[now])}
    >
      <span aria-hidden="true">{SIGNS[now]}</span>
    </button>
  );
}
