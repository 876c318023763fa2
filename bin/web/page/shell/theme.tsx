/** The theme: light, dark, or that of the system. */
import { signal } from "@preact/signals";

const KEY = "pidex-theme";
export type Theme = "system" | "light" | "dark";

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
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {current === "system" && (
          <>
            <circle cx="8" cy="8" r="6" />
            <path class="theme-dark-side" d="M8 2a6 6 0 0 1 0 12z" />
          </>
        )}
        {current === "light" && (
          <>
            <circle cx="8" cy="8" r="3" />
            <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1" />
          </>
        )}
        {current === "dark" && <path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z" />}
      </svg>
    </button>
  );
}
