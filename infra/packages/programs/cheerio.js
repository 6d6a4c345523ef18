// esbuild: --main-fields=browser,module,main --conditions=browser
import * as cheerio from "cheerio";
export async function main() {
  const $ = cheerio.load('<ul id="f"><li class="a">A</li><li class="b" data-x="1">B &amp; C</li></ul><p>你好 <b>x</b></p>');
  $("li.a").addClass("new").text("changed"); $("ul").append("<li>last</li>");
  return [$("li").map((i, e) => $(e).text()).get(), $("li.b").attr("data-x"), $("#f").html(), $("p").text(), $("li").length, $("li:nth-child(2)").next().text(), $.html("p"), $("li").filter((i) => i > 0).first().text(), cheerio.load("<a><b></a>", { xml: true }).xml(), $("p").find("b").parent().prop("tagName")];
}
