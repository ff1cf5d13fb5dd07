// Which files are those of the agent on this server: nothing else is fetched unless somebody clicks.
import type { UploadedFile } from "../state";

const pictures = ["image/jpeg", "image/png", "image/gif", "image/webp"];

export function isOwnPicture({ type, url }: UploadedFile, agentId: string): boolean {
  return pictures.includes(type) && isOwnFile(url, agentId);
}

/** Whether an address is that of a file of this agent on this server. */
export function isOwnFile(url: string, agentId: string): boolean {
  try {
    const { origin, pathname } = new URL(url, location.origin);
    return origin === location.origin && pathname.startsWith(`/api/chat/${encodeURIComponent(agentId)}/files/`);
  } catch {
    return false;
  }
}
