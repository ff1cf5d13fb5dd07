import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { FrameChat } from "./chat";

const Context = createContext<FrameChat | null>(null);

export const ChatProvider = Context.Provider;

/** The chat that the component is part of. */
export const useChat = (): FrameChat => useContext(Context)!;
