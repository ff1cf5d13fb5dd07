// The customers of an agent, the contact details that they have left, and voice sessions with them.
import { useQuery } from "@tanstack/react-query";
import { hooks, request } from "./client";
import type { components } from "./operator";
import { usePages, usePageWindow } from "./pages";

type Schemas = components["schemas"];
export type Customer = Schemas["Customer"];
export type CustomerDetails = Schemas["CustomerDetails"];
export type Lead = Schemas["Lead"];
export type PersonErased = Schemas["PersonErased"];
export type VoiceSession = Schemas["VoiceSession"];

interface Page<T> {
  data: T[];
  pagination: { cursor: string | null; hasMore: boolean };
}

const agentPath = (id: string) => `/v1/agents/${encodeURIComponent(id)}`;

/** The customers of an agent, or those that have the words in what is known of them. */
export const useCustomers = (agentId: string, words: string) => {
  const query = new URLSearchParams({ limit: "50", ...(words && { query: words }) });
  return usePageWindow<Customer>(["agent", agentId, "customers", words], `${agentPath(agentId)}/customers?${query}`, true);
};

/** A customer with what they wrote about; none is read without an id. */
export const useCustomer = (agentId: string, id: string) =>
  useQuery({
    queryKey: ["customer", agentId, id],
    queryFn: ({ signal }) =>
      request<CustomerDetails>("GET", `${agentPath(agentId)}/customers/${encodeURIComponent(id)}`, undefined, signal),
    enabled: id !== "",
  });

/** Makes one customer of two: `from` is gone, and what they wrote and were known by is the other one’s. */
export const mergeCustomers = (agentId: string, id: string, from: string) =>
  request<Customer>("POST", `${agentPath(agentId)}/customers/${encodeURIComponent(id)}/merge`, { from });

const personPath = (act: "export" | "erase") => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/person/${act}`;

/** Whom the account holds something of: by their e-mail address, the id that a client has given them, or both. */
type Known = Pick<CustomerDetails, "email" | "userId">;
const knownOf = ({ email, userId }: Known) => ({ ...(email && { email }), ...(userId && { userId }) });

/** All that the account holds of a person, with every agent. */
export const exportPerson = async (known: Known): Promise<unknown> =>
  (await request<Schemas["PersonExport"]>("POST", personPath("export"), knownOf(known))).export;

/** Erases all that the account holds of a person, for good. */
export const erasePerson = (known: Known) => request<PersonErased>("POST", personPath("erase"), knownOf(known));

export const useLeads = (agentId: string) =>
  usePageWindow<Lead>(["agent", agentId, "leads"], `${agentPath(agentId)}/leads?limit=50`, true);

/** All leads, page after page. */
export async function readLeads(agentId: string): Promise<Lead[]> {
  const all: Lead[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: URLSearchParams = new URLSearchParams({ limit: "100", ...(cursor && { cursor }) });
    const page: Page<Lead> = await request("GET", `${agentPath(agentId)}/leads?${query}`);
    all.push(...page.data);
    cursor = page.pagination.hasMore ? page.pagination.cursor : null;
  }
  return all;
}

const sessionPath = (id: string) => `/v1/voice/sessions/${encodeURIComponent(id)}`;

export const useVoiceSessions = (agentId: string) => {
  const query = new URLSearchParams({ agentId, limit: "50" });
  return usePages<VoiceSession>(["agent", agentId, "voice"], `/v1/voice/sessions?${query}`, true, ({ endedAt }) => endedAt === null);
};

const interval = 5_000; // milliseconds between two looks at a session that goes on

export const useVoiceSession = (id: string) =>
  useQuery({
    queryKey: ["voice", id],
    queryFn: ({ signal }) => request<VoiceSession>("GET", sessionPath(id), undefined, signal),
    refetchInterval: ({ state }) => (state.data?.endedAt === null ? interval : false),
  });

/** Ends a session that goes on. */
export const endVoiceSession = (id: string) => request<Schemas["EndedVoiceSession"]>("POST", `${sessionPath(id)}/end`);

/** Reads a recording part by part; `tell` gets the share of it that is there. */
export async function readRecording(id: string, tell: (share: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let read = 0; ; ) {
    const path = `${sessionPath(id)}/recording?part=${parts.length}`;
    const { part = "", bytes, mediaType } = await request<Schemas["VoiceRecording"]>("GET", path);
    const piece = Uint8Array.from(atob(part), (sign) => sign.charCodeAt(0));
    parts.push(piece);
    read += piece.length;
    tell(bytes > 0 ? read / bytes : 1);
    if (piece.length === 0 || read >= bytes) return new Blob(parts, { type: mediaType.startsWith("audio/") ? mediaType : "audio/wav" });
  }
}
