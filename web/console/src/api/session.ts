import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { APIError, hooks, request } from "./client";
import { answerChallenge, createPasskey, usePasskey, type Challenge, type PasskeyAnswer } from "./passkey";

export type Role = "owner" | "admin" | "agent" | "viewer";

export interface User {
  id: string;
  name: string;
  email: string;
  locale?: string | null;
  theme?: string | null;
  /** How they want to be told of what happens: "desktop", "sound". */
  notifications?: Record<string, boolean>;
  hasPassword?: boolean;
  hasPasskey?: boolean;
  hasSingleSignOn?: boolean;
  singleSignOnSince?: string | null;
  /** A passkey or a recovery code is asked for after the password. */
  secondStep?: boolean;
}

export interface Membership {
  accountId: string;
  accountName: string;
  role: Role;
  /** What the role may do. */
  permissions: string[];
  /** The company is entered by single sign-on alone, and the person has signed in otherwise. */
  needsSingleSignOn?: boolean;
  /** The person has signed in by the provider of another company, which opens that one alone. */
  needsOtherSignIn?: boolean;
  /** What people call the company's own provider; empty without one. */
  singleSignOnName?: string;
  /** The person enters the company by single sign-on alone, however they have signed in. */
  onlySingleSignOn?: boolean;
  /** The company asks the person for a passkey: they use one of theirs or add one before they enter. */
  passkeyStep?: "use" | "add" | "link";
}

/** Reports whether the person can enter a company as they have signed in. */
export const isOpen = ({ needsSingleSignOn, needsOtherSignIn, passkeyStep }: Membership) =>
  !needsSingleSignOn && !needsOtherSignIn && !passkeyStep;

export interface UploadLimits {
  minBytes: number;
  maxBytes: number;
}

export interface Session {
  user: User | null;
  memberships: Membership[];
  features: {
    passkey: boolean;
    oidc: boolean;
    oidcName: string;
    /** What people call the server's own provider; empty without one. */
    serverOidcName?: string;
    mail: boolean;
    /** Companies have providers of their own, which are found by the domain of an e-mail address. */
    byDomain?: boolean;
  };
  needsSetup: boolean;
  insecure: boolean;
  /** The person has shown within ten minutes who they are. */
  steppedUp?: boolean;
  /** Of a file as a source, in bytes. */
  uploads?: UploadLimits;
  /** Of a new person with a passkey, shown once. */
  recoveryCodes?: string[];
  /** What is asked after the password; nobody is signed in yet. */
  secondStep?: Challenge;
}

/** What people call the server's own provider; empty without one. */
export const serverProvider = ({ oidc, oidcName, serverOidcName }: Session["features"]) => serverOidcName ?? (oidc ? oidcName : "");

/** A provider by which the person may sign in, and whether they have connected it. */
export interface Identity {
  /** The company whose own it is; empty of the server's. */
  accountId: string;
  accountName: string;
  name: string;
  connectedAt: string | null;
  lastUsedAt: string | null;
}

/** The provider of a company. */
export interface AccountProvider {
  /** Empty if there is none. */
  accountId: string;
  name: string;
}

/** By which company's provider people with an e-mail address sign in. Its domain alone decides. */
export const findProvider = (email: string) => request<AccountProvider>("POST", "/v1/session/provider", { email });

export interface Redeem {
  token: string;
  name?: string;
  email?: string;
  password?: string;
  company?: string;
  passkey?: PasskeyAnswer;
}

/** What a link is for. */
export interface LinkState {
  kind: "setup" | "invitation" | "reset" | "sign-in";
  email: string;
  accountName: string;
  role: Role | "";
  mustSignIn: boolean;
  needsName: boolean;
  needsCompany: boolean;
  noPasswords: boolean;
}

export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface WebSession {
  id: string;
  userAgent: string;
  address: string;
  lastSeenAt: string;
  createdAt: string;
  current: boolean;
}

export const useSession = () =>
  useQuery({
    queryKey: ["session"],
    queryFn: async ({ signal }) => (await readEarlySession()) ?? readSession(signal),
    staleTime: Infinity,
  });

// readEarlySession takes what early.ts has asked for, once. What went wrong there is asked again.
async function readEarlySession(): Promise<Session | undefined> {
  const asked = globalThis.earlySession;
  globalThis.earlySession = undefined;
  const reply = await asked;
  return reply?.ok ? reply.json() : undefined;
}

export const readSession = (signal?: AbortSignal) => request<Session>("GET", "/v1/session", undefined, signal);

/** The membership of the account that the screen is about. */
export function useMembership(): Membership | undefined {
  const { data } = useSession();
  return data?.memberships.find(({ accountId }) => accountId === hooks.account);
}

/** Reports whether the person may do what the permission names, such as "agents:write". The server decides all the same. */
export function useMay(permission: string): boolean {
  return useMembership()?.permissions.includes(permission) ?? false;
}

// What outlives a screen and is a person's: it is forgotten when they leave.
const memories = new Set<() => void>();

/** Has `forget` called when the person leaves or another one comes. */
export const forgetOnLeave = (forget: () => void) => void memories.add(forget);

/** Forgets everything that may be only the person’s for whom the page was drawn. */
export function forgetPerson(client?: QueryClient) {
  hooks.account = hooks.person = null;
  memories.forEach((forget) => forget());
  sessionStorage.clear();
  client?.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
}

/** Reads the session again and forgets everything else, which may have been another person’s. Other tabs are told. */
export function useSessionChange() {
  const client = useQueryClient();
  return async () => {
    forgetPerson(client);
    await client.refetchQueries({ queryKey: ["session"] });
    tellTabs();
  };
}

/** Starts over, with nothing in the page of whoever it was drawn for. */
export function startAnew() {
  forgetPerson();
  location.replace("/console/");
}

// Tabs tell each other that somebody has signed in or out. Who it is, each asks the server.
let channel: BroadcastChannel | null = null;
const openChannel = () => (channel ??= "BroadcastChannel" in globalThis ? new BroadcastChannel("parley-session") : null);

export const tellTabs = () => openChannel()?.postMessage("changed");

/** Calls `look` when somebody has signed in or out in another tab. */
export function useOtherTabs(look: () => void) {
  useEffect(() => {
    const tabs = openChannel();
    tabs?.addEventListener("message", look);
    return () => tabs?.removeEventListener("message", look);
  }, [look]);
}

export const signIn = (email: string, password: string) => request<Session>("POST", "/v1/session", { email, password });
export const finishWithCode = ({ id }: Challenge, code: string) =>
  request("POST", "/v1/session/second-step", { id, code }).catch(callRefusal("RECOVERY_CODE_WRONG"));
export const finishWithPasskey = async (asked: Challenge) =>
  request("POST", "/v1/session/second-step", await answerChallenge(asked));
export const setSecondStep = (required: boolean) => request<{ codes: string[] }>("PUT", "/v1/me/second-step", { required });
export const isSignedIn = () => readSession().then(({ user }) => user !== null);
export const disconnectSingleSignOn = (accountId: string) =>
  request("DELETE", `/v1/me/single-sign-on${accountId && `?account=${encodeURIComponent(accountId)}`}`);
export const isSteppedUp = () => readSession().then(({ steppedUp }) => steppedUp === true);
export const signOut = () => request("DELETE", "/v1/session");
/** Ends the session of somebody else who has signed in in place of the person of the page. */
export function signOutOther() {
  const { person } = hooks;
  hooks.person = null; // in whose name the server would refuse it
  const ended = signOut();
  hooks.person = person;
  return ended;
}

export const mailLink = (email: string) => request("POST", "/v1/session/link", { email });
export const redeem = (body: Redeem) => request<Session>("POST", "/v1/session/redeem", body);
export const stepUp = (password: string) => 
  request("POST", "/v1/session/step-up", { password }).catch(callRefusal("PASSWORD_WRONG"));
export const signInWithCode = (email: string, code: string) =>
  request("POST", "/v1/session/recovery-code", { email, code }).catch(callRefusal("RECOVERY_CODE_WRONG"));
export const changePassword = (present: string, password: string) =>
  request("PUT", "/v1/me/password", { present, password }).catch(callRefusal("PASSWORD_WRONG"));

// callRefusal names what was refused, which the server does not say.
const callRefusal = (code: string) => (error: unknown) => {
  if (!(error instanceof APIError) || error.code !== "AUTH_SIGN_IN_FAILED") throw error;
  throw new APIError(error.status, code, error.message, error.requestId);
};

/** Signs in with a passkey, or shows with one that it is still the same person. */
export async function answerWithPasskey(stepUp = false) {
  const answer = await usePasskey("/v1/session/passkey/begin", { stepUp });
  return request("POST", "/v1/session/passkey/finish", { ...answer, stepUp });
}

export async function redeemWithPasskey(body: Redeem) {
  const { token, email, name } = body;
  const passkey = await createPasskey("/v1/session/redeem/passkey", { token, email, name });
  return redeem({ ...body, passkey });
}

export async function addPasskey() {
  const answer = await createPasskey("/v1/me/passkeys/begin");
  return request<Passkey>("POST", "/v1/me/passkeys/finish", answer);
}

const passkeyPath = (id: string) => `/v1/me/passkeys/${encodeURIComponent(id)}`;
export const renamePasskey = (id: string, name: string) => request("PATCH", passkeyPath(id), { name });
export const deletePasskey = (id: string) => request("DELETE", passkeyPath(id));
export const createRecoveryCodes = () => request<{ codes: string[] }>("POST", "/v1/me/recovery-codes");
export const updateMe = (change: Partial<Pick<User, "name" | "locale" | "theme" | "notifications">>) => request("PATCH", "/v1/me", change);
export const endSession = (id: string) => request("DELETE", `/v1/me/sessions/${encodeURIComponent(id)}`);

export const useLinkState = (token: string) =>
  useQuery({
    queryKey: ["link", token],
    queryFn: ({ signal }) => request<LinkState>("POST", "/v1/session/link-state", { token }, signal),
    enabled: token !== "",
    staleTime: Infinity,
  });

export const usePasskeys = () =>
  useQuery({
    queryKey: ["me", "passkeys"],
    queryFn: ({ signal }) => request<{ data: Passkey[] }>("GET", "/v1/me/passkeys", undefined, signal),
  });

/** The providers of single sign-on by which the person may sign in. */
export const useIdentities = () =>
  useQuery({
    queryKey: ["me", "identities"],
    queryFn: ({ signal }) => request<{ data: Identity[] }>("GET", "/v1/me/single-sign-on", undefined, signal),
  });

export const useMe = () =>
  useQuery({ queryKey: ["me"], queryFn: ({ signal }) => request<User>("GET", "/v1/me", undefined, signal) });

export const useSessions = () =>
  useQuery({
    queryKey: ["me", "sessions"],
    queryFn: ({ signal }) => request<{ data: WebSession[] }>("GET", "/v1/me/sessions", undefined, signal),
  });
