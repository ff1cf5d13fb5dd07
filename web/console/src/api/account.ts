// The company as a whole.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { hooks, request, requestFile } from "./client";
import { useDraft, type Stored, type Values } from "./draft";
import type { components } from "./operator";

export type Account = components["schemas"]["Account"];

const queryKey = ["account"];

/** The company that the screen is about. */
export const useAccount = () =>
  useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await request<Account[]>("GET", "/v1/accounts", undefined, signal))[0] ?? null,
  });

const settingsOf = ({ name, plan, hipaa, viewersSeePersonalData, timeZone, onlySingleSignOn, exemptOwner, adminsNeedPasskey, noPasswords }: Account): Values => ({
  name,
  plan,
  hipaa,
  viewersSeePersonalData,
  timeZone,
  onlySingleSignOn,
  exemptOwner,
  adminsNeedPasskey,
  noPasswords,
});

const toStored = (account: Account): Stored<string> => ({ version: "", settings: settingsOf(account) });

/** Sets how many credits the company has in a month; null for those of its plan. The server asks who the person is. */
export const changeCredits = (credits: number | string | null) =>
  request<Account>("PATCH", `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}`, { credits });

/** Everything of the company, as an archive. The server asks who the person is. `tell` is told how many bytes have come. */
export const exportAccount = (tell: (bytes: number) => void) =>
  requestFile(`/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/archive`, tell);

/** What is being changed of the company. Two owners who change the same have the last one's word count. */
export function useAccountDraft(account: Account | null | undefined) {
  const client = useQueryClient();
  const stored = useMemo(() => (account ? toStored(account) : undefined), [account]);
  return useDraft(`${hooks.account ?? ""}/account`, stored, {
    save: async (_, changes) => {
      const changed = await request<Account>("PATCH", `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}`, changes);
      client.setQueryData(queryKey, changed);
      await client.refetchQueries({ queryKey: ["session"], exact: true });
      return toStored(changed);
    },
    readPresent: async () => null,
    readAgain: () => client.invalidateQueries({ queryKey }),
  });
}
