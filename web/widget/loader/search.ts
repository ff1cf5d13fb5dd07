// The script of the search box, which is not built: pages that load it are told so, and work.
import { standIn } from "./stand-in";

standIn("chatbaseSearch", "search box");
