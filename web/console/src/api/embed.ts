// What the operator's API says about an agent on a site: previews, domains, and who visitors say they are.
import { useQuery } from "@tanstack/react-query";
import { request } from "./client";

const address = (id: string, rest: string) => `/v1/agents/${encodeURIComponent(id)}/${rest}`;

export interface PreviewTicket {
  ticket: string;
  /** Of the frame, with the ticket: public pages may have a host of their own. */
  address: string;
  expiresAt: string;
  /** The paths of the agent's pictures; null if it has none. */
  icon: string | null;
  picture: string | null;
}

export const pictureNames = ["icon", "picture"] as const;
export type PictureName = (typeof pictureNames)[number];

/** Sets the picture on the button, or the one beside the answers. The color of an icon can become that of center stage. */
export async function setPicture(id: string, name: PictureName, file: Blob, syncAccent: boolean): Promise<void> {
  const image = await readBase64(file);
  await request("PUT", address(id, name), { image, ...(name === "icon" && syncAccent && { syncAccent }) });
}

export const removePicture = (id: string, name: PictureName) => request<unknown>("DELETE", address(id, name));

function readBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error("the file cannot be read"));
    reader.readAsDataURL(file);
  });
}

/** Where a member tries the chat on a page of the server that has it as a site has. */
export const trialAddress = (id: string, { ticket, address }: PreviewTicket) =>
  `${new URL(address, location.href).origin}/demo/widget/${id}?ticket=${encodeURIComponent(ticket)}`;

/** What lets this page show an agent's chat in a frame. It is asked for once: a frame that is there needs no other. */
export const usePreviewTicket = (id: string) =>
  useQuery({
    queryKey: ["preview-ticket", id],
    queryFn: ({ signal }) => request<PreviewTicket>("POST", address(id, "preview-ticket"), undefined, signal),
    staleTime: 5 * 60_000,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** Where visitors find this server: public pages may have a host of their own. Until that is known it is this page's. */
export function usePagesOrigin(id: string): string {
  const ticket = usePreviewTicket(id);
  return ticket.data ? new URL(ticket.data.address, location.href).origin : location.origin;
}

export interface IdentitySecret {
  secret: string;
  /** Until when the secret before this one is taken as well; null if it is not. */
  oldUntil: string | null;
}

/** The secret by which a site says who its visitors are. The server asks who the person is before it tells. */
export const readIdentitySecret = (id: string) => request<IdentitySecret>("GET", address(id, "identity-secret"));

/** Makes another secret. The present one is taken for some days more, or for none. */
export const rotateIdentitySecret = (id: string, keepOldDays: number) =>
  request<IdentitySecret>("POST", address(id, "identity-secret/rotate"), { keepOldDays });

export interface DomainVerdict {
  isAllowed: boolean;
  /** Why not: no_address, other_domain or private; empty where it is. */
  reason: string;
}

/** Says whether the chat is shown on a page, as the agent is saved. */
export const checkDomain = (id: string, page: string) =>
  request<DomainVerdict>("POST", address(id, "domain-check"), { address: page });

export interface IdentityVerdict {
  /** Empty where the token is refused. */
  userId: string;
  /** Why it is refused: expired, bad_signature, wrong_algorithm, no_user or malformed. */
  reason: string;
  /** The same for developers, in English, with the figures that it is about. */
  message: string;
  /** What is to be better of a token that is not refused, likewise. */
  warnings: string[];
}

/** Says what is wrong with a token that a site has made. */
export const checkIdentity = (id: string, token: string) =>
  request<IdentityVerdict>("POST", address(id, "identity-check"), { token });
