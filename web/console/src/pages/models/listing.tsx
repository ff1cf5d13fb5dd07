// The names of the models that a server says it has, to choose one by.
import { useRef, useState } from "react";
import { APIError } from "../../api/client";
import { listModels, type Kind, type ModelList, type Settings } from "../../api/model-servers";
import { Button } from "../../components/button";
import { Failed } from "../../components/states";
import { explainFault } from "../../faults";
import { useTexts } from "../../i18n";
import { Reason } from "./reason";
import styles from "./models.module.css";

export interface Listing {
  models: readonly string[];
  list: ModelList | undefined;
  error: unknown;
  isPending: boolean;
  ask: () => void;
}

/** Asks the server whose address is in the form. What it has said counts until its address, its key or its protocol changes. */
export function useListing(kind: Kind, values: Settings, storedId: string | undefined): Listing {
  const server = JSON.stringify([kind, values.format, values.url, values.key, values.dropsKey]);
  const present = useRef(server);
  present.current = server;
  const [found, setFound] = useState<{ server: string; list?: ModelList; error?: unknown }>();
  const [asked, setAsked] = useState<string>();
  const isFound = found?.server === server;
  const ask = async () => {
    if (asked === server) return;
    setAsked(server);
    setFound(undefined);
    const answer = await listModels(kind, values, storedId).then((list) => ({ list }), (error: unknown) => ({ error }));
    setAsked((now) => (now === server ? undefined : now));
    if (present.current === server) setFound({ server, ...answer });
  };
  const list = isFound ? found.list : undefined;
  return { models: list?.models ?? [], list, error: isFound ? found.error : undefined, isPending: asked === server, ask: () => void ask() };
}

const mostShown = 12;

interface Props {
  listing: Listing;
  url: string;
  value: string;
  onChoose: (model: string) => void;
}

/** Asks for the models, and shows those that fit what is typed; all of them are proposed in the field as well. */
export function Models({ listing: { models, list, error, isPending, ask }, url, value, onChoose }: Props) {
  const { t, locale } = useTexts();
  const isInvalid = error instanceof APIError && error.code === "VALIDATION_INVALID_BODY"; // the address or the key
  const said = isInvalid ? Object.values(error.details).map((one) => explainFault(one, t, locale)).join(" ") : "";
  const typed = value.trim().toLowerCase();
  const fitting = models.includes(value.trim()) ? models : models.filter((name) => name.toLowerCase().includes(typed));
  return (
    <div className={styles.listing}>
      <div>
        <Button icon="search" onPress={ask} isPending={isPending} isDisabled={!url.trim()}>
          {t("models.list")}
        </Button>
      </div>
      <div role="status">
        {list && models.length > 0 && <p className={styles.detail}>{t("models.listed", { count: models.length })}</p>}
        {list?.error && (
          <>
            <p>{t("models.notListed")}</p>
            <Reason report={list.error} />
          </>
        )}
      </div>
      {error !== undefined && <Failed error={error} {...(said && { text: said })} />}
      {fitting.length > 0 && (
        <ul className={styles.proposals} aria-label={t("models.ofServer")}>
          {fitting.slice(0, mostShown).map((name) => (
            <li key={name}>
              <Button kind={name === value.trim() ? "primary" : "plain"} onPress={() => onChoose(name)}>
                {name}
              </Button>
            </li>
          ))}
          {fitting.length > mostShown && <li className={styles.detail}>{t("models.moreListed", { count: fitting.length - mostShown })}</li>}
        </ul>
      )}
    </div>
  );
}
