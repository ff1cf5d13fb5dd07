import { defineConfig } from "vite";
import { licenses } from "./licenses.js";

// The script build: everything in one file that makes the global ServiceVoice. The server hands it out at /sdk/service-voice.js.
export default defineConfig({
  plugins: [licenses("service-voice.licenses.txt")],
  build: {
    outDir: "../built",
    emptyOutDir: false,
    target: "es2020",
    lib: { entry: "src/script.ts", formats: ["iife"], name: "ServiceVoice", fileName: () => "service-voice.js" },
    rolldownOptions: { output: { postBanner: "/*! service-voice, Apache-2.0; what it holds and its licences: service-voice.licenses.txt */" } },
  },
});
