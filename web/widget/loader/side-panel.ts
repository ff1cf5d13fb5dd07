// The script of the side panel, which is not built: pages that load it are told so, and work.
import { standIn } from "./stand-in";

standIn("chatbaseSidePanel", "side panel");
