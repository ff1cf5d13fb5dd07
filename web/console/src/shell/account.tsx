import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Redirect, useLocation } from "wouter";
import { findAccountOfAgent } from "../api/agent-account";
import { hooks } from "../api/client";
import { isOpen, type Membership, type User } from "../api/session";
import { Opening } from "../components/states";
import { NoCompanyPage, UnknownCompanyPage } from "../pages/no-company";

interface Props {
  user: User;
  memberships: readonly Membership[];
  /** Draws what is in the account, and has what its addresses begin with. */
  children: (account: Membership, base: string) => ReactNode;
}

const root = "/console";

/** The account that an address names, and the address without it. */
export function splitAddress(path: string): { named: string | null; rest: string } {
  const found = /^\/console\/a\/([\w-]+)(.*)$/.exec(path);
  return found ? { named: found[1]!, rest: found[2]! } : { named: null, rest: path.slice(root.length) };
}

/**
 * Leads to the account that the address names. Where it names none, that is the one of the agent in the address, and
 * else the first one. People who belong to a single company have no account in their addresses.
 */
export function InAccount({ user, memberships, children }: Props) {
  const [path] = useLocation();
  const { named, rest } = splitAddress(path);
  const [first] = memberships;
  const account = named === null ? first : memberships.find(({ accountId }) => accountId === named);
  const isOnly = memberships.length === 1;
  if (!first) return leaveAccount(<NoCompanyPage user={user} />);
  if (!account) return leaveAccount(<UnknownCompanyPage user={user} memberships={memberships} />);
  if (named === null && !isOnly) return leaveAccount(<FindAccount rest={rest} memberships={memberships} />);
  if (named !== null && isOnly) return <GoTo path={root + rest} />;
  hooks.account = account.accountId;
  return children(account, isOnly ? root : addressOf(account));
}

const addressOf = ({ accountId }: Membership) => `${root}/a/${encodeURIComponent(accountId)}`;

function leaveAccount(page: ReactNode) {
  hooks.account = null;
  return page;
}

const GoTo = ({ path }: { path: string }) => <Redirect to={path + location.search + location.hash} replace />;

function FindAccount({ rest, memberships }: { rest: string; memberships: readonly Membership[] }) {
  const agent = /^\/(?:agents|welcome)\/([\w-]+)/.exec(rest)?.[1] ?? "";
  const open = memberships.filter(isOpen);
  const found = useQuery({
    queryKey: ["accountOf", agent],
    queryFn: ({ signal }) => findAccountOfAgent(agent, open, signal),
    enabled: agent !== "",
    retry: false,
  });
  if (agent && found.isPending) return <Opening />;
  const account = memberships.find(({ accountId }) => accountId === found.data) ?? open[0] ?? memberships[0]!;
  return <GoTo path={addressOf(account) + rest} />;
}
