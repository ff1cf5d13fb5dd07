import { useRef, useState, type KeyboardEvent } from "react";
import { useLocale } from "react-aria-components";
import { Link } from "wouter"; // that of the other screens is always reached by Tab
import styles from "./insights.module.css";

export interface Bar {
  key: string;
  href: string;
  /** What it shows, in words. */
  label: string;
  /** From the lower end: how high each part is, of 100 for the whole bar, and its look. */
  parts: readonly { size: number; look: "strong" | "weak" | "good" | "neutral" | "bad" }[];
}

interface Props {
  label: string;
  bars: readonly Bar[];
  /** A strip is as high as a line. */
  isStrip?: boolean;
  /** Is called with what the focused bar shows, and without it when none has the focus. */
  onFocus: (label: string | null) => void;
}

/** Bars side by side, each a link. One of them is reached by Tab, the others by the arrow keys, Home and End. */
export function Bars({ label, bars, isStrip = false, onFocus }: Props) {
  const [chosen, choose] = useState(bars.length - 1);
  const list = useRef<HTMLOListElement>(null);
  const { direction } = useLocale();
  const last = bars.length - 1;
  const current = Math.min(chosen, last);
  const move = (event: KeyboardEvent) => {
    const onwards = direction === "rtl" ? -1 : 1;
    const places: Readonly<Record<string, number>> = { ArrowRight: current + onwards, ArrowLeft: current - onwards, Home: 0, End: last };
    const next = places[event.key];
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return; // of the browser
    event.preventDefault();
    list.current?.querySelectorAll("a")[Math.max(0, Math.min(last, next))]?.focus();
  };
  return (
    <ol ref={list} aria-label={label} className={isStrip ? styles.strip : styles.bars} onKeyDown={move} onBlur={() => onFocus(null)}>
      {bars.map((bar, i) => (
        <li key={bar.key}>
          <Link
            href={bar.href}
            aria-label={bar.label}
            tabIndex={i === current ? 0 : -1}
            onFocus={() => {
              choose(i);
              onFocus(bar.label);
            }}
          >
            <Drawn bar={bar} />
          </Link>
        </li>
      ))}
    </ol>
  );
}

function Drawn({ bar: { label, parts } }: { bar: Bar }) {
  const below = (at: number) => parts.slice(0, at).reduce((sum, { size }) => sum + size, 0);
  return (
    <svg aria-hidden="true" viewBox="0 0 1 100" preserveAspectRatio="none" fill="currentColor">
      <title>{label}</title>
      {parts.map(({ size, look }, i) => (
        <rect key={look} className={styles[look]} y={100 - below(i) - size} width={1} height={size} />
      ))}
    </svg>
  );
}
