// Light or dark, as the agent's looks or the page say.

/** Whether the page is dark by what its style sheets say of it. */
export function isPageDark(): boolean {
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return /dark/.test(scheme) && (!/light/.test(scheme) || matchMedia("(prefers-color-scheme:dark)").matches);
}

export const isDark = (theme?: string): boolean => theme === "dark" || (theme === "page" && isPageDark());
