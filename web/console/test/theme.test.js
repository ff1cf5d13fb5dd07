// Looks as custom properties: every field, every bound, values that are none, and text that can always be read.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";

let contrast, formatColor, inkFor, parseColor, shownContrast, fromOKLCH, toOKLCH, readableOn;
let newTheme, judgeColor, applyTheme, pickScheme;
before(async () => {
  const folder = join(import.meta.dirname, "../../shared/theme");
  ({ contrast, formatColor, inkFor, parseColor, shownContrast } = (await runnerImport(join(folder, "contrast.ts"))).module);
  ({ fromOKLCH, toOKLCH, readableOn } = (await runnerImport(join(folder, "oklch.ts"))).module);
  ({ newTheme, judgeColor, applyTheme, pickScheme } = (await runnerImport(join(folder, "styles.ts"))).module);
});

const tokensOf = (looks, page) => newTheme(looks, page).tokens;
const changed = (looks) => {
  const [plain, now] = [tokensOf({}), tokensOf(looks)];
  return Object.keys(now).filter((name) => now[name] !== plain[name]).map((name) => name.slice("--chat-".length));
};
const ratio = (one, other) => contrast(parseColor(one), parseColor(other));

describe("colors", () => {
  test("are read as the server takes them", () => {
    assert.deepEqual(parseColor("#fff"), [1, 1, 1]);
    assert.equal(formatColor(parseColor("#1A4d8f")), "#1a4d8f");
    const none = ["", "red", "#12", "#1234", "#12345", "#1234567", "#12345g", "#fff;", " #fff", "#fff\n", "transparent",
      "var(--x)", "url(//x)", "#FFF}", null, undefined, 7, {}, ["#fff"]];
    for (const text of none) assert.equal(parseColor(text), null, String(text));
  });

  test("contrast is that of WCAG", () => {
    assert.equal(ratio("#000", "#fff"), 21);
    assert.equal(ratio("#777777", "#777777"), 1);
    assert.equal(shownContrast(ratio("#767676", "#fff")), 4.5);
    assert.equal(shownContrast(4.49), 4.4, "no figure says more than there is");
  });

  test("one of black and white can always be read; of two others a plate may be needed", () => {
    for (const color of manyColors(2000)) assert.equal(inkFor(parseColor(color)).needsPlate, false, color);
    const grays = [parseColor("#888"), parseColor("#777")];
    assert.equal(inkFor(parseColor("#808080"), grays).needsPlate, true);
    assert.deepEqual(judgeColor("#FFD400"), { ink: "black", contrast: ratio("#ffd400", "#000"), isReadable: true });
    assert.equal(judgeColor("#1A4D8F").ink, "white");
    assert.equal(judgeColor("yellow"), null);
  });

  test("go to OKLCH and back", () => {
    for (const color of manyColors(500)) assert.equal(formatColor(fromOKLCH(toOKLCH(parseColor(color)))), color);
    const none = fromOKLCH({ lightness: 0.7, chroma: 0.4, hue: 150 }); // which no screen has
    assert.ok(none.every((part) => part >= 0 && part <= 1));
    assert.ok(Math.abs(toOKLCH(none).lightness - 0.7) < 0.01);
  });

  test("what cannot be read becomes the nearest shade that can", () => {
    const yellow = parseColor("#ffd400");
    const shade = readableOn(yellow, [[1, 1, 1]]);
    assert.ok(contrast(shade, [1, 1, 1]) >= 4.5);
    assert.ok(Math.abs(toOKLCH(shade).hue - toOKLCH(yellow).hue) < 6);
    assert.deepEqual(readableOn(parseColor("#1a4d8f"), [[1, 1, 1]]), parseColor("#1a4d8f"));
  });
});

describe("fields", () => {
  test("each changes what it is for, and nothing else", () => {
    const lent = ["accent", "user-bg", "button-bg"]; // where the header lends its color to what has none
    assert.deepEqual(changed({ headerColor: "#1A4D8F" }).sort(), [...lent, "header-bg", "header-fg"].sort());
    assert.deepEqual(changed({ buttonColor: "#1A4D8F" }).sort(), lent.sort());
    assert.deepEqual(changed({ userMessageColor: "#FFD400" }), ["user-bg", "user-fg"]);
    assert.deepEqual(changed({ typography: { fontFamily: "Georgia", fontSize: "20px" } }), ["font", "size"]);
    assert.deepEqual(changed({ accentColorEnabled: true, accentColor: "#7a1fa2" }).slice(0, 1), ["accent"]);
    assert.deepEqual(changed({ accentColorEnabled: false, accentColor: "#7a1fa2" }), []);
    assert.deepEqual(changed({ customSurfaceColors: { enabled: false, background: "#000", foreground: "#fff" } }), []);
    assert.deepEqual(changed({ tintedGrayscale: { enabled: false, hue: 20, tint: 9, shade: 4 } }), []);
  });

  test("colors are used as they were chosen, with the better ink", () => {
    const tokens = tokensOf({ headerColor: "#1A4D8F", userMessageColor: "#FFD400", buttonColor: "#0a0" });
    assert.equal(tokens["--chat-header-bg"], "#1a4d8f");
    assert.equal(tokens["--chat-header-fg"], "#ffffff");
    assert.equal(tokens["--chat-header-plate"], "transparent");
    assert.equal(tokens["--chat-user-bg"], "#ffd400");
    assert.equal(tokens["--chat-user-fg"], "#000000");
    assert.equal(tokens["--chat-button-bg"], "#00aa00");
    assert.equal(tokens["--chat-button-fg"], "#000000");
  });

  test("a button without a color shows what is behind it", () => {
    const tokens = tokensOf({ buttonColor: "transparent" });
    assert.equal(tokens["--chat-button-bg"], "transparent");
    assert.ok(ratio(tokens["--chat-button-fg"], tokens["--chat-bg"]) >= 4.5);
  });

  test("the scheme is light, dark or the page's", () => {
    assert.equal(pickScheme("dark"), "dark");
    assert.equal(pickScheme("page", "dark"), "dark");
    assert.equal(pickScheme("page"), "light");
    for (const other of [undefined, null, "blue", 3]) assert.equal(pickScheme(other, "dark"), "light");
    const [light, dark] = [tokensOf({ theme: "light" }), tokensOf({ theme: "dark" })];
    assert.ok(ratio(light["--chat-bg"], "#fff") < 1.1 && ratio(dark["--chat-bg"], "#000") < 1.6);
  });

  test("a tinged gray scale has its hue, and is clamped to what is read", () => {
    const tinged = (tint, shade) => tokensOf({ theme: "dark", tintedGrayscale: { enabled: true, hue: 20, tint, shade } });
    assert.deepEqual(tinged(10, 10), tinged(9, 4));
    const hue = toOKLCH(parseColor(tinged(9, 0)["--chat-surface"])).hue;
    assert.ok(Math.abs(hue - 20) < 4, String(hue));
    const lightness = (shade) => toOKLCH(parseColor(tinged(0, shade)["--chat-bg"])).lightness;
    assert.ok(lightness(-4) > lightness(0) && lightness(0) > lightness(4));
  });

  test("surfaces of one's own keep the background; text that could not be read is shaded, and that is told", () => {
    const own = { enabled: true, background: "#fdf6e3", foreground: "#002b36" };
    const kept = newTheme({ customSurfaceColors: own });
    assert.equal(kept.tokens["--chat-bg"], "#fdf6e3");
    assert.equal(kept.tokens["--chat-fg"], "#002b36");
    assert.deepEqual(kept.adjustments, []);
    const faint = newTheme({ customSurfaceColors: { ...own, foreground: "#ffe" } });
    assert.equal(faint.tokens["--chat-bg"], "#fdf6e3");
    assert.equal(faint.adjustments[0].field, "customSurfaceColors");
    assert.equal(faint.adjustments[0].shown, faint.tokens["--chat-fg"]);
    const accent = newTheme({ accentColorEnabled: true, accentColor: "#ffff00" });
    assert.equal(accent.adjustments[0].field, "accentColor");
  });

  test("every family and size that can be chosen", () => {
    for (const fontFamily of ["Inter", "System", "Arial", "Helvetica", "Georgia"]) {
      assert.match(tokensOf({ typography: { fontFamily } })["--chat-font"], fontFamily === "System" ? /^system-ui/ : new RegExp(`^${fontFamily}`));
    }
    for (const fontSize of ["12px", "14px", "16px", "18px", "20px"]) {
      assert.equal(tokensOf({ typography: { fontSize } })["--chat-size"], fontSize);
    }
  });
});

describe("hostile values", () => {
  const hostile = ["red", "#ggg", "#12345678", "url(https://a.example/x)", "#fff;background:url(//a.example)", "var(--chat-bg)",
    "expression(alert(1))", "</style><script>", "\u0000", "#fff\u2028", "", " ", 0, 1e9, NaN, true, [], {}, null, "__proto__"];

  test("change nothing", () => {
    const plain = newTheme({});
    for (const value of hostile) {
      const looks = {
        theme: value, headerColor: value, userMessageColor: value, buttonColor: value, accentColor: value, accentColorEnabled: true,
        customSurfaceColors: { enabled: true, background: value, foreground: value },
        tintedGrayscale: { enabled: true, hue: value === 0 ? "x" : value === 1e9 ? -1 : String(value), tint: value, shade: value },
        typography: { fontFamily: value, fontSize: value },
      };
      assert.deepEqual(newTheme(looks), plain, String(value));
      assert.deepEqual(newTheme({ ...looks, customSurfaceColors: value, tintedGrayscale: value, typography: value }), plain);
    }
    for (const none of [null, undefined]) assert.deepEqual(newTheme(none), plain);
    for (const fontFamily of ["constructor", "toString", "__proto__"]) {
      assert.deepEqual(tokensOf({ typography: { fontFamily } }), plain.tokens, fontFamily);
    }
  });

  test("tokens hold nothing but colors, sizes and known families", () => {
    const { "--chat-font": font, "--chat-size": size, ...colors } = tokensOf({ headerColor: "#123456", buttonColor: "transparent" });
    assert.match(font, /^[\w ",-]+$/);
    assert.match(size, /^\d\dpx$/);
    for (const [name, value] of Object.entries(colors)) assert.match(value, /^(#[0-9a-f]{6}|transparent)$/, name);
  });
});

// Colors by a fixed rule, so that a failure comes again.
function manyColors(count) {
  let seed = 7;
  const next = () => (seed = (seed * 48271) % 2147483647);
  return Array.from({ length: count }, () => `#${(next() & 0xffffff).toString(16).padStart(6, "0")}`);
}

test("all text can be read, whatever was chosen", () => {
  const pairs = [["fg", "bg"], ["fg", "surface"], ["muted", "bg"], ["muted", "surface"], ["accent", "bg"], ["accent", "surface"],
    ["accent-ink", "accent"], ["user-fg", "user-bg"], ["header-fg", "header-bg"], ["button-fg", "button-bg"], ["danger", "bg"], ["danger", "surface"]];
  const colors = manyColors(250);
  for (let i = 0; i + 6 < colors.length; i++) {
    const [headerColor, userMessageColor, buttonColor, accentColor, background, foreground] = colors.slice(i, i + 6);
    const looks = {
      theme: i % 2 ? "dark" : "light", headerColor, userMessageColor, buttonColor, accentColorEnabled: i % 3 > 0, accentColor,
      customSurfaceColors: { enabled: i % 5 > 1, background, foreground },
      tintedGrayscale: { enabled: i % 7 > 2, hue: (i * 37) % 361, tint: i % 10, shade: (i % 9) - 4 },
    };
    const tokens = tokensOf(looks);
    for (const [ink, ground] of pairs) {
      const found = ratio(tokens[`--chat-${ink}`], tokens[`--chat-${ground}`]);
      assert.ok(found >= 4.5, `${ink} on ${ground}: ${found} of ${JSON.stringify(looks)}`);
    }
    assert.ok(ratio(tokens["--chat-edge"], tokens["--chat-bg"]) >= 3, JSON.stringify(looks));
  }
});

test("a page gets the properties without a style element", () => {
  const set = {};
  const root = { style: { setProperty: (name, value) => (set[name] = value) }, dataset: {} };
  const theme = newTheme({ theme: "dark" });
  applyTheme(root, theme);
  assert.deepEqual(set, theme.tokens);
  assert.equal(root.dataset.theme, "dark");
});

test("the style sheet of the chat begins with what an agent without looks has", () => {
  const css = readFileSync(join(import.meta.dirname, "../../widget/chat/base.css"), "utf8");
  const [, light, dark] = css.match(/:root \{([^}]*)\}\s*:root\[data-theme="dark"\] \{([^}]*)\}/);
  const read = (text) => Object.fromEntries([...text.matchAll(/(--chat-[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]));
  for (const [theme, found] of [["light", read(light)], ["dark", { ...read(light), ...read(dark) }]]) {
    for (const [name, value] of Object.entries(tokensOf({ theme }))) assert.equal(found[name], value, `${theme}: ${name}`);
  }
});
