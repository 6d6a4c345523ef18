import chroma from "chroma-js";
export async function main() {
  return [chroma("teal").hex(), chroma("#abc").darken().rgb(), chroma.scale(["red", "blue"]).mode("lab").colors(4), chroma.mix("red", "#00f", 0.3).css("hsl"), chroma.contrast("pink", "hotpink"), chroma.deltaE("#ededee", "#ecedee"), chroma.valid("nocolor"), chroma("red").alpha(0.5).css(), chroma.brewer.OrRd.length];
}
