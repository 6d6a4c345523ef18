// BaaS.File and BaaS.FileCategory: files and what they are sorted into.
(function (host, load) {
  "use strict";
  const { api, form, wrong, key, BaaSError } = load("baas");
  const { Selection, counted, count } = load("baas_record");
  const { absent } = load("baas_absent");
  const files = "/oserve/v2.2/file/", categories = "/oserve/v2.2/file-category/";

  // contentOf gives the bytes of what is to be uploaded, and its name if it has one.
  function contentOf(given) {
    if (given instanceof Uint8Array) return { bytes: given };
    if (typeof given !== "string" || !given.startsWith("/tmp/")) throw new Error("invalid uploadFile");
    return { bytes: load("node/fs").module.readFileSync(given), name: load("node/path").posix.basename(given) };
  }

  // send is the second step: the form goes to the address that the first one gave.
  async function send({ upload_url, policy, authorization }, name, bytes, type) {
    const { FormData, multipart } = load("form_data"), { File } = load("blob");
    const body = new FormData();
    body.append("policy", policy);
    body.append("authorization", authorization);
    body.append("file", new File([bytes], name, { type }));
    try {
      return await form(new (load("url").URL)(upload_url).pathname, multipart(body));
    } catch (error) {
      throw new BaaSError(617, `multipart upload failed: ${error.message}`, error.request);
    }
  }

  class File extends Selection {
    async upload(given, { filename, category_id, random_file_link, contentType } = {}) {
      const { bytes, name } = contentOf(given);
      const first = await api("POST", "/oserve/v2.1/upload/", null, { filename: filename ?? name, category_id, random_file_link });
      const { id, path, file_link, cdn_path, created_at, name: stored } = first.data;
      const { data: { file_size: size, mimetype: mime_type } } = await send(first.data, stored, bytes, contentType);
      first.data = { id, path, file_link, file: { id, path, cdn_path, created_at, mime_type, name: stored, size } };
      return first;
    }
    get(id) { return api("GET", `${files}${key(id, "a file")}/`); }
    find(options) { return api("GET", files, this.parameters(counted(options))); }
    count() { return count(files, this.parameters()); }
    delete(ids) {
      if (!Array.isArray(ids)) return api("DELETE", `${files}${key(ids, "a file")}/`);
      if (ids.length === 0) throw wrong("delete needs ids");
      return api("DELETE", files, { id__in: ids.map((id) => key(id, "a file")).join(",") });
    }
  }
  for (const name of ["createDownloadTask", "getDownloadTaskResult", "genVideoSnapshot", "videoConcat", "videoClip", "videoMeta", "videoAudioMeta", "purgeCache", "getPurgeCacheHistory"]) absent(File.prototype, name, `File.${name}`);

  const category = (id) => `${categories}${key(id, "a category")}/`;
  const named = (given) => {
    if (typeof given !== "object" || given === null) throw wrong("a category needs { name }");
    return { ...given };
  };
  class FileCategory extends Selection {
    create(given) { return api("POST", categories, null, named(given)); }
    get(id) { return api("GET", category(id)); }
    update(id, given) { return api("PUT", category(id), null, named(given)); }
    delete(id) { return api("DELETE", category(id)); }
    find(options) { return api("GET", categories, this.parameters(counted(options))); }
    count() { return count(categories, this.parameters()); }
  }

  return { __proto__: null, File, FileCategory };
});
