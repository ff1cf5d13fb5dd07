import { Lexer, Tokenizer } from "marked";
import { Component, createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { createLexer } from "../../shared/markdown/lexer";
import type { Block, Inline, Item } from "../../shared/markdown/nodes";
import { useChat } from "./context";
import { isOwnFile } from "./files/own-files";
import { OuterLink } from "./outer-link";
import styles from "./markdown.module.css";

/** Lexes Markdown, the same way as the console does. */
export const lex = createLexer({ Lexer, Tokenizer });

/** Draws the mark of a citation. */
export type DrawMark = (index: number) => ComponentChildren;

const Marks = createContext<DrawMark>(() => null);

/** Shows blocks of Markdown. Every node becomes an element of its own; none is made of HTML. */
export function Markdown({ blocks, drawMark = noMark }: { blocks: readonly Block[]; drawMark?: DrawMark | undefined }) {
  return (
    <Marks.Provider value={drawMark}>
      <div class={styles.markdown} dir="auto">
        {blocks.map((block, i) => (
          <BlockView key={i} block={block} />
        ))}
      </div>
    </Marks.Provider>
  );
}

const noMark: DrawMark = () => null;

/** A block. The same one is not drawn again: of an answer that is being written only the end is. */
class BlockView extends Component<{ block: Block }> {
  override shouldComponentUpdate({ block }: { block: Block }) {
    return block !== this.props.block;
  }

  override render() {
    return drawBlock(this.props.block);
  }
}

function drawBlock(block: Block) {
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
      return <p class={styles.raw}>{block.text}</p>;
  }
}

const Blocks = ({ blocks }: { blocks: readonly Block[] }) => blocks.map((block, i) => <BlockView key={i} block={block} />);

function Fence({ text, language }: { text: string; language: string }) {
  const { t } = useChat().texts;
  return (
    <pre class={styles.fence} tabIndex={0} role="region" aria-label={language || t("chat.code")} dir="ltr">
      {language && <span class={styles.language}>{language}</span>}
      <code>{text}</code>
    </pre>
  );
}

function List({ block }: { block: Extract<Block, { kind: "list" }> }) {
  const items = block.items.map((item, i) => <ItemView key={i} item={item} isLoose={block.isLoose} />);
  return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
}

function ItemView({ item, isLoose }: { item: Item; isLoose: boolean }) {
  const { t } = useChat().texts;
  const isTask = item.isDone !== undefined;
  return (
    <li class={isTask ? styles.task : undefined} dir="auto">
      {isTask && <input type="checkbox" checked={item.isDone} disabled aria-label={t("chat.task")} />}
      {item.children.map((block, i) =>
        block.kind === "paragraph" && !isLoose ? <Inlines key={i} nodes={block.children} /> : <BlockView key={i} block={block} />,
      )}
    </li>
  );
}

const alignments = { left: undefined, center: styles.centered, right: styles.atEnd };

function Table({ block }: { block: Extract<Block, { kind: "table" }> }) {
  const { t } = useChat().texts;
  const look = (i: number) => alignments[block.align[i] ?? "left"];
  return (
    <div class={styles.scroll} tabIndex={0} role="region" aria-label={t("chat.table")}>
      <table>
        <thead>
          <tr>
            {block.header.map((cell, i) => (
              <th key={i} scope="col" class={look(i)}>
                <Inlines nodes={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} class={look(j)}>
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

function Inlines({ nodes }: { nodes: readonly Inline[] }) {
  const runs = withMarks(nodes);
  return (
    <>
      {runs.map(([node, marks], i) =>
        node.kind === "text" && marks.length > 0 ? (
          <MarkedText key={i} text={node.text} marks={marks} />
        ) : (
          <InlineView key={i} node={node} />
        ),
      )}
    </>
  );
}

/** Nodes, of which a text has the marks of citations right behind it. */
function withMarks(nodes: readonly Inline[]): [Inline, Inline[]][] {
  const runs: [Inline, Inline[]][] = [];
  for (const node of nodes) {
    const last = runs.at(-1);
    if (node.kind === "cite" && last?.[0].kind === "text") last[1].push(node);
    else runs.push([node, []]);
  }
  return runs;
}

// The end of the last word; of writing without spaces, the last sign.
const lastWord = /[^\s\u2e80-\uffef]{1,16}$|\S$/u;

/** A text and the marks behind it, which stay in the line of its last word: no line begins with a mark. */
function MarkedText({ text, marks }: { text: string; marks: readonly Inline[] }) {
  const at = text.search(lastWord);
  const start = at < 0 ? text.length : at;
  return (
    <>
      {text.slice(0, start)}
      <span class={styles.together}>
        {text.slice(start)}
        {marks.map((mark, i) => (
          <InlineView key={i} node={mark} />
        ))}
      </span>
    </>
  );
}

function InlineView({ node }: { node: Inline }) {
  const drawMark = useContext(Marks);
  switch (node.kind) {
    case "text":
      return node.text;
    case "code":
      return <code>{node.text}</code>;
    case "cite":
      return drawMark(node.index);
    case "break":
      return <br />;
    case "strong":
    case "em":
    case "del": {
      const Element = node.kind;
      return (
        <Element>
          <Inlines nodes={node.children} />
        </Element>
      );
    }
    case "link":
      return (
        <OuterLink href={node.address.href} host={node.isOther ? node.address.host : ""}>
          <Inlines nodes={node.children} />
        </OuterLink>
      );
    case "image":
      return <Picture href={node.address.href} alt={node.alt} />;
  }
}

/** A picture of this server. Others are not loaded: their addresses may tell others that they are looked at. */
function Picture({ href, alt }: { href: string; alt: string }) {
  const { config, texts } = useChat();
  const { t } = texts;
  if (isOwnFile(href, config.agentId)) return <img class={styles.picture} src={href} alt={alt} loading="lazy" />;
  return <OuterLink href={href}>{t("chat.image", { alt: alt || href })}</OuterLink>;
}
