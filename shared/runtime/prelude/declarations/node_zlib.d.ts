// Compression.

/** gzip, deflate, raw, unzip and brotli; up to 64 MB, ERR_BUFFER_TOO_LARGE beyond. */
declare module "zlib" {
  import { Transform } from "stream";

  type Input = string | Bytes;
  type Done = (error: (Error & { code?: string; errno?: number }) | null, result: Buffer) => void;
  interface Options {
    level?: number;
    windowBits?: number;
    memLevel?: number;
    strategy?: number;
    dictionary?: Bytes;
    flush?: number;
    finishFlush?: number;
    chunkSize?: number;
    /** ERR_BUFFER_TOO_LARGE from there on. */
    maxOutputLength?: number;
    info?: boolean;
  }
  interface BrotliOptions {
    params?: { [parameter: number]: number | boolean };
    flush?: number;
    finishFlush?: number;
    chunkSize?: number;
    maxOutputLength?: number;
  }
  interface Call<O> {
    (data: Input, done: Done): void;
    (data: Input, options: O, done: Done): void;
    /** What util.promisify makes of it. */
    __promisify__: (data: Input, options?: O) => Promise<Buffer>;
  }

  function gzipSync(data: Input, options?: Options): Buffer;
  function gunzipSync(data: Input, options?: Options): Buffer;
  function deflateSync(data: Input, options?: Options): Buffer;
  function inflateSync(data: Input, options?: Options): Buffer;
  function deflateRawSync(data: Input, options?: Options): Buffer;
  function inflateRawSync(data: Input, options?: Options): Buffer;
  function unzipSync(data: Input, options?: Options): Buffer;
  function brotliCompressSync(data: Input, options?: BrotliOptions): Buffer;
  function brotliDecompressSync(data: Input, options?: BrotliOptions): Buffer;

  const gzip: Call<Options>;
  const gunzip: Call<Options>;
  const deflate: Call<Options>;
  const inflate: Call<Options>;
  const deflateRaw: Call<Options>;
  const inflateRaw: Call<Options>;
  const unzip: Call<Options>;
  const brotliCompress: Call<BrotliOptions>;
  const brotliDecompress: Call<BrotliOptions>;

  interface Zlib extends Transform {
    readonly bytesWritten: number;
    close(done?: () => void): void;
    flush(kind?: number, done?: () => void): void;
  }
  function createGzip(options?: Options): Zlib;
  function createGunzip(options?: Options): Zlib;
  function createDeflate(options?: Options): Zlib;
  function createInflate(options?: Options): Zlib;
  function createDeflateRaw(options?: Options): Zlib;
  function createInflateRaw(options?: Options): Zlib;
  function createUnzip(options?: Options): Zlib;
  function createBrotliCompress(options?: BrotliOptions): Zlib;
  function createBrotliDecompress(options?: BrotliOptions): Zlib;
  /** Checksum of data, as one that was begun with `value`. */
  function crc32(data: Input, value?: number): number;
  const constants: { readonly [name: string]: number };
  const codes: { readonly [name: string]: number | string };
}
