// How well colors are told apart, by the formulas of WCAG 2.2.

/** Red, green and blue, each from 0 to 1. */
export type RGB = readonly [number, number, number];

/** The least contrast of text. */
export const readable = 4.5;

/** Reads a color as the server takes them, "#rgb" or "#rrggbb"; null for anything else. */
export function parseColor(text: unknown): RGB | null {
  if (typeof text !== "string" || !/^#(?:[0-9a-f]{3}){1,2}$/i.test(text)) return null;
  const size = text.length === 4 ? 1 : 2;
  const part = (i: number) => {
    const digits = text.slice(1 + i * size, 1 + (i + 1) * size);
    return parseInt(size === 1 ? digits + digits : digits, 16) / 255;
  };
  return [part(0), part(1), part(2)];
}

/** Writes a color as "#rrggbb". */
export const formatColor = (color: RGB): string =>
  `#${color
    .map((part) =>
      Math.round(Math.min(1, Math.max(0, part)) * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

export const luminance = ([red, green, blue]: RGB): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

/** The contrast of two colors, from 1 to 21. */
export function contrast(one: RGB, other: RGB): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The contrast as people are told it: rounded down, so that no figure says more than there is. */
export const shownContrast = (ratio: number): number => Math.floor(ratio * 10 + 1e-6) / 10;

export const white: RGB = [1, 1, 1];
export const black: RGB = [0, 0, 0];

export interface Ink {
  color: RGB;
  contrast: number;
  /** Even the better one cannot be read: the text gets a plate, a shade of its own behind it. */
  needsPlate: boolean;
}

/** The ink that stands out more from a color. Of black and white, one is always readable. */
export function inkFor(color: RGB, inks: readonly [RGB, RGB] = [white, black]): Ink {
  const [first, second] = inks.map((ink) => contrast(ink, color)) as [number, number];
  const best = Math.max(first, second);
  return { color: first >= second ? inks[0] : inks[1], contrast: best, needsPlate: best < readable };
}

/** A color as a screen has it, so that what is computed from it holds for what is seen. */
export const onScreen = (color: RGB): RGB => parseColor(formatColor(color))!;

/** A mix of two colors: none of the second at 0, nothing else at 1. */
export const mix = (one: RGB, other: RGB, share: number): RGB =>
  onScreen(one.map((part, i) => part + (other[i]! - part) * share) as unknown as RGB);
