// What the channels are called that instructions can be for.
import { useTexts, type Key } from "../../i18n";
import type { Channel } from "./channel-list";

// What other companies call their products is the same in every language.
const products: Readonly<Partial<Record<Channel, string>>> = {
  slack: "Slack",
  whatsapp: "WhatsApp",
  messenger: "Messenger",
  instagram: "Instagram",
  salesforce: "Salesforce",
  zendesk: "Zendesk",
  zendesk_messaging: "Zendesk Messaging",
};

const ours: Readonly<Partial<Record<Channel, Key>>> = {
  chat_widget: "channel.widget",
  help_page: "channel.helpPage",
  center_stage: "channel.stage",
  side_panel: "channel.sidePanel",
  api: "channel.api",
  email: "channel.email",
  phone: "channel.phone",
  search: "channel.search",
  android_sdk: "channel.android",
  ios_sdk: "channel.ios",
};

/** What a channel is called. */
export function useChannelName() {
  const { t } = useTexts();
  return (channel: Channel) => {
    const key = ours[channel];
    return key ? t(key) : (products[channel] ?? channel);
  };
}
