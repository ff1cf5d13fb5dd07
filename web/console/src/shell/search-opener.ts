// How a page opens the list of everything that can be searched for and done.
import { createContext, useContext } from "react";

export const SearchOpener = createContext<(() => void) | null>(null);

/** Opens the list; null where there is no shell around. */
export const useSearchOpener = () => useContext(SearchOpener);
