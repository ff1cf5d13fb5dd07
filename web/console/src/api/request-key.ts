// The keys of requests that must not have their effect twice.
import { useRef } from "react";

export interface RequestKey {
  /** The key of a request: the same as before for the same request, until it is forgotten. */
  of: (request: unknown) => string;
  /** Is called once the request was answered: the next one is another. */
  forget: () => void;
}

/** Names a request, so that what is sent again because its answer was lost is written once. */
export function useRequestKey(): RequestKey {
  const last = useRef({ request: "", key: "" });
  return {
    of: (request) => {
      const text = JSON.stringify(request);
      if (last.current.request !== text) last.current = { request: text, key: crypto.randomUUID() };
      return last.current.key;
    },
    forget: () => void (last.current = { request: "", key: "" }),
  };
}
