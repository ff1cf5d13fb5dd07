// The help page: the chat as a page of its own. It is also shown below the hosts of others, who lead /help, /__cb/ and
// /api/chat/ to this server: no address in it depends on where it lies.
import "../chat/base.css";
import { readConfig } from "../chat/config";
import { startChat } from "../chat/start";
import { HelpPage } from "./help-page";

void startChat(document.getElementById("root")!, readConfig(), "help", HelpPage);
