const units = ["byte", "kilobyte", "megabyte"] as const;

/** The size of a file as people read it. */
export function formatSize(bytes: number, locale: string): string {
  const step = bytes < 1_000 ? 0 : bytes < 999_500 ? 1 : 2;
  const unitDisplay = step === 0 ? "long" : "short"; // the short name of bytes has no plural
  const format = { style: "unit", unit: units[step]!, unitDisplay, maximumFractionDigits: step === 2 ? 1 : 0 } as const;
  return new Intl.NumberFormat(locale, format).format(bytes / 1_000 ** step);
}
