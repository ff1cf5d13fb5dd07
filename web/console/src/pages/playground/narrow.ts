import { useEffect, useState } from "react";

const narrow = "(width < 900px)";

/** Whether there is room for one pane alone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const query = matchMedia(narrow);
    const note = () => setNarrow(query.matches);
    query.addEventListener("change", note);
    return () => query.removeEventListener("change", note);
  }, []);
  return isNarrow;
}
