import type { Customer } from "../../api/people";
import { useTexts } from "../../i18n";
import { showName } from "../../names";

/** What a customer is called: the name, or the best that is known of them. */
export function useCustomerName() {
  const { t } = useTexts();
  return ({ name, email, phoneNumber, userId }: Pick<Customer, "name" | "email" | "phoneNumber" | "userId">) =>
    showName(name || email || phoneNumber || userId || "", t);
}
