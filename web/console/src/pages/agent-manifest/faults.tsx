// What is wrong with a manifest, each with its line.
import { useEffect, useRef } from "react";
import { APIError } from "../../api/client";
import { Button } from "../../components/button";
import { Failed } from "../../components/states";
import { findFaultText } from "../../faults";
import { useTexts } from "../../i18n";
import styles from "./agent-manifest.module.css";

interface Fault {
  /** Of the text, from 1; undefined for what is in no line. */
  line: number | undefined;
  path: string;
  said: string;
}

// The server names the lines; one of them may have several faults, each behind the path of its value.
const readFaults = (error: unknown): Fault[] =>
  Object.entries(error instanceof APIError ? error.details : {})
    .flatMap(([place, all]) => {
      const line = /^text\.(\d+)$/.exec(place)?.[1];
      const at = place.startsWith("text") ? "" : place;
      return String(all)
        .split("\n")
        .map((one): Fault => {
          const [, path, said] = (!at && /^([\w-]+(?:\.[\w-]+)*): (.*)$/.exec(one)) || [];
          return { line: line === undefined ? undefined : Number(line), path: path ?? at, said: said ?? one };
        });
    })
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));

interface Props {
  error: unknown;
  /** Shows a line of the text; left out where it cannot be shown. */
  onLine?: (line: number) => void;
}

/** They get the focus, since they may be out of sight. */
export function ManifestFaults({ error, onLine }: Props) {
  const { t, locale } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), [error]);
  const faults = readFaults(error);
  if (faults.length === 0) return <Failed error={error} />;
  return (
    <div ref={box} role="alert" tabIndex={-1} className={styles.faults}>
      <p>{t("manifest.wrong")}</p>
      <ul>
        {faults.map(({ line, path, said }, i) => (
          <li key={i} className={styles.fault}>
            {line !== undefined &&
              (onLine ? (
                <Button kind="quiet" onPress={() => onLine(line)}>
                  {t("agents.manifestLine", { line })}
                </Button>
              ) : (
                t("agents.manifestLine", { line })
              ))}
            <span>
              {path && <code dir="ltr">{path}</code>} <bdi>{findFaultText(said, t, locale) ?? said}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
