import { useState } from "react";
import { DropZone, FileTrigger, type DropZoneProps } from "react-aria-components";
import { Button } from "../../components/button";
import { Icon } from "../../components/icon";
import { useTexts } from "../../i18n";
import styles from "./drop.module.css";

const accepted = [".pdf", ".docx", ".doc", ".txt", ".md", ".html", ".csv", ".xlsx", ".pptx", ".odt", ".epub", ".json",
  ".eml", ".mht", ".mhtml", ".vcf", ".ics", ".srt", ".vtt", ".rst", ".tex"];

/** Where files are dropped or chosen. */
export function Drop({ onFiles, autoFocus }: { onFiles: (files: File[]) => void; autoFocus?: boolean }) {
  const { t } = useTexts();
  const [isOver, setOver] = useState(false);
  const drop = async (event: Parameters<NonNullable<DropZoneProps["onDrop"]>>[0]) => {
    const items = await Promise.all(event.items.map((item) => (item.kind === "file" ? item.getFile() : null)));
    onFiles(items.filter((file) => file !== null));
  };
  return (
    <DropZone
      aria-label={t("sources.drop")}
      className={`${styles.zone} ${isOver ? styles.over : ""}`}
      onDropEnter={() => setOver(true)}
      onDropExit={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        void drop(event);
      }}
    >
      <Icon name="upload" size={24} />
      <p>{t("sources.drop")}</p>
      <FileTrigger allowsMultiple acceptedFileTypes={accepted} onSelect={(list) => onFiles([...(list ?? [])])}>
        <Button {...(autoFocus && { autoFocus })}>{t("sources.chooseFiles")}</Button>
      </FileTrigger>
      <p>{t("sources.fileKinds")}</p>
    </DropZone>
  );
}
