import { useEffect, useRef, useState } from "react";
import { isNotFound } from "../../api/client";
import { readRecording } from "../../api/people";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { download } from "../../components/download";
import { Section } from "../../components/page";
import { Progress } from "../../components/progress";
import { RoleNote } from "../../components/role-note";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import styles from "../people/people.module.css";

interface Props {
  sessionId: string;
  isLive: boolean;
}

interface Loaded {
  file: Blob;
  address: string;
}

/** The recording of a voice session. It is loaded when somebody wants to hear it, for it may be large. */
export function Recording({ sessionId, isLive }: Props) {
  const { t } = useTexts();
  const mayHear = useMay("recordings:read");
  const [share, setShare] = useState<number | null>(null);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [error, setError] = useState<unknown>(null);
  const held = useRef("");
  useEffect(() => () => URL.revokeObjectURL(held.current), []);
  const load = async () => {
    setError(null);
    setShare(0);
    try {
      const file = await readRecording(sessionId, setShare);
      held.current = URL.createObjectURL(file);
      setLoaded({ file, address: held.current });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setShare(null);
    }
  };
  const isMissing = isNotFound(error);
  const canLoad = mayHear && !isLive && !loaded && !isMissing;
  return (
    <Section title={t("people.recording")}>
      <RoleNote needs="recordings:read" note="role.recordings" />
      {mayHear && isLive && <p className={styles.hint}>{t("people.recordedLater")}</p>}
      {isMissing && <p className={styles.hint}>{t("people.noRecording")}</p>}
      {error !== null && !isMissing && <Failed error={error} />}
      {canLoad && (
        <div>
          <Button isPending={share !== null} onPress={() => void load()}>
            {t("people.listen")}
          </Button>
        </div>
      )}
      {share !== null && <Progress label={t("people.loadingRecording")} share={share} />}
      {loaded && (
        <>
          <audio className={styles.player} controls src={loaded.address} aria-label={t("people.recording")} />
          <div>
            <Button icon="download" onPress={() => download(loaded.file, `recording-${sessionId}${endingOf(loaded.file)}`)}>
              {t("people.saveRecording")}
            </Button>
          </div>
        </>
      )}
    </Section>
  );
}

const endings: Readonly<Record<string, string>> = { "audio/wav": ".wav", "audio/ogg": ".ogg", "audio/mpeg": ".mp3", "audio/webm": ".webm" };
const endingOf = ({ type }: Blob) => endings[type.split(";")[0] ?? ""] ?? "";
