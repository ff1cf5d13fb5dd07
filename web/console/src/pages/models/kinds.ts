import type { Kind } from "../../api/model-servers";
import type { IconName } from "../../../../shared/icons";

export const kindIcons: Record<Kind, IconName> = { chat: "message-circle-question-mark", embedding: "search", reranking: "rows-3" };
