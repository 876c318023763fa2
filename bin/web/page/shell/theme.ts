/** Light or dark: as the system has it, unless somebody chose. */
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "pidex-theme";

export const theme = signal<Theme>(kept());

function kept(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

/** Has the page shown so, from now on. */
export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  applyTheme();
}

export function applyTheme(): void {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset.theme;
  else root.dataset.theme = theme.value;
}
