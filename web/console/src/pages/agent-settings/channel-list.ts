/** The channels that instructions can be for, as the server names them. */
export const channels = [
  "chat_widget", "help_page", "center_stage", "side_panel", "api", "email", "phone", "search", "slack", "whatsapp", "messenger",
  "instagram", "salesforce", "zendesk", "zendesk_messaging", "android_sdk", "ios_sdk",
] as const;
export type Channel = (typeof channels)[number];
