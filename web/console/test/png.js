// Pictures as small files: of at most 256 colors, which screens of plain surfaces and words can be drawn in.
import { crc32, deflateSync } from "node:zlib";

const most = 256;

/** Writes pixels (red, green, blue and opacity, a byte each) as a PNG with a palette. */
export function writePNG({ data, width, height }) {
  const colors = choosePalette(data);
  const indexOf = new Map(colors.map((color, i) => [color, i]));
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    lines[to++] = 0; // no filter
    for (let x = 0; x < width; x++, from += 4) {
      const color = colorAt(data, from);
      if (!indexOf.has(color)) indexOf.set(color, indexOf.get(rounded(color)) ?? nearest(colors, color));
      lines[to++] = indexOf.get(color);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // a byte each, of a palette
  const palette = Buffer.from(colors.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  const parts = [chunk("IHDR", header), chunk("PLTE", palette), chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })), chunk("IEND")];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}

const colorAt = (data, at) => (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];

// The edges of letters have many colors: those are rounded to 16 steps of red, green and blue.
const rounded = (color) => {
  const step = (value) => Math.round(Math.round((value * 10) / 255) * (255 / 10));
  return (step(color >> 16) << 16) | (step((color >> 8) & 255) << 8) | step(color & 255);
};

/** The colors of surfaces as they are, those of edges rounded; the commonest first. */
function choosePalette(data) {
  const counts = new Map();
  const add = (color, count) => counts.set(color, (counts.get(color) ?? 0) + count);
  for (let at = 0; at < data.length; at += 4) add(colorAt(data, at), 1);
  const byCount = (list) => list.sort(([a, m], [b, n]) => n - m || a - b);
  const exact = byCount([...counts]).slice(0, most / 4).filter(([, count]) => count > 500);
  const kept = new Set(exact.map(([color]) => color));
  const rest = new Map();
  for (const [color, count] of counts) {
    const to = rounded(color);
    if (!kept.has(color) && !kept.has(to)) rest.set(to, (rest.get(to) ?? 0) + count);
  }
  return [...kept, ...byCount([...rest]).map(([color]) => color)].slice(0, most);
}

function nearest(colors, color) {
  const part = (value, shift) => (value >> shift) & 255;
  const distance = (other) => [16, 8, 0].reduce((sum, shift) => sum + (part(color, shift) - part(other, shift)) ** 2, 0);
  let best = 0;
  for (let i = 1; i < colors.length; i++) if (distance(colors[i]) < distance(colors[best])) best = i;
  return best;
}

function chunk(name, data = Buffer.alloc(0)) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
