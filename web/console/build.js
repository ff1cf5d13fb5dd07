// Builds what the server hands out, into ../built/console.
import { build, mergeConfig } from "vite";
import { findFirstPage } from "./first-page.js";
import "./icons.js";
import config from "./vite.config.js";

const found = { ...config, configFile: false };
const groups = await findFirstPage(build, found);
await build(mergeConfig(found, { build: { rolldownOptions: { output: { codeSplitting: { groups } } } } }));
