import { useRef, useState } from "react";
import { Button, Dialog, Popover } from "react-aria-components";
import type { Citation } from "../../../../shared/stream/turn";
import { readAddress, withoutControls } from "../../../../shared/markdown/links";
import { usePassage, type PassageTrace } from "../../api/playground";
import { Icon } from "../../components/icon";
import { OuterLink } from "../../components/markdown/markdown";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { splitAtCitation } from "./citations";
import menu from "../../components/menu.module.css";
import styles from "./citation.module.css";

interface Props {
  agent: string;
  number: number;
  citation: Citation;
  /** As the model was given it, while its source has it. */
  passage: PassageTrace | undefined;
  isActive: boolean;
  onSelect: () => void;
}

/** The mark of a citation. Pointing at it shows the passage, pressing it keeps that open. */
export function CitationMark({ agent, number, citation, passage, isActive, onSelect }: Props) {
  const { t } = useTexts();
  const [open, setOpen] = useState<"" | "shown" | "kept">("");
  const button = useRef<HTMLButtonElement>(null);
  const timer = useRef(0);
  const later = (state: "" | "shown", delay: number) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setOpen((now) => (now === "kept" ? now : state)), delay);
  };
  const press = () => {
    clearTimeout(timer.current);
    setOpen("kept");
    onSelect();
  };
  const card = <CitationCard agent={agent} citation={citation} passage={passage} />;
  return (
    <>
      <Button
        ref={button}
        className={`${styles.mark} ${isActive ? styles.active : ""}`}
        aria-label={t("playground.cite", { number, name: withoutControls(citation.name) })}
        onPress={press}
        onHoverStart={() => later("shown", 250)}
        onHoverEnd={() => later("", 150)}
        onFocusChange={(isFocused) => later(isFocused && button.current?.matches(":focus-visible") ? "shown" : "", 150)}
      >
        {String(number)}
      </Button>
      <Popover
        key={open}
        className={`${menu.popover} ${styles.popover}`}
        triggerRef={button}
        isOpen={open !== ""}
        isNonModal={open === "shown"}
        onOpenChange={(isOpen) => !isOpen && setOpen("")}
      >
        {open === "kept" ? <Dialog aria-label={withoutControls(citation.name) || t("playground.source")}>{card}</Dialog> : card}
      </Popover>
    </>
  );
}

function CitationCard({ agent, citation, passage }: Pick<Props, "agent" | "citation" | "passage">) {
  const found = usePassage(agent, citation, true);
  const parts = splitAtCitation(passage, citation);
  const words = found.data?.text ?? "";
  const address = citation.url ? readAddress(citation.url) : null;
  return (
    <div className={styles.card}>
      <p className={styles.name} dir="auto">
        {withoutControls(citation.name)}
      </p>
      {address && (
        <p className={styles.address} dir="ltr">
          <OuterLink href={address.href}>{address.href}</OuterLink>
        </p>
      )}
      {found.isPending && !parts && <Loading rows={2} />}
      {found.isError && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {parts ? (
        <blockquote className={styles.quote} dir="auto">
          {parts[0]}
          <mark>{parts[1]}</mark>
          {parts[2]}
        </blockquote>
      ) : (
        words && (
          <blockquote className={styles.quote} dir="auto">
            <mark>{words}</mark>
          </blockquote>
        )
      )}
      {found.data && <Standing state={found.data.state} occurs={found.data.occurs} />}
    </div>
  );
}

/** Whether the source still says what was cited. */
function Standing({ state, occurs }: { state: "holds" | "changed" | "gone"; occurs: boolean | null }) {
  const { t } = useTexts();
  const key = state === "changed" && occurs ? "moved" : state;
  const icon = key === "holds" || key === "moved" ? "circle-check" : key === "changed" ? "triangle-alert" : "circle-alert";
  return (
    <p className={`${styles.standing} ${styles[key]}`}>
      <Icon name={icon} size={16} />
      {t(`playground.cited.${key}`)}
    </p>
  );
}
