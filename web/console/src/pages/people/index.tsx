// The people an agent talks to: customers with what is known of them, and the contact details that were left.
import { Input, Link, SearchField } from "react-aria-components";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { useAgent } from "../../api/agents";
import { isNotFound } from "../../api/client";
import { rowsOf } from "../../api/pages";
import { useCustomers, type Customer } from "../../api/people";
import { useMembership } from "../../api/session";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { useSearchText } from "../../components/search-text";
import { Empty, Failed, Loading } from "../../components/states";
import { Tabs } from "../../components/tabs";
import { relativeTime, useTexts } from "../../i18n";
import field from "../../components/field.module.css";
import NotFoundPage from "../not-found";
import filters from "../sources/filters.module.css";
import { ExportLeads, Leads } from "./leads";
import { PersonPage } from "./person";
import { useCustomerName } from "./names";
import styles from "./people.module.css";

interface Props {
  id: string;
  /** A customer, or "leads". */
  item: string | undefined;
}

export default function PeoplePage({ id, item }: Props) {
  const agent = useAgent(id);
  if (!agent.data && isNotFound(agent.error)) return <NotFoundPage isAgent />;
  if (item && item !== "leads") return <PersonPage key={item} agentId={id} id={item} />;
  return <People agentId={id} part={item === "leads" ? "leads" : "people"} />;
}

function People({ agentId, part }: { agentId: string; part: "people" | "leads" }) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const address = `/agents/${agentId}/people`;
  return (
    <Page title={t("people.title")} actions={part === "leads" && <ExportLeads agentId={agentId} />}>
      <Tabs
        label={t("people.title")}
        chosen={part}
        tabs={[
          { id: "people", name: t("people.customers"), content: <Customers agentId={agentId} /> },
          { id: "leads", name: t("people.leads"), content: <Leads agentId={agentId} /> },
        ]}
        onChange={(next) => navigate(next === "leads" ? `${address}/leads` : address)}
      />
    </Page>
  );
}

function Customers({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const [query, setQuery] = useAddressParams();
  const maySearch = useMembership()?.role !== "viewer"; // what is found would tell what is masked
  const words = maySearch ? (query.get("query") ?? "") : "";
  const list = useCustomers(agentId, words);
  const rows = rowsOf(list.data);
  return (
    <>
      {maySearch && <Search words={words} onSearch={(text) => setQuery(text ? { query: text } : {}, { replace: true })} />}
      {list.isPending && <Loading rows={6} />}
      {list.isError && !rows && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {rows?.length === 0 && (
        <Empty icon="users" title={t(words ? "people.noMatch" : "people.none")} text={t(words ? "people.noMatchText" : "people.noneText")} />
      )}
      {rows && rows.length > 0 && (
        <div className={styles.group}>
          <ol className={styles.rows} aria-label={t("people.customers")}>
            {rows.map((customer) => (
              <Row key={customer.customerId} agentId={agentId} customer={customer} />
            ))}
          </ol>
          <More list={list} />
        </div>
      )}
    </>
  );
}

function Search({ words, onSearch }: { words: string; onSearch: (text: string) => void }) {
  const { t } = useTexts();
  const [text, setText] = useSearchText(words, onSearch);
  return (
    <div className={filters.filters} role="search">
      <SearchField aria-label={t("people.search")} value={text} onChange={setText} maxLength={200} className={filters.search!}>
        <Icon name="search" />
        <Input className={field.input!} placeholder={t("people.search")} />
      </SearchField>
    </div>
  );
}

function Row({ agentId, customer }: { agentId: string; customer: Customer }) {
  const { locale } = useTexts();
  const nameOf = useCustomerName();
  const { customerId, name, email, phoneNumber, createdAt } = customer;
  return (
    <li>
      <Link href={`/agents/${agentId}/people/${customerId}`}>
        <bdi>{nameOf(customer)}</bdi>
      </Link>
      <p className={styles.hint}>
        <Facts>
          {name && email && <bdi>{email}</bdi>}
          {phoneNumber && <bdi>{phoneNumber}</bdi>}
          <time dateTime={createdAt}>{relativeTime(createdAt, locale)}</time>
        </Facts>
      </p>
    </li>
  );
}
