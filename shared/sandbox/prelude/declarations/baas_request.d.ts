// BaaS.request.

declare namespace BaaS {
  /** A request as axios has it. */
  interface RequestConfig {
    /** http or https, ports 80, 443, 8080 and 8443 of public addresses. */
    url?: string;
    /** Stands before a url that has no host. */
    baseURL?: string;
    /** Default GET. */
    method?: string;
    headers?: { [name: string]: any };
    /** Become the query. */
    params?: any;
    paramsSerializer?: ((params: any) => string) | { serialize: (params: any) => string };
    allowAbsoluteUrls?: boolean;
    /**
     * The body, also of GET: texts, bytes and streams as they are, URLSearchParams as a form, FormData as
     * multipart/form-data, any other object as JSON, or as the content-type says.
     */
    data?: any;
    /** Milliseconds, at most 60,000. Passed, it rejects with ECONNABORTED. */
    timeout?: number;
    timeoutErrorMessage?: string;
    /** Default: text that is JSON is parsed, other text is a string, bytes are a Buffer. */
    responseType?: "json" | "text" | "arraybuffer" | "stream" | "blob";
    responseEncoding?: BufferEncoding;
    /** Default 5, at most 20. */
    maxRedirects?: number;
    /** Bytes; the platform itself takes 5 MB. */
    maxContentLength?: number;
    maxBodyLength?: number;
    transitional?: { silentJSONParsing?: boolean; forcedJSONParsing?: boolean; clarifyTimeoutError?: boolean };
    /** Default 200 to 299; other statuses reject. null takes them all. */
    validateStatus?: ((status: number) => boolean) | null;
    /** Becomes the header Authorization. */
    auth?: { username: string; password: string };
    signal?: AbortSignal;
    /** @deprecated use signal */
    cancelToken?: CancelToken;
    transformRequest?: RequestTransform | RequestTransform[];
    transformResponse?: ResponseTransform | ResponseTransform[];
  }
  type RequestTransform = (data: any, headers: { [name: string]: string }) => any;
  type ResponseTransform = (data: any, headers?: { [name: string]: string }, status?: number) => any;

  /** Why a request failed: "Request failed with status code 404", "timeout of 1000ms exceeded" and the like. */
  interface RequestError extends Error {
    /**
     * ERR_BAD_REQUEST (status 400 to 499 and others), ERR_BAD_RESPONSE (from 500 on), ECONNABORTED, ENOTFOUND,
     * ECONNREFUSED, ERR_BLOCKED_ADDRESS, ERR_CANCELED, ERR_NETWORK.
     */
    code?: string;
    isAxiosError: true;
    /** Absent when there was no answer. */
    response?: Answer;
    status?: number;
    config: RequestConfig;
    toJSON(): object;
  }
  interface RequestErrorClass {
    new (message?: string, code?: string, config?: RequestConfig, response?: Answer): RequestError;
    readonly prototype: RequestError;
  }

  interface CancelToken {
    readonly promise: Promise<any>;
    readonly reason?: Error;
    throwIfRequested(): void;
  }

  interface Interceptors<Value> {
    use(fulfilled?: ((value: Value) => any) | null, rejected?: (error: any) => any): number;
    eject(id: number): void;
    clear(): void;
  }

  interface Requester {
    <Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    <Data = any>(url: string | URL, config?: RequestConfig): Promise<Answer<Data>>;
    request<Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    request<Data = any>(url: string | URL, config?: RequestConfig): Promise<Answer<Data>>;
    get<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    delete<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    head<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    options<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    /** HTTP's QUERY, a GET with a body. */
    query<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    post<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    put<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    patch<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    /** The data as multipart/form-data. */
    postForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    putForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    patchForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    /** The address that a request would go to. */
    getUri(config?: RequestConfig): string;
    /** Another requester with defaults of its own. */
    create(config?: RequestConfig): Requester;
    defaults: RequestConfig;
    interceptors: { request: Interceptors<RequestConfig>; response: Interceptors<Answer> };
  }

  interface TopRequester extends Requester {
    isAxiosError(error: any): error is RequestError;
    isCancel(error: any): boolean;
    all<T>(values: (T | Promise<T>)[]): Promise<T[]>;
    spread<T, R>(f: (...values: T[]) => R): (values: T[]) => R;
    toFormData(data: object, form?: FormData | URLSearchParams): FormData | URLSearchParams;
    formToJSON(form: FormData | URLSearchParams): object;
    mergeConfig(one: RequestConfig, other: RequestConfig): RequestConfig;
    AxiosHeaders: { new (headers?: { [name: string]: any }): any; from(headers: any): any };
    HttpStatusCode: { readonly [name: string]: any };
    /** @deprecated use AbortController */
    CancelToken: {
      new (executor: (cancel: (message?: string) => void) => void): CancelToken;
      source(): { token: CancelToken; cancel(message?: string): void };
    };
    RequestError: RequestErrorClass;
    AxiosError: RequestErrorClass;
    CanceledError: RequestErrorClass;
  }

  /** The way to the network, with the manners of axios; at most 50 at once, 5 MB and 60 s each. */
  const request: TopRequester;
}
