import sanitize from "sanitize-html";
export async function main() {
  return [sanitize('<p onclick="x()">hi <script>alert(1)</script><a href="javascript:x">l</a><a href="http://x">m</a><img src=x onerror=y></p>'), sanitize('<b class="a b" style="color:red">x</b><i>y</i>', { allowedTags: ["b"], allowedAttributes: { b: ["class", "style"] }, allowedStyles: { "*": { color: [/^red$/] } }, allowedClasses: { b: ["a"] } }), sanitize("<div>a<br>b &lt; c</div>", { allowedTags: [] }), sanitize("<h1>x</h1>", { transformTags: { h1: "p" }, allowedTags: ["p"] }), sanitize("<iframe src='https://evil'></iframe>你好")];
}
