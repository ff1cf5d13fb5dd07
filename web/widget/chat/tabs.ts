// Tells the visitor's other tabs that something has changed. What comes from them is only ever a reason to look.

export class Tabs {
  private readonly channel: BroadcastChannel | null;

  constructor(agentId: string, onChange: () => void) {
    this.channel = open(`parley:${agentId}`);
    if (this.channel) this.channel.onmessage = onChange;
  }

  tell() {
    this.channel?.postMessage("changed");
  }
}

function open(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null; // a frame without an origin has none
  }
}
