import { APIError, request } from "./client";
import type { Membership } from "./session";

/** The first of the person's accounts that has the agent; null if none has. */
export async function findAccountOfAgent(
  id: string,
  memberships: readonly Membership[],
  signal: AbortSignal,
): Promise<string | null> {
  for (const { accountId } of memberships) {
    try {
      await request("GET", `/v2/agents/${encodeURIComponent(id)}`, undefined, signal, accountId);
      return accountId;
    } catch (error) {
      if (!(error instanceof APIError) || error.status === 0 || error.status >= 500) throw error;
    }
  }
  return null;
}
