// The script build makes this global.
declare const ServiceVoice: typeof import("../src/voice.js").ServiceVoice;
