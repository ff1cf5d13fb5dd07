import { useRef, type KeyboardEvent } from "react";

/**
 * Has Enter run the first of what is found until another is moved to: what is typed and confirmed at once must not
 * depend on whether the list has been drawn again.
 */
export function useFirstByEnter(runFirst: () => void) {
  const hasMoved = useRef(true); // nothing has been typed
  const onKeyDown = (event: KeyboardEvent) => {
    if (/^(Arrow(Up|Down)|Home|End|Page)/.test(event.key)) hasMoved.current = true;
    if (event.key !== "Enter" || event.nativeEvent.isComposing || hasMoved.current) return;
    event.preventDefault();
    event.stopPropagation();
    runFirst();
  };
  return { onKeyDown, onMoved: () => (hasMoved.current = true), onTyped: () => (hasMoved.current = false) };
}
