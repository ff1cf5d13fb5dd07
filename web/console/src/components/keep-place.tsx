import { Component, createRef, type ReactNode } from "react";

/** What the rows of lists are found by: React Aria's own, and those that are named for this. */
const rowsIn = "[data-row], [data-key]";

interface Props {
  /** Keeps it also at the very beginning of what scrolls, where else the newest rows are wanted. */
  isStartKept?: boolean;
  children: ReactNode;
}

/** Where each row in view is that has a name, in pixels. */
type Places = ReadonlyMap<string, number>;

/**
 * Keeps what is in view where it is while rows above it come, go and change their heights. Not all browsers do so themselves.
 */
export class KeepPlace extends Component<Props> {
  private readonly area = createRef<HTMLDivElement>();

  override componentDidMount(): void {
    this.setAnchor("none"); // a browser that keeps the place as well would move it twice
  }

  override componentWillUnmount(): void {
    this.setAnchor("");
  }

  private setAnchor(value: string): void {
    for (const one of scrollersOf(this.area.current)) one.style.setProperty("overflow-anchor", value);
  }

  override getSnapshotBeforeUpdate(): Places | null {
    const root = scrollerOf(this.area.current!);
    return root.scrollTop > 0 || this.props.isStartKept ? this.places(root) : null;
  }

  override componentDidUpdate(_: Props, __: unknown, before: Places | null): void {
    if (!before || before.size === 0) return;
    this.restore(before);
    // Lists of React Aria draw their rows after this, and before the browser draws the page.
    const drawn = [...this.rows()];
    queueMicrotask(() => this.area.current && this.hasOthers(drawn) && this.restore(before));
  }

  /** Reports whether there are other rows than those. */
  private hasOthers(former: readonly HTMLElement[]): boolean {
    const rows = this.rows();
    return rows.length !== former.length || former.some((row, i) => row !== rows[i]);
  }

  private restore(before: Places): void {
    const moves: number[] = [];
    for (const row of this.rows()) {
      const place = before.get(nameOf(row));
      if (place !== undefined) moves.push(row.getBoundingClientRect().top - place);
    }
    // Of a row that has moved among the others the place is not kept, but that of most.
    const move = moves.toSorted((a, b) => a - b)[moves.length >> 1] ?? 0;
    if (Math.abs(move) >= 1) scrollerOf(this.area.current!).scrollTop += move;
  }

  private rows = () => this.area.current!.querySelectorAll<HTMLElement>(rowsIn);

  private places(root: Element): Places {
    const { top, bottom } = viewOf(root);
    const found = new Map<string, number>();
    for (const row of this.rows()) {
      const place = row.getBoundingClientRect();
      if (place.top >= bottom) break;
      if (place.bottom > top) found.set(nameOf(row), place.top);
    }
    return found;
  }

  override render() {
    return (
      <div ref={this.area} data-keeps-place="">
        {this.props.children}
      </div>
    );
  }
}

const nameOf = ({ dataset }: HTMLElement) => dataset.row ?? dataset.key ?? "";

/** What may scroll an element, the innermost first and the page last. */
function scrollersOf(element: Element | null): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let one = element?.parentElement; one && one !== document.body; one = one.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(one).overflowY)) found.push(one);
  }
  return [...found, document.documentElement];
}

/** What scrolls an element at present. */
const scrollerOf = (element: Element) =>
  scrollersOf(element).find((one) => one.scrollHeight > one.clientHeight || one === document.documentElement)!;

function viewOf(root: Element): { top: number; bottom: number } {
  return root === document.documentElement ? { top: 0, bottom: innerHeight } : root.getBoundingClientRect();
}
