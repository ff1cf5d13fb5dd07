import { createElement } from "react";
import { icons, type IconName } from "../../../shared/icons";

/** An icon beside a word, or in a control that has a name: it says nothing by itself. */
export function Icon({ name, size = 18, className }: { name: IconName; size?: number; className?: string | undefined }) {
  return (
    <svg
      aria-hidden="true"
      className={className}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {icons[name].map(([tag, attributes], i) => createElement(tag, { ...attributes, key: i }))}
    </svg>
  );
}
