// What stands in the address behind the question mark, as pages read and change it.
import { useCallback } from "react";
import { useSearchParams, type SetSearchParams } from "wouter";

/**
 * As wouter's useSearchParams, but what changes the parameters gets a copy, which it may change in place. wouter hands out
 * the object that pages read, which then differs from the address wherever the address is not left after all.
 */
export function useAddressParams(): [URLSearchParams, SetSearchParams] {
  const [params, set] = useSearchParams();
  const change = useCallback<SetSearchParams>(
    (next, options) => set(typeof next === "function" ? next(new URLSearchParams(location.search)) : next, options),
    [set],
  );
  return [params, change];
}
