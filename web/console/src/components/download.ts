const keptFor = 60_000; // milliseconds in which the browser begins to save it

/** Has the browser save a file. */
export function download(file: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), keptFor);
}

/** A name for a file, made of one that somebody gave; the other one where no letter or digit is left of it. */
export const fileNameOf = (name: string, other: string) => name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || other;
