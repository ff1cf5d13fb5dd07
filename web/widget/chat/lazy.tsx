import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";

/**
 * A component that is loaded when it is first shown, or before that by `preload`. Until then another one is shown in its
 * place. Where it cannot be loaded, it is tried again the next time.
 */
export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>, Waiting?: FunctionComponent<Props>) {
  const loaded = signal<{ Component: FunctionComponent<Props> } | null>(null);
  let loading: Promise<void> | null = null;
  const preload = () =>
    (loading ??= load().then(
      (Component) => void (loaded.value = { Component }),
      () => void (loading = null),
    ));
  function Lazy(props: Props) {
    useEffect(() => void preload(), []);
    const found = loaded.value;
    if (found) return <found.Component {...props} />;
    return Waiting ? <Waiting {...props} /> : null;
  }
  return Object.assign(Lazy, { preload });
}
