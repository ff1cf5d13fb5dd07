// The chat frame: a page of this server in a frame of anybody's page, or by itself.
import "./base.css";
import { readConfig, readMode } from "./config";
import { startChat } from "./start";

void startChat(document.getElementById("root")!, readConfig(), readMode());
