// Colors by lightness, chroma and hue as people see them (OKLCH), and from them the gray scale and readable shades.
import { contrast, onScreen, readable, type RGB } from "./contrast";

/** Lightness from 0 to 1, chroma from 0 to about 0.37, hue in degrees. */
export interface OKLCH {
  lightness: number;
  chroma: number;
  hue: number;
}

const toLinear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const fromLinear = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055);

export function toOKLCH(color: RGB): OKLCH {
  const [r, g, b] = color.map(toLinear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const across = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const along = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const hue = (Math.atan2(along, across) * 180) / Math.PI;
  return { lightness, chroma: Math.hypot(across, along), hue: hue < 0 ? hue + 360 : hue };
}

function toRGB({ lightness, chroma, hue }: OKLCH): RGB {
  const across = chroma * Math.cos((hue * Math.PI) / 180);
  const along = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * across + 0.2158037573 * along) ** 3;
  const m = (lightness - 0.1055613458 * across - 0.0638541728 * along) ** 3;
  const s = (lightness - 0.0894841775 * across - 1.291485548 * along) ** 3;
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const isShowable = (color: RGB) => color.every((part) => part >= -0.0005 && part <= 1.0005);

/** The color on a screen. What no screen has keeps its lightness and hue, with as much chroma as there is. */
export function fromOKLCH(color: OKLCH): RGB {
  const lightness = Math.min(1, Math.max(0, color.lightness));
  let [low, high] = [0, color.chroma];
  if (isShowable(toRGB({ ...color, lightness }))) low = high;
  for (let i = 0; i < 16 && low < high; i++) {
    const chroma = (low + high) / 2;
    if (isShowable(toRGB({ ...color, lightness, chroma }))) low = chroma;
    else high = chroma;
  }
  return onScreen(toRGB({ ...color, lightness, chroma: low }));
}

/** A gray of a lightness with a tinge of a hue. */
export const gray = (lightness: number, chroma: number, hue: number): RGB => fromOKLCH({ lightness, chroma, hue });

/**
 * The color, or else the nearest of its shades that can be read on all of the backgrounds. Where no shade can be read
 * on all, it is the one that is read best on the one where it is read worst.
 */
export function readableOn(color: RGB, backgrounds: readonly RGB[], wanted = readable): RGB {
  const worst = (shade: RGB) => Math.min(...backgrounds.map((background) => contrast(shade, background)));
  if (worst(color) >= wanted) return color;
  const { lightness, chroma, hue } = toOKLCH(color);
  let best = color;
  for (let step = 1; step <= 100; step++) {
    for (const way of [lightness - step / 100, lightness + step / 100]) {
      if (way < -0.01 || way > 1.01) continue;
      const shade = fromOKLCH({ lightness: way, chroma, hue });
      if (worst(shade) >= wanted) return shade;
      if (worst(shade) > worst(best)) best = shade;
    }
  }
  return best;
}
