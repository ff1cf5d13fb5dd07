// How the server does that the company is on.
import { useQuery } from "@tanstack/react-query";
import { hooks, request } from "./client";
import type { components } from "./operator";

export type ServerState = components["schemas"]["ServerState"];

const interval = 10_000; // milliseconds: no event tells of it

export const useServerState = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["server"],
    queryFn: ({ signal }) => request<ServerState>("GET", `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/server`, undefined, signal),
    enabled: isEnabled,
    refetchInterval: interval,
  });

const nearlyFull = 0.1;
/** Reports whether hardly anything of a disk is left. */
export const isNearlyFull = ({ freeBytes, bytes }: NonNullable<ServerState["disk"]>) => freeBytes < bytes * nearlyFull;

const longestWait = 60; // seconds that a job waits where nothing holds it up
export const isLate = (queue: ServerState["queue"]) => queue.oldestDueSeconds > longestWait;
