import { useEffect, useRef, type ReactNode } from "react";

interface Props {
  /** How many exchanges there are: with a new one the end is followed again. */
  count: number;
  /** Whether it ends with what is newest; else there is nothing to follow. */
  isEnd?: boolean;
  label: string;
  className: string | undefined;
  innerClassName?: string | undefined;
  children: ReactNode;
}

/**
 * A part that scrolls and keeps its end in view while it grows, unless somebody has scrolled up to read. Both observers
 * are told after the browser has laid out the page, and of one frame the one of sizes first. A script that asked for a
 * size itself would make the browser lay out at once, which takes longer than all the rest where an answer is long.
 */
export function FollowedEnd({ count, isEnd = true, label, className, innerClassName, children }: Props) {
  const area = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const hasEnd = useRef(isEnd);
  hasEnd.current = isEnd;
  useEffect(() => {
    const root = area.current!;
    const sizes = new ResizeObserver(() => isAtEnd.current && hasEnd.current && (root.scrollTop = root.scrollHeight));
    sizes.observe(root);
    sizes.observe(inner.current!);
    const places = new IntersectionObserver(
      (entries) => void (isAtEnd.current = hasEnd.current && entries.at(-1)!.isIntersecting),
      { root, rootMargin: "0px 0px 48px" },
    );
    places.observe(end.current!);
    return () => {
      sizes.disconnect();
      places.disconnect();
    };
  }, []);
  useEffect(() => {
    isAtEnd.current = true;
  }, [count]);
  useEffect(() => {
    if (!isEnd) isAtEnd.current = false;
  }, [isEnd]);
  return (
    <div className={className} ref={area} tabIndex={0} role="region" aria-label={label}>
      <div className={innerClassName} ref={inner}>
        {children}
      </div>
      <div ref={end} />
    </div>
  );
}
