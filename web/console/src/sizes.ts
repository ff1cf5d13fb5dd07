/** A size in bytes, as in "8.1 MB" or "61 bytes". */
export function formatSize(bytes: number, locale: string): string {
  const names = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const at = Math.min(names.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  // The short form of bytes is a word that has no plural.
  const unitDisplay = at === 0 ? "long" : "short";
  const style = { style: "unit", unit: names[at], unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, style).format(bytes / 1000 ** at);
}
