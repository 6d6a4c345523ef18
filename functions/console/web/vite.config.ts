import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

import { completions } from "./build/completions.ts";

const DIST = join(import.meta.dirname, "dist");

/** Lays a .gz and a .br beside every file, as the program serves them: it compresses nothing by itself. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(html|js|css|svg|json)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        writeFileSync(path + ".gz", gzipSync(content, { level: 9 }));
        writeFileSync(path + ".br", brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      }
    },
  };
}

/** `emptyOutDir` would remove the file that keeps dist in a fresh clone. */
function keepFolder(): Plugin {
  return {
    name: "keep-folder",
    apply: "build",
    writeBundle() {
      writeFileSync(join(DIST, ".gitignore"), "*\n!.gitignore\n");
    },
  };
}

export default defineConfig({
  base: "/console/",
  resolve: { alias: { "~": join(import.meta.dirname, "src") } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  // `npm run dev` beside `make run`: the page from here, everything else from there.
  // The Host stays: the console takes no changing request whose Origin is another.
  // The samples of events stand beside the program that gives them.
  server: {
    fs: { allow: [join(import.meta.dirname, "../../..")] },
    proxy: {
      "^/(console/api|oserve|userve|hserve|upload|api|openapi.json|_local)/?": {
        target: process.env.BASE_URL ?? "http://127.0.0.1:8080",
        changeOrigin: false,
      },
    },
  },
  plugins: [completions(), keepFolder(), compressed()],
});
