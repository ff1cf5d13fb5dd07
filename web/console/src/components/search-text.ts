import { useEffect, useState } from "react";

const pause = 250; // milliseconds without a key before it is told

/**
 * The text of a search as it is typed. `tell` is called once nobody types for a moment; what changes `told` elsewhere,
 * such as a button that shows all again, is in the field as well.
 */
export function useSearchText(told: string, tell: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(told);
  const [before, setBefore] = useState(told);
  if (told !== before) {
    setBefore(told);
    setText(told);
  }
  useEffect(() => {
    if (text === told) return;
    const timer = setTimeout(() => tell(text), pause);
    return () => clearTimeout(timer);
  });
  return [text, setText];
}
