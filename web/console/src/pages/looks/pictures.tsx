// The pictures of an agent: on the button and beside its answers. They are saved as soon as they are chosen.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { APIError } from "../../api/client";
import { pictureNames, removePicture, setPicture, usePagesOrigin, usePreviewTicket, type PictureName } from "../../api/embed";
import { Button } from "../../components/button";
import { Icon } from "../../components/icon";
import { Section } from "../../components/page";
import { Failed } from "../../components/states";
import { Toggle } from "../../components/toggle";
import { explainFault } from "../../faults";
import { useTexts } from "../../i18n";
import { checkPicture, pictureTypes, type PictureFault } from "./picture-file";
import styles from "./looks.module.css";

export function Pictures({ id }: { id: string }) {
  const { t } = useTexts();
  const [isSynced, setSynced] = useState(false);
  return (
    <Section title={t("looks.pictures")}>
      <p className={styles.note}>{t("looks.picturesText")}</p>
      {pictureNames.map((name) => (
        <Picture key={name} id={id} name={name} isSynced={name === "icon" && isSynced}>
          {name === "icon" && (
            <Toggle isSelected={isSynced} onChange={setSynced}>
              {t("looks.syncAccent")}
            </Toggle>
          )}
        </Picture>
      ))}
    </Section>
  );
}

interface Props {
  id: string;
  name: PictureName;
  /** The color of the picture becomes that of links and marks in center stage. */
  isSynced: boolean;
  children: React.ReactNode;
}

function Picture({ id, name, isSynced, children }: Props) {
  const { t, locale } = useTexts();
  const { shown, isBusy, fault, error, choose, remove } = usePicture(id, name, isSynced);
  const label = t(`looks.${name}`);
  return (
    <div className={styles.picture} role="group" aria-label={label}>
      <span className={styles.shown}>{shown ? <img src={shown} alt={label} /> : <Icon name={name === "icon" ? "message-circle-question-mark" : "bot"} size={24} />}</span>
      <div className={styles.choosing}>
        <strong>{label}</strong>
        <div className={styles.buttons}>
          <FileTrigger acceptedFileTypes={pictureTypes} onSelect={(list) => list?.[0] && void choose(list[0])}>
            <Button icon="upload" isPending={isBusy}>
              {t(shown ? "looks.replacePicture" : "looks.choosePicture")}
            </Button>
          </FileTrigger>
          {shown && <Button onPress={() => void remove()}>{t("looks.removePicture")}</Button>}
        </div>
        {children}
        {fault && (
          <p role="alert" className={styles.fault}>
            {fault.key === "refused" ? explainFault(fault.reason, t, locale) : t(fault.key, fault.values)}
          </p>
        )}
        {error !== null && <Failed error={error} />}
      </div>
    </div>
  );
}

type Fault = PictureFault | { key: "refused"; reason: string };

// usePicture sends a picture and has the preview shown anew with it. What the server says of the file is a fault of it.
function usePicture(id: string, name: PictureName, isSynced: boolean) {
  const client = useQueryClient();
  const ticket = usePreviewTicket(id);
  const origin = usePagesOrigin(id);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [error, setError] = useState<unknown>(null);
  const run = async (send: () => Promise<unknown>) => {
    setBusy(true);
    setFault(null);
    setError(null);
    try {
      await send();
      await client.invalidateQueries({ queryKey: ["preview-ticket", id] });
      if (isSynced) await client.invalidateQueries({ queryKey: ["settings", id] });
    } catch (thrown) {
      const reason = thrown instanceof APIError && thrown.details.image;
      if (typeof reason === "string") setFault({ key: "refused", reason });
      else setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const choose = async (file: File) => {
    const found = await checkPicture(file);
    setError(null);
    setFault(found);
    if (!found) await run(() => setPicture(id, name, file, isSynced));
  };
  const path = ticket.data?.[name];
  return { shown: path && origin + path, isBusy, fault, error, choose, remove: () => run(() => removePicture(id, name)) };
}
