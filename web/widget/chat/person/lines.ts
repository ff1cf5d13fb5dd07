// What is shown of people: most chats are without any, so that it is loaded when there is something.
import { lazy } from "../lazy";

const load = () => import("./person");

export const Away = lazy(async () => (await import("./away")).Away);
export const PersonLine = lazy(async () => (await load()).PersonLine);
export const PersonTyping = lazy(async () => (await load()).PersonTyping);
