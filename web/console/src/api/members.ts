// The people of a company, and those who are invited.
import { APIError, hooks, request } from "./client";
import { usePages } from "./pages";
import type { components } from "./operator";
import type { Role } from "./session";

type Schemas = components["schemas"];
export type Member = Schemas["AccountMember"] & { role: Role };
export type Invitation = Schemas["Invitation"] & { role: Role };
export type SignInLink = Schemas["SignInLink"];
export type Removal = Schemas["MemberRemovalResult"];

export const roles: readonly Role[] = ["owner", "admin", "agent", "viewer"];

const address = (rest: string) => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}${rest}`;
const ofMember = (id: string, rest = "") => address(`/members${rest}?userId=${encodeURIComponent(id)}`);

const keyOf = (list: string, words: string) => (words ? [list, words] : [list]);
const search = (path: string, words: string) => (words ? `${path}&query=${encodeURIComponent(words)}` : path);

/** The members, the longest standing first; with words those who have them in their name or e-mail address. Each event about one of them has them read again. */
export const useMembers = (isEnabled: boolean, words = "") =>
  usePages<Member>(keyOf("members", words), search("/v1/members?limit=50", words), isEnabled);

/** Who is invited and has not answered, the oldest first; with words those who have them in their address. */
export const useInvitations = (isEnabled: boolean, words = "") =>
  usePages<Invitation>(keyOf("invites", words), search(address("/invitations?limit=50"), words), isEnabled);

/** Invites somebody. The link is mailed where the server sends mail, and otherwise told here, this once. */
export const invite = (email: string, role: Role) =>
  request<SignInLink>("POST", address("/invitations"), { email, role }).catch((error: unknown) => {
    if (!(error instanceof APIError) || error.code !== "RESOURCE_ALREADY_EXISTS") throw error;
    throw new APIError(error.status, "ALREADY_MEMBER", error.message, error.requestId);
  });

const ofInvitation = (id: string, rest = "") => address(`/invitations/${encodeURIComponent(id)}${rest}`);
export const renewInvitation = (id: string) => request<SignInLink>("POST", ofInvitation(id, "/link"));
export const withdrawInvitation = (id: string) => request<unknown>("DELETE", ofInvitation(id));

export const changeRole = (id: string, role: Role) => request<unknown>("PATCH", ofMember(id), { role });
/** Makes a link by which a member sets a new password. */
export const makeLink = (id: string) => request<SignInLink>("POST", ofMember(id, "/link"));
/** Ends a membership. The open tickets go to others of the teams, if that is wanted. */
export const removeMember = (id: string, reassign: boolean) =>
  request<Removal>("DELETE", ofMember(id) + (reassign ? "&reassign=true" : ""));
