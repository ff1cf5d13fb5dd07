import { readAddress } from "../../../../shared/markdown/links";
import type { components } from "../../api/operator";
import { Icon } from "../../components/icon";
import { formatSize, useTexts } from "../../i18n";
import { showName } from "../../names";
import styles from "./inbox.module.css";

type ThreadFile = components["schemas"]["ThreadFile"];

/** The files of a message: each is a download, whatever is in it. */
export function MessageFiles({ files }: { files: readonly ThreadFile[] }) {
  const { t, locale } = useTexts();
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t("tickets.files")}>
      {files.map(({ name, size, address }, i) => {
        const shown = (
          <>
            <Icon name="file-text" size={16} />
            <bdi>{showName(name, t)}</bdi> {formatSize(size, locale)}
          </>
        );
        const isOurs = address && (address.startsWith("/") || readAddress(address));
        return <li key={i}>{isOurs ? <a href={address} rel="noreferrer" download>{shown}</a> : shown}</li>;
      })}
    </ul>
  );
}
