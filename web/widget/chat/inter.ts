// The font Inter, for those who do not have it. A browser asks for those of its files alone that the texts need.
import "@fontsource-variable/inter/index.css";
