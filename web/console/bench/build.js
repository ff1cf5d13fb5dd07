// Builds the front end into the folder that the first word names, for "make bench" to see how long it takes.
import { build } from "vite";
import config from "../vite.config.js";

await build({ ...config, configFile: false, build: { ...config.build, outDir: process.argv[2] } });
