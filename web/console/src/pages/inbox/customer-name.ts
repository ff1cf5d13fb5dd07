import type { InboxRow } from "../../api/inbox";
import type { useTexts } from "../../i18n";
import { showName } from "../../names";

/** The customer as far as they are known. */
export function nameOf({ customer, userId }: Pick<InboxRow, "customer" | "userId">, t: ReturnType<typeof useTexts>["t"]): string {
  const name = customer || userId;
  return name ? showName(name, t) : t("inbox.visitor");
}
