// Looks: contract styles as custom properties, and whether what comes of them can be read.
export { contrast, formatColor, inkFor, parseColor, readable, shownContrast } from "./contrast";
export {
  applyTheme, defaultAccent, judgeColor, newTheme, pickScheme, stageWidths,
  type Adjustment, type ChatLooks, type Scheme, type StageLooks, type Theme, type Tokens,
} from "./styles";
