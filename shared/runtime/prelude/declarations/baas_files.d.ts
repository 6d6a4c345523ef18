// BaaS: files and their categories.

declare namespace BaaS {
  /** A file of the application. */
  interface StoredFile {
    id: string;
    name: string;
    /** Where it is downloaded. */
    path: string;
    /** Its name in that address. */
    cdn_path: string;
    /** Bytes. */
    size: number;
    mime_type: string;
    /** Unix seconds. */
    created_at: number;
    category: { id: string; name: string } | null;
  }
  interface UploadOptions {
    /** With its extension, which decides the type. Of a path, its last part is the default. */
    filename?: string;
    category_id?: string;
    /** false: the address ends with the file name, and a file of that name by the same user is replaced. Default true. */
    random_file_link?: boolean;
    contentType?: string;
  }
  interface Uploaded {
    id: string;
    path: string;
    /** The same as path. */
    file_link: string;
    /** For a column of type file. */
    file: FileValue;
  }

  /** Files of the application. A query names id name size category_id category_name created_at. */
  class File {
    /**
     * Uploads up to 4 MB: bytes, or a file of the run below /tmp. Anything else rejects with "invalid uploadFile", and
     * a refused content with 617.
     */
    upload(content: Uint8Array | string, options?: UploadOptions): Promise<Answer<Uploaded>>;
    get(id: string): Promise<Answer<StoredFile>>;
    find(options: { withCount: true }): Promise<Answer<CountedPage<StoredFile>>>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page<StoredFile>>>;
    count(): Promise<number>;
    /** 204. */
    delete(ids: string | string[]): Promise<Answer<"">>;
    /** Rejects with 611. @deprecated download with BaaS.request and pass the data to upload */
    createDownloadTask(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated there are no download tasks */
    getDownloadTaskResult(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated the platform does not change media */
    genVideoSnapshot(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated the platform does not change media */
    videoConcat(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated the platform does not change media */
    videoClip(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated the platform does not change media */
    videoMeta(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated the platform does not change media */
    videoAudioMeta(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated a file that can be replaced is not cached */
    purgeCache(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated a file that can be replaced is not cached */
    getPurgeCacheHistory(...options: any[]): Promise<never>;
  }
  interface File extends Selection {}

  interface Category {
    id: string;
    name: string;
    /** How many files it has. */
    files: number;
    parent: { id: string; name: string } | null;
    subcategories: { id: string; name: string }[];
    /** Unix seconds. */
    created_at: number;
    updated_at: number;
  }
  /** Categories of files. */
  class FileCategory {
    create(category: { name: string; parent?: string | null }): Promise<Answer<Category>>;
    get(id: string): Promise<Answer<Category>>;
    update(id: string, category: { name?: string; parent?: string | null }): Promise<Answer<Category>>;
    /** 204. Its files stay, without a category. */
    delete(id: string): Promise<Answer<"">>;
    find(options: { withCount: true }): Promise<Answer<CountedPage<Category>>>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page<Category>>>;
    count(): Promise<number>;
  }
  interface FileCategory extends Selection {}
}
