import { createContext, memo, useContext, useRef, type ReactNode } from "react";
import type { Block, Inline, Item } from "../../../../shared/markdown/nodes";
import { useTexts } from "../../i18n";
import styles from "./markdown.module.css";

interface Marks {
  /** Draws the mark of a citation. */
  render: (index: number) => ReactNode;
  /** The citations whose sentences stand out. */
  active: ReadonlySet<number>;
}

const noMarks: Marks = { render: () => null, active: new Set() };
const MarksContext = createContext<Marks>(noMarks);

const groupSize = 16;

/** The blocks in groups, the same array for each in which no block is another one than before. */
function useGroups(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const before = useRef<readonly (readonly Block[])[]>([]);
  const groups = Array.from({ length: Math.ceil(blocks.length / groupSize) }, (_, i) => {
    const group = blocks.slice(i * groupSize, (i + 1) * groupSize);
    const known = before.current[i];
    return known?.length === group.length && group.every((block, at) => block === known[at]) ? known : group;
  });
  return (before.current = groups);
}

const knownCited = new WeakMap<Block, boolean>();

/** Whether a block has a mark, or words that one is about. */
function isCited(block: Block): boolean {
  const known = knownCited.get(block) ?? /"kind":"cite"|"of":\[\d/.test(JSON.stringify(block));
  knownCited.set(block, known);
  return known;
}

/**
 * Shows blocks of Markdown. Every node becomes an element of its own; none is made of HTML. Of a text that grows, the
 * groups alone are looked at in which something is new, and marks change the blocks alone that have some.
 */
export function Markdown({ blocks, marks = noMarks }: { blocks: readonly Block[]; marks?: Marks }) {
  const groups = useGroups(blocks);
  return (
    <div className={styles.markdown} dir="auto">
      {groups.map((group, i) => (
        <Group key={i} blocks={group} marks={marks} />
      ))}
    </div>
  );
}

const Group = memo(function Group({ blocks, marks }: { blocks: readonly Block[]; marks: Marks }) {
  return blocks.map((block, i) => (
    <MarksContext key={i} value={marks !== noMarks && isCited(block) ? marks : noMarks}>
      <BlockView block={block} />
    </MarksContext>
  ));
});

const BlockView = memo(function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p dir="auto">
          <Inlines nodes={block.children} />
        </p>
      );
    case "heading": {
      const Heading = `h${block.level}` as const;
      return (
        <Heading dir="auto">
          <Inlines nodes={block.children} />
        </Heading>
      );
    }
    case "fence":
      return <Fence text={block.text} language={block.language} />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case "list":
      return <List block={block} />;
    case "table":
      return <Table block={block} />;
    case "rule":
      return <hr />;
    case "raw":
      return <p className={styles.raw}>{block.text}</p>;
  }
});

const Blocks = ({ blocks }: { blocks: readonly Block[] }) => blocks.map((block, i) => <BlockView key={i} block={block} />);

function Fence({ text, language }: { text: string; language: string }) {
  const { t } = useTexts();
  return (
    <pre className={styles.fence} tabIndex={0} role="region" aria-label={language || t("markdown.code")} dir="ltr">
      {language && <span className={styles.language}>{language}</span>}
      <code>{text}</code>
    </pre>
  );
}

function List({ block }: { block: Extract<Block, { kind: "list" }> }) {
  const items = block.items.map((item, i) => <ItemView key={i} item={item} isLoose={block.isLoose} />);
  return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
}

function ItemView({ item, isLoose }: { item: Item; isLoose: boolean }) {
  const { t } = useTexts();
  const isTask = item.isDone !== undefined;
  return (
    <li className={isTask ? styles.task : undefined} dir="auto">
      {isTask && <input type="checkbox" checked={item.isDone} disabled readOnly aria-label={t("markdown.task")} />}
      {item.children.map((block, i) =>
        block.kind === "paragraph" && !isLoose ? <Inlines key={i} nodes={block.children} /> : <BlockView key={i} block={block} />,
      )}
    </li>
  );
}

function Table({ block }: { block: Extract<Block, { kind: "table" }> }) {
  const { t } = useTexts();
  const looks = { left: undefined, center: styles.centered, right: styles.atEnd };
  const look = (i: number) => looks[block.align[i] ?? "left"];
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={t("markdown.table")}>
      <table>
        <thead>
          <tr>
            {block.header.map((cell, i) => (
              <th key={i} scope="col" className={look(i)}>
                <Inlines nodes={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} className={look(j)}>
                  <Inlines nodes={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Inlines = ({ nodes }: { nodes: readonly Inline[] }) => nodes.map((node, i) => <InlineView key={i} node={node} />);

function InlineView({ node }: { node: Inline }) {
  const { render, active } = useContext(MarksContext);
  switch (node.kind) {
    case "text":
      return node.of.some((index) => active.has(index)) ? <mark className={styles.active}>{node.text}</mark> : node.text;
    case "code":
      return <code>{node.text}</code>;
    case "cite":
      return render(node.index);
    case "break":
      return <br />;
    case "strong":
      return (
        <strong>
          <Inlines nodes={node.children} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines nodes={node.children} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines nodes={node.children} />
        </del>
      );
    case "link":
      return <OuterLink href={node.address.href} host={node.isOther ? node.address.host : ""} children={<Inlines nodes={node.children} />} />;
    case "image":
      return <ImageLink href={node.address.href} alt={node.alt} />;
  }
}

/** A link that leads out of the console and tells nobody where it came from. */
export function OuterLink({ href, host = "", children }: { href: string; host?: string; children: ReactNode }) {
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
      </a>
      {host && <bdi className={styles.host}> ({host})</bdi>}
    </>
  );
}

/** Pictures are not loaded: their addresses may tell others that they are looked at. */
function ImageLink({ href, alt }: { href: string; alt: string }) {
  const { t } = useTexts();
  return <OuterLink href={href}>{t("markdown.image", { alt: alt || href })}</OuterLink>;
}
