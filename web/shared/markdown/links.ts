// Which addresses may be followed, and what is shown of them.

const schemes = new Set(["http:", "https:", "mailto:", "tel:"]);

// Characters that change the order of others, or that nobody sees. Marks that Arabic and Hebrew need are not among them.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text without control characters and overrides of its direction. */
export const withoutControls = (text: string) => text.replace(hidden, "");

export interface Address {
  href: string;
  /** Empty for a mail address or a telephone number. */
  host: string;
}

/** Reads an address. Null is returned for what may not be followed; a relative one needs a base. */
export function readAddress(href: string, base?: string): Address | null {
  let url: URL;
  try {
    url = base === undefined ? new URL(href) : new URL(href, base);
  } catch {
    return null;
  }
  if (!schemes.has(url.protocol) || url.username || url.password) return null;
  if (url.protocol.startsWith("http") && !url.host) return null;
  return { href: url.href, host: url.protocol.startsWith("http") ? url.host : "" };
}

const hostLike = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^\s/@]*@)?([^\s/@:?#]+\.[^\s/@:?#.]{2,})(?::\d+)?(?:[/?#].*)?$/iu;

/** Whether a text looks like an address of another host than the one that it leads to. */
export function looksLikeOther(text: string, address: Address): boolean {
  const shown = hostLike.exec(withoutControls(text).trim())?.[1];
  if (!shown || !address.host) return false;
  if (/[^\x20-\x7e]/.test(shown)) return true; // letters of other scripts may look like those of a known name
  const strip = (host: string) => host.toLowerCase().replace(/^www\./, "").replace(/:\d+$/, "");
  return strip(shown) !== strip(address.host);
}
