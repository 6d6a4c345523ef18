import QRCode from "qrcode";
export async function main() {
  const code = QRCode.create("https://example.org/你好", { errorCorrectionLevel: "H" });
  return [await QRCode.toString("hello", { type: "svg" }), code.version, code.modules.size, code.modules.data.reduce((a, b) => a + b, 0), await QRCode.toString("x", { type: "svg", margin: 1, color: { dark: "#00f" } }), await QRCode.toString("", { type: "svg" }).catch((e) => e.message)];
}
