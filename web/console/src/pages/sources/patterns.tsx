import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { Button, Disclosure, DisclosurePanel, Heading } from "react-aria-components";
import { APIError } from "../../api/client";
import { tryPaths, type LinkRecord, type PathVerdict } from "../../api/sources";
import { Icon } from "../../components/icon";
import { Failed } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { Toggle } from "../../components/toggle";
import { findFaultText } from "../../faults";
import { useTexts, type Key } from "../../i18n";
import styles from "./patterns.module.css";

export const readLines = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

export interface Patterns {
  include: string;
  exclude: string;
  isSlow: boolean;
  set: (change: Partial<Pick<Patterns, "include" | "exclude" | "isSlow">>) => void;
  /** As REST v2 takes them. */
  settings: { includeOnlyPaths: string[]; excludePaths: string[]; slowScraping: boolean };
}

/** Which pages of a website are read, as it is being typed. */
export function usePatterns(record?: LinkRecord | null): Patterns {
  const [state, setState] = useState({
    include: (record?.includeOnlyPaths ?? []).join("\n"),
    exclude: (record?.excludePaths ?? []).join("\n"),
    isSlow: record?.slowScraping ?? false,
  });
  return {
    ...state,
    set: (change) => setState((before) => ({ ...before, ...change })),
    settings: {
      includeOnlyPaths: readLines(state.include),
      excludePaths: readLines(state.exclude),
      slowScraping: state.isSlow,
    },
  };
}

interface Props {
  agentId: string;
  url: string;
  linkType: "crawl" | "sitemap";
  patterns: Patterns;
  /** Addresses to begin the trial with: those of pages that are known. */
  known?: readonly string[];
  isOpen?: boolean;
}

/** The patterns, and what they say of addresses while they are typed. */
export function PatternFields({ agentId, url, linkType, patterns, known = [], isOpen = false }: Props) {
  const { t } = useTexts();
  const { include, exclude, isSlow, set } = patterns;
  return (
    <Disclosure defaultExpanded={isOpen} className={styles.more!}>
      <Heading level={3}>
        <Button slot="trigger" className={styles.trigger!}>
          <Icon name="chevron-right" size={16} />
          {t("sources.patterns")}
        </Button>
      </Heading>
      <DisclosurePanel className={styles.panel!}>
        <TextArea
          name="includeOnlyPaths"
          label={t("sources.include")}
          hint={t("sources.includeHint")}
          value={include}
          onChange={(include) => set({ include })}
          rows={2}
          isCode
        />
        <TextArea
          name="excludePaths"
          label={t("sources.exclude")}
          hint={t("sources.excludeHint")}
          value={exclude}
          onChange={(exclude) => set({ exclude })}
          rows={2}
          isCode
        />
        <Trial agentId={agentId} url={url} linkType={linkType} patterns={patterns} known={known} />
        <Toggle isSelected={isSlow} onChange={(isSlow) => set({ isSlow })}>
          {t("sources.slow")}
        </Toggle>
      </DisclosurePanel>
    </Disclosure>
  );
}

const words: Record<PathVerdict["verdict"], Key> = {
  read: "sources.verdict.read",
  leftOut: "sources.verdict.leftOut",
  otherSite: "sources.verdict.otherSite",
  noAddress: "sources.verdict.noAddress",
  startOnly: "sources.verdict.startOnly",
};

function Trial({ agentId, url, linkType, patterns, known }: Required<Omit<Props, "isOpen">>) {
  const { t } = useTexts();
  const [text, setText] = useState(known.join("\n"));
  const { excludePaths, includeOnlyPaths } = patterns.settings;
  const addresses = readLines(text).slice(0, 200);
  const trial = useDeferredValue(JSON.stringify({ url, linkType, excludePaths, includeOnlyPaths, addresses }));
  const hasPatterns = excludePaths.length + includeOnlyPaths.length > 0;
  const result = useQuery({
    queryKey: ["try-paths", agentId, trial],
    queryFn: async ({ signal }) => {
      await new Promise((done) => setTimeout(done, 250)); // while somebody types
      return signal.aborted ? { verdicts: [] } : tryPaths(agentId, JSON.parse(trial), signal);
    },
    enabled: url !== "" && (addresses.length > 0 || hasPatterns),
    placeholderData: (before) => before,
    retry: false,
  });
  return (
    <>
      <TextArea
        label={t("sources.tryAddresses")}
        hint={t("sources.tryAddressesHint")}
        value={text}
        onChange={setText}
        rows={3}
        isCode
      />
      {result.isError && <Fault error={result.error} />}
      {!result.isError && addresses.length > 0 && result.data && (
        <ul className={styles.verdicts} aria-label={t("sources.verdicts")}>
          {result.data.verdicts.map(({ address, verdict }, i) => (
            <li key={i} className={styles[verdict]}>
              <Icon name={verdict === "read" ? "check" : "x"} size={16} />
              <bdi dir="ltr">{address}</bdi>
              <span>{t(words[verdict])}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Fault({ error }: { error: unknown }) {
  const { t, locale } = useTexts();
  const said = error instanceof APIError ? Object.entries(error.details) : [];
  if (said.length === 0) return <Failed error={error} />;
  return (
    <ul className={styles.faults} role="alert">
      {said.map(([field, text]) => (
        <li key={field}>
          <code dir="ltr">{field}</code> {findFaultText(String(text), t, locale)} <bdi lang="en">{readProblem(String(text))}</bdi>
        </li>
      ))}
    </ul>
  );
}

// readProblem returns what the library that reads patterns says of one, in English, or a fault that has no other text.
function readProblem(said: string): string {
  const prefix = "is not a regular expression: ";
  if (said.startsWith(prefix)) return said.slice(prefix.length);
  return findFaultText(said, () => "-", "en") ? "" : said;
}
