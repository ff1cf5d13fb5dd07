/** Screens that the open chat takes as a whole. */
export const smallScreen = "(max-width:640px),(pointer:coarse) and (max-height:500px)";

export const isSmall = () => matchMedia(smallScreen).matches;

const near = 90; // px

/** Hides the button while a field of the page near it is written in, on small screens. Returns what ends that. */
export function stayClear(button: HTMLElement): () => void {
  function change({ type, target }: FocusEvent): void {
    const field = target as HTMLElement;
    const a = field.getBoundingClientRect();
    const b = button.getBoundingClientRect();
    const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) || field.isContentEditable;
    const isNear = a.bottom > b.top - near && a.top < b.bottom + near && a.right > b.left - near && a.left < b.right + near;
    button.style.visibility = type === "focusin" && isField && isNear && isSmall() ? "hidden" : "";
  }
  const types = ["focusin", "focusout"] as const;
  types.forEach((type) => document.addEventListener(type, change));
  return () => types.forEach((type) => document.removeEventListener(type, change));
}
