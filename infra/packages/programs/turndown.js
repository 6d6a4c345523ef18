const TurndownService = require("turndown");
exports.main = async () => [new TurndownService().turndown("<h1>x</h1><ol><li>a</li></ol>")];
