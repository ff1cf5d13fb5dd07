import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { createAgent, renameAgent } from "../../api/agents";
import { useMay } from "../../api/session";
import { addSource, type NewSource } from "../../api/sources";
import { Button, ButtonLink } from "../../components/button";
import { Actions } from "../../components/dialog";
import { Field } from "../../components/field";
import { useFileDrop } from "../../components/file-drop";
import { Form } from "../../components/form";
import { RadioChoice } from "../../components/radio-choice";
import { RoleNote } from "../../components/role-note";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";
import { completeAddress } from "../sources/add";
import { Drop } from "../sources/drop";
import { useSending } from "../sources/uploads";
import { AskStep } from "./ask";
import { Step } from "./step";
import styles from "./first-run.module.css";

const ways = ["files", "website", "text", "example"] as const;
type Way = (typeof ways)[number];

/** The second and third step of the first run: what the agent is to know, and the first question. */
export default function FirstRunPage({ agentId }: { agentId: string | undefined }) {
  const mayCreate = useMay("agents:write");
  const mayAsk = useMay("playground:use");
  if (!(agentId ? mayAsk : mayCreate)) return <NotAllowed isAsking={agentId !== undefined} />;
  return agentId ? <AskStep agentId={agentId} /> : <KnowStep />;
}

/** Says who does this, and leads to what can be seen. */
function NotAllowed({ isAsking }: { isAsking: boolean }) {
  const { t } = useTexts();
  return (
    <Step title={t(isAsking ? "firstRun.askTitle" : "firstRun.title")} step={isAsking ? 3 : 2} width="narrow">
      {isAsking ? (
        <RoleNote needs="playground:use" note="role.playground" />
      ) : (
        <RoleNote needs="agents:write" note="role.agents" />
      )}
      <Actions>
        <ButtonLink href="/agents">{t("notFound.agents")}</ButtonLink>
      </Actions>
    </Step>
  );
}

function KnowStep() {
  const { t } = useTexts();
  const send = useSending();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [query] = useAddressParams();
  const [way, setWay] = useState<Way>(() => ways.find((one) => one === query.get("way")) ?? "files");
  const [files, setFiles] = useState<readonly File[]>([]);
  const [isMissing, setMissing] = useState(false);
  const made = useRef<{ id: string; name: string } | null>(null); // another try after a fault makes no second agent
  useFileDrop((dropped) => {
    setWay("files");
    setFiles(dropped);
  });
  const start = async ({ name = "", url = "", content = "" }: Record<string, string>) => {
    setMissing(way === "files" && files.length === 0);
    if (way === "files" && files.length === 0) return;
    made.current ??= { ...(await createAgent(name)), name };
    const { id } = made.current;
    if (made.current.name !== name) await renameAgent(id, name);
    made.current = { id, name };
    const sources: Partial<Record<Way, NewSource>> = {
      website: { type: "link", url: completeAddress(url.trim()), linkType: "crawl" },
      text: { type: "text", name: t("firstRun.textName"), content },
      example: { type: "text", name: t("firstRun.exampleName"), content: t("firstRun.exampleText") },
    };
    const source = sources[way];
    if (source) await addSource(id, source);
    void client.invalidateQueries({ queryKey: ["agents"] });
    navigate(`/welcome/${id}`);
    if (way === "files") send(id, files);
  };
  return (
    <Step title={t("firstRun.title")} text={t("firstRun.text")} step={2} width="narrow">
      <Form onSubmit={start}>
        {(isPending) => (
          <>
            <RadioChoice
              label={t("firstRun.question")}
              value={way}
              onChange={setWay}
              options={ways.map((id) => ({ id, name: t(`firstRun.way.${id}`) }))}
            />
            <Content way={way} files={files} isMissing={isMissing} onFiles={setFiles} />
            <Field name="name" label={t("firstRun.name")} defaultValue={t("firstRun.defaultName")} isRequired />
            <Actions>
              <Button kind="quiet" onPress={() => navigate("/agents")}>
                {t("firstRun.skip")}
              </Button>
              <Button type="submit" kind="primary" isPending={isPending}>
                {t("firstRun.read")}
              </Button>
            </Actions>
          </>
        )}
      </Form>
    </Step>
  );
}

interface ContentProps {
  way: Way;
  files: readonly File[];
  isMissing: boolean;
  onFiles: (files: File[]) => void;
}

function Content({ way, files, isMissing, onFiles }: ContentProps) {
  const { t } = useTexts();
  if (way === "website") {
    return <Field name="url" inputMode="url" label={t("sources.address")} hint={t("sources.addressHint")} isRequired />;
  }
  if (way === "text") return <TextArea name="content" label={t("sources.text")} rows={8} isRequired />;
  if (way === "example") return <p className={styles.detail}>{t("firstRun.exampleHint")}</p>;
  return (
    <div className={styles.files}>
      <Drop onFiles={onFiles} />
      {files.length > 0 && (
        <ul className={styles.names} aria-label={t("firstRun.chosenFiles")}>
          {files.map((file, i) => (
            <li key={i}>
              <bdi>{file.name}</bdi>
            </li>
          ))}
        </ul>
      )}
      {isMissing && files.length === 0 && (
        <p role="alert" className={styles.fault}>
          {t("firstRun.chooseFile")}
        </p>
      )}
    </div>
  );
}
