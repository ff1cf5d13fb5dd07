// The looks of an agent as custom properties of CSS. Nothing else knows what the fields of the styles mean; a value that
// is none changes nothing.
import { contrast, formatColor, inkFor, mix, parseColor, readable, type RGB } from "./contrast";
import { gray, readableOn } from "./oklch";

export type Scheme = "light" | "dark";

/** Members of the styles of the bubble that are looks. */
export interface ChatLooks {
  theme?: string;
  headerColor?: string;
  userMessageColor?: string;
  buttonColor?: string;
}

/** Members of the styles of center stage that are looks. */
export interface StageLooks extends ChatLooks {
  tintedGrayscale?: { enabled: boolean; hue: number; tint: number; shade: number } | null;
  accentColor?: string;
  accentColorEnabled?: boolean;
  accentSyncWithIcon?: boolean;
  customSurfaceColors?: { enabled: boolean; background?: string; foreground?: string } | null;
  typography?: { fontFamily?: string; fontSize?: string } | null;
}

const names = [
  "bg", "fg", "muted", "line", "edge", "surface", "accent", "accent-ink", "user-bg", "user-fg", "header-bg", "header-fg",
  "header-plate", "button-bg", "button-fg", "danger", "font", "size",
] as const;

export type TokenName = `--chat-${(typeof names)[number]}`;
export type Tokens = Readonly<Record<TokenName, string>>;

/** What of the looks is not shown as it was chosen. */
export interface Adjustment {
  field: "accentColor" | "customSurfaceColors";
  chosen: string;
  shown: string;
}

export interface Theme {
  scheme: Scheme;
  tokens: Tokens;
  adjustments: readonly Adjustment[];
}

/** What an agent without looks has. */
export const defaultAccent = "#1f5fbf";

/** The families that can be chosen, each with what stands in for it where it is not installed. */
const families: Readonly<Record<string, string>> = {
  Inter: 'Inter, "Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  System: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  Arial: 'Arial, "Liberation Sans", sans-serif',
  Helvetica: 'Helvetica, "Helvetica Neue", Arial, "Liberation Sans", sans-serif',
  Georgia: 'Georgia, "Liberation Serif", "Noto Serif", serif',
};
const pickFamily = (name: unknown): string =>
  typeof name === "string" && Object.hasOwn(families, name) ? families[name]! : families.System!;
const sizes = ["12px", "14px", "16px", "18px", "20px"];

/** How wide center stage is, in pixels, by the name of its width. */
export const stageWidths: Readonly<Record<string, number>> = { small: 360, medium: 420, large: 520 };

/** Which of the two a theme is; `page` is that of the page around the chat. */
export function pickScheme(theme: unknown, page: Scheme = "light"): Scheme {
  if (theme === "page") return page;
  return theme === "dark" ? "dark" : "light";
}

interface Grays {
  bg: RGB;
  fg: RGB;
  surface: RGB;
  line: RGB;
}

const isBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most;

// newGrays makes the neutral scale. The ranges that are accepted are wider than those that are read: what is beyond is
// as much as there is.
function newGrays(scheme: Scheme, tinted: StageLooks["tintedGrayscale"]): Grays {
  const isSet = tinted?.enabled === true && isBetween(tinted.hue, 0, 360);
  const chroma = isSet && isBetween(tinted.tint, 0, 10) ? Math.min(tinted.tint, 9) * 0.004 : 0.002;
  const hue = isSet ? tinted.hue : 250;
  const darker = isSet && isBetween(tinted.shade, -4, 10) ? Math.min(tinted.shade, 4) * 0.015 : 0;
  const isLight = scheme === "light";
  const base = Math.min(1, (isLight ? 1 : 0.2) - darker);
  const away = isLight ? -1 : 1;
  const at = (distance: number) => gray(base + away * distance, chroma, hue);
  return { bg: at(0), surface: at(isLight ? 0.035 : 0.05), line: at(0.11), fg: gray(isLight ? 0.2 : 0.96, chroma, hue) };
}

// replaceSurfaces takes a background and a foreground of the agent's own; what lies between is mixed.
function replaceSurfaces(grays: Grays, own: StageLooks["customSurfaceColors"]): Grays {
  const bg = own?.enabled === true ? parseColor(own.background) : null;
  const fg = own?.enabled === true ? parseColor(own.foreground) : null;
  if (!bg && !fg) return grays;
  const ground = bg ?? grays.bg;
  const ink = fg ?? inkFor(ground).color;
  const step = mix(ground, inkFor(ground).color, 0.05);
  return { bg: ground, fg: ink, surface: step, line: mix(ground, inkFor(ground).color, 0.15) };
}

const danger: Readonly<Record<Scheme, RGB>> = { light: parseColor("#b3261e")!, dark: parseColor("#ff8a80")! };

/** The looks as custom properties, for a page that is light or dark. All text can be read, whatever was chosen. */
export function newTheme(looks: StageLooks | null | undefined, page: Scheme = "light"): Theme {
  const chosen = looks ?? {};
  const grays = replaceSurfaces(newGrays(pickScheme(chosen.theme, page), chosen.tintedGrayscale), chosen.customSurfaceColors);
  const { bg, line } = grays;
  const ground = inkFor(bg).color;
  // A surface is as far from the background as text on both allows.
  const surface = contrast(ground, grays.surface) >= 5 ? grays.surface : bg;
  const both = [bg, surface];
  const fg = readableOn(grays.fg, both);
  const wanted = parseColor(chosenAccent(chosen)) ?? parseColor(defaultAccent)!;
  const accent = readableOn(wanted, both);
  const isTransparent = chosen.buttonColor === "transparent";
  const button = parseColor(chosen.buttonColor) ?? (isTransparent ? bg : accent);
  const user = parseColor(chosen.userMessageColor) ?? parseColor(chosen.buttonColor) ?? accent;
  const header = parseColor(chosen.headerColor) ?? bg;
  const headerInk = inkFor(header);
  return {
    scheme: pickScheme(chosen.theme, page),
    tokens: {
      "--chat-bg": formatColor(bg),
      "--chat-fg": formatColor(fg),
      "--chat-muted": formatColor(readableOn(mix(fg, bg, 0.35), both)),
      "--chat-line": formatColor(line),
      "--chat-edge": formatColor(readableOn(mix(fg, bg, 0.5), both, 3)),
      "--chat-surface": formatColor(surface),
      "--chat-accent": formatColor(accent),
      "--chat-accent-ink": formatColor(inkFor(accent).color),
      "--chat-user-bg": formatColor(user),
      "--chat-user-fg": formatColor(inkFor(user).color),
      "--chat-header-bg": formatColor(header),
      "--chat-header-fg": formatColor(parseColor(chosen.headerColor) ? headerInk.color : fg),
      "--chat-header-plate": headerInk.needsPlate ? formatColor(inkFor(headerInk.color).color) : "transparent",
      "--chat-button-bg": isTransparent ? "transparent" : formatColor(button),
      "--chat-button-fg": formatColor(isTransparent ? fg : inkFor(button).color),
      "--chat-danger": formatColor(readableOn(danger[pickScheme(chosen.theme, page)], both)),
      "--chat-font": pickFamily(chosen.typography?.fontFamily),
      "--chat-size": sizes.find((size) => size === chosen.typography?.fontSize) ?? "16px",
    },
    adjustments: findAdjustments(chosen, fg, accent),
  };
}

// chosenAccent is the color of links, focus and marks. The bubble has none of its own: its button lends it.
function chosenAccent({ accentColor, accentColorEnabled, buttonColor, headerColor }: StageLooks): string | undefined {
  if (accentColorEnabled && parseColor(accentColor)) return accentColor;
  return [buttonColor, headerColor].find((color) => parseColor(color));
}

function findAdjustments(chosen: StageLooks, fg: RGB, accent: RGB): Adjustment[] {
  const own = chosen.customSurfaceColors?.enabled ? parseColor(chosen.customSurfaceColors.foreground) : null;
  const link = chosen.accentColorEnabled ? parseColor(chosen.accentColor) : null;
  const pairs = [
    { field: "customSurfaceColors", from: own, to: fg },
    { field: "accentColor", from: link, to: accent },
  ] as const;
  return pairs.flatMap(({ field, from, to }) =>
    from && formatColor(from) !== formatColor(to) ? [{ field, chosen: formatColor(from), shown: formatColor(to) }] : [],
  );
}

/** How well the ink can be read on a color that was chosen, and which ink it is; null for what is no color. */
export function judgeColor(text: unknown): { ink: "black" | "white"; contrast: number; isReadable: boolean } | null {
  const color = parseColor(text);
  if (!color) return null;
  const ink = inkFor(color);
  return { ink: ink.color[0] === 1 ? "white" : "black", contrast: ink.contrast, isReadable: ink.contrast >= readable };
}

/** Sets the custom properties and the scheme of a page, without any style element. */
export function applyTheme(root: HTMLElement, theme: Theme): void {
  for (const [name, value] of Object.entries(theme.tokens)) root.style.setProperty(name, value);
  root.dataset.theme = theme.scheme;
}
