// Which pictures a form takes: by what is in the file, not by its name.

export const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export const maxImageBytes = 2 * 1024 * 1024;

/** Why a picture is not taken: the key of the text to show; empty if it is. */
export async function checkImage(file: Blob): Promise<"form.imageTooLarge" | "form.imageType" | ""> {
  if (file.size > maxImageBytes) return "form.imageTooLarge";
  const type = imageTypeOf(new Uint8Array(await file.slice(0, 12).arrayBuffer()));
  return type ? "" : "form.imageType";
}

/** The type of a picture by its first 12 bytes; empty for any other. */
export function imageTypeOf(head: Uint8Array): (typeof imageTypes)[number] | "" {
  const text = String.fromCharCode(...head);
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP/.test(text) ? "image/webp" : "";
}
