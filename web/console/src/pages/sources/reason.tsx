import { useTexts } from "../../i18n";

interface Props {
  /** Of a reason that the server knows; it is said in the person's language. */
  code: string | undefined;
  /** In English, as it is in the log. */
  reason: string;
}

/** Why something was not read. */
export function Reason({ code, reason }: Props) {
  const { t, has } = useTexts();
  const key = `sources.reason.${code}`;
  if (!code || !has(key)) return <bdi>{reason}</bdi>;
  const status = /\d{3}/.exec(reason)?.[0] ?? "";
  return <bdi title={reason}>{t(key, { status })}</bdi>;
}
