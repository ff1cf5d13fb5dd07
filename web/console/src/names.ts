// Names as they are shown. Other programs give them too, and the server keeps them as they were sent.
import { withoutControls } from "../../shared/markdown/links";
import type { Key } from "./i18n";

const visible = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/u;

/** A name as a person reads it: nothing turns its direction, and one that nobody can see has a text in its place. */
export const showName = (name: string, t: (key: Key) => string): string =>
  visible.test(name) ? withoutControls(name) : t("name.none");
