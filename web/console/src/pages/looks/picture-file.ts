// What can be said of a picture before it is sent. The server has the same rules.
import type { Key } from "../../i18n";

export const pictureTypes = ["image/png", "image/jpeg", "image/webp"];
const maxBytes = 1 << 20;
const maxSide = 1024;

export interface PictureFault {
  key: Extract<Key, `looks.picture${string}`>;
  values?: { width: number; height: number };
}

/** Says why a file cannot be a picture of an agent; null if it can. */
export async function checkPicture(file: File): Promise<PictureFault | null> {
  if (!pictureTypes.includes(file.type)) return { key: "looks.pictureType" };
  if (file.size > maxBytes) return { key: "looks.pictureBytes" };
  const drawn = await createImageBitmap(file).catch(() => null);
  if (!drawn) return { key: "looks.pictureType" };
  const { width, height } = drawn;
  drawn.close();
  if (width !== height) return { key: "looks.pictureSquare", values: { width, height } };
  return width > maxSide ? { key: "looks.pictureSide", values: { width, height } } : null;
}
