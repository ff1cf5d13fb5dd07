import { useEffect, useState } from "react";
import { request } from "./client";
import { useCurrentLive } from "./events";

type State = "looking" | "typing";

interface Presence {
  userId: string;
  type: string;
  id: string;
  state: State | "gone";
}

const interval = 10_000; // the server forgets after 20 seconds

/** Tells the others what is looked at, for as long as the page is seen, and returns who else does. */
export function usePresence(type: string, id: string, state: State): ReadonlyMap<string, State> {
  const live = useCurrentLive();
  const [others, setOthers] = useState<ReadonlyMap<string, State>>(new Map());
  useEffect(() => {
    return live?.onPresence(({ data }) => {
      const one = JSON.parse(data) as Presence;
      if (one.type !== type || one.id !== id) return;
      setOthers((before) => {
        const after = new Map(before);
        if (one.state === "gone") after.delete(one.userId);
        else after.set(one.userId, one.state);
        return after;
      });
    });
  }, [live, type, id]);
  useEffect(() => {
    if (!live) return;
    const say = (what: Presence["state"]) =>
      void request("POST", "/v1/presence", { type, id, state: what }).catch(() => {}); // the next one is soon
    const repeat = () => document.visibilityState === "visible" && live.state.name === "live" && say(state);
    repeat();
    const timer = setInterval(repeat, interval);
    return () => clearInterval(timer);
  }, [live, type, id, state]);
  useEffect(() => {
    if (!live) return;
    return () => void request("POST", "/v1/presence", { type, id, state: "gone" }).catch(() => {});
  }, [live, type, id]);
  return others;
}
