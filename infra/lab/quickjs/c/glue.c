/* glue.c is QuickJS-ng as one module for minicloud: the engine itself, a heap
   that can be put back as it was, and the doors to Go. One module is one
   JavaScript world, so runtime and context are globals and no door names them. */
#include "quickjs.c"

#define DOOR(name) __attribute__((export_name(#name)))
#define GO(name) __attribute__((import_module("go"), import_name(#name)))

/* What Go offers. */
GO(call) JSValue go_call(int argc, JSValueConst *argv, int function);
GO(interrupted) int go_interrupted(void);
GO(rejected) void go_rejected(JSValueConst promise, JSValueConst reason, int handled);
GO(thrown) void go_thrown(JSValueConst error, JSValueConst stack);
GO(load) JSModuleDef *go_load(const char *name);
GO(fill) int go_fill(JSModuleDef *module);
GO(reserve) int go_reserve(uint32_t end);
GO(large) uint32_t go_large(uint32_t size);
GO(resize) uint32_t go_resize(uint32_t block, uint32_t old, uint32_t size);
GO(release) void go_release(uint32_t block, uint32_t size);
GO(freed) void go_freed(uint32_t handle);

/* The heap. QuickJS packs small objects into arenas of its own, so this one
   mostly sees those arenas and larger blocks: blocks of a few sizes, cut from
   the bottom of the free memory, with a free list per size; what is larger
   comes from Go in whole pages. It counts, and refuses to go over its limit. */
enum { GRAIN = 16, HEADER = 16, SMALL = 256 << 10, CLASSES = 96, CLASS_LARGE = 255 };

typedef struct { uint32_t class, size; uint64_t padding; } Header; /* as long as HEADER: blocks are aligned to 16 */

struct {
    uint32_t used, peak, limit, refused, next, reserved;
    uint32_t sizes[CLASSES];
    uint32_t free[CLASSES];
    uint8_t class_of[SMALL / GRAIN + 1];
} heap;

extern unsigned char __heap_base;
static JSRuntime *rt;
static JSContext *ctx;

static void heap_open(uint32_t limit)
{
    int n = 0;
    for (uint32_t size = GRAIN; size <= 128; size += GRAIN)
        heap.sizes[n++] = size;
    for (uint32_t base = 128; base < SMALL; base *= 2)
        for (uint32_t step = 1; step <= 8; step++)
            heap.sizes[n++] = base + step * base / 8;
    n = 0;
    for (uint32_t grains = 0; grains <= SMALL / GRAIN; grains++) {
        while (heap.sizes[n] < grains * GRAIN)
            n++;
        heap.class_of[grains] = n;
    }
    heap.limit = limit;
    heap.next = heap.reserved = ((uint32_t)&__heap_base + GRAIN - 1) & ~(GRAIN - 1);
}

static Header *header(const void *block) { return (Header *)((char *)block - HEADER); }

static void *refuse(void) { heap.refused = 1; return NULL; }

/* The next garbage collection lies below the limit: QuickJS puts it at one and
   a half times what was in use, and beyond the limit it would never come. */
static void grown(uint32_t size)
{
    heap.used += size;
    if (heap.used > heap.peak)
        heap.peak = heap.used;
    if (rt && rt->malloc_gc_threshold > heap.limit) {
        uint32_t gap = (heap.limit - heap.used) / 2;
        if (gap < heap.limit / 8)
            gap = heap.limit / 8;
        rt->malloc_gc_threshold = heap.used + gap;
    }
}

static void *large(size_t size)
{
    size = (size + HEADER + 4095) & ~4095u;
    uint32_t block;
    if (size > heap.limit || heap.used + size > heap.limit || !(block = go_large(size)))
        return refuse();
    Header *h = (Header *)block;
    h->class = CLASS_LARGE;
    h->size = size - HEADER;
    grown(h->size);
    return (char *)h + HEADER;
}

/* A large block keeps its place where it can; Go moves it otherwise. */
static void *resize(void *block, uint32_t old, size_t size)
{
    size = (size + HEADER + 4095) & ~4095u;
    if (size > heap.limit || heap.used - old + size > heap.limit)
        return refuse();
    Header *h = (Header *)go_resize((uint32_t)header(block), old + HEADER, size);
    if (!h)
        return refuse();
    h->size = size - HEADER;
    heap.used -= old;
    grown(h->size);
    return (char *)h + HEADER;
}

void *malloc(size_t size)
{
    if (size > SMALL)
        return size > 1u << 30 ? refuse() : large(size);
    uint32_t class = heap.class_of[(size + GRAIN - 1) / GRAIN], real = heap.sizes[class];
    if (heap.used + real > heap.limit)
        return refuse();
    uint32_t block = heap.free[class];
    if (block) {
        heap.free[class] = *(uint32_t *)block;
    } else {
        uint32_t end = heap.next + HEADER + real;
        if (end > heap.reserved) {
            uint32_t reserved = go_reserve(end);
            if (!reserved)
                return refuse();
            heap.reserved = reserved;
        }
        block = heap.next + HEADER;
        heap.next = end;
        header((void *)block)->class = class;
        header((void *)block)->size = real;
    }
    grown(real);
    return (void *)block;
}

void free(void *block)
{
    if (!block)
        return;
    Header *h = header(block);
    heap.used -= h->size;
    if (h->class == CLASS_LARGE) {
        go_release((uint32_t)h, h->size + HEADER);
        return;
    }
    *(uint32_t *)block = heap.free[h->class];
    heap.free[h->class] = (uint32_t)block;
}

size_t malloc_usable_size(void *block) { return block ? header(block)->size : 0; }

void *calloc(size_t count, size_t size)
{
    if (size && count > (1u << 30) / size)
        return refuse();
    void *block = malloc(count * size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void *realloc(void *block, size_t size)
{
    if (!block)
        return malloc(size);
    if (!size) {
        free(block);
        return NULL;
    }
    uint32_t old = header(block)->size;
    if (size <= old && (size > old / 2 || old <= 512))
        return block;
    if (old > SMALL && size > SMALL)
        return resize(block, old, size);
    void *moved = malloc(size);
    if (!moved)
        return NULL;
    memcpy(moved, block, size < old ? size : old);
    free(block);
    return moved;
}

static void *js_world_calloc(void *o, size_t n, size_t size) { return calloc(n, size); }
static void *js_world_malloc(void *o, size_t size) { return malloc(size); }
static void js_world_free(void *o, void *block) { free(block); }
static void *js_world_realloc(void *o, void *block, size_t size) { return realloc(block, size); }
static size_t js_world_usable(const void *block) { return header(block)->size; }

/* charge counts what Go keeps for the world outside of its memory. */
DOOR(charge) void charge(int32_t size)
{
    rt->malloc_state.malloc_size += size; /* what garbage collection goes by */
    if (size < 0)
        heap.used += size;
    else
        grown(size);
}

DOOR(heap_at) uint32_t heap_at(void) { return (uint32_t)&heap; }
DOOR(take) void *take(uint32_t size) { return malloc(size); }
DOOR(give) void give(void *block) { free(block); }

/* The world. */
static int interrupted(JSRuntime *r, void *o) { return go_interrupted(); }

static void rejected(JSContext *c, JSValueConst promise, JSValueConst reason, bool handled, void *o)
{
    go_rejected(promise, reason, handled);
}

static char *import_name(JSContext *c, const char *base, const char *name, void *o) { return js_strdup(c, name); }
static JSModuleDef *import_module(JSContext *c, const char *name, void *o) { return go_load(name); }
static int fill_module(JSContext *c, JSModuleDef *m) { return go_fill(m); }

/* error_thrown is called by build_backtrace (see patches.go). It tells Go
   of errors that a line of code threw; within a function of the engine it is
   one that user code makes with new, whose message is the user's. */
static void error_thrown(JSContext *c, JSValueConst error, JSValueConst stack)
{
    JSStackFrame *frame = c->rt->current_stack_frame;
    if (frame && JS_GetClassID(frame->cur_func) != JS_CLASS_C_FUNCTION && JS_GetClassID(error) == JS_CLASS_ERROR)
        go_thrown(error, stack);
}

/* async_frames writes the frames of the async functions that wait for the one that runs now (see runtime.go): a function
   that awaits has its own continuation among the reactions of the promise that it awaits. */
static void async_frames(JSContext *c, DynBuf *out, int limit)
{
    JSStackFrame *first = NULL;
    for (JSStackFrame *frame = c->rt->current_stack_frame; frame; frame = frame->prev_frame)
        if (js_class_has_bytecode(JS_GetClassID(frame->cur_func))) /* others leave cur_gc_obj as it is */
            first = frame;
    if (!first || !first->cur_gc_obj || JS_GC_TYPE(first->cur_gc_obj) != JS_GC_OBJ_TYPE_ASYNC_FUNCTION)
        return;

    JSAsyncFunctionData *running = (JSAsyncFunctionData *)first->cur_gc_obj;
    while (limit-- > 0) {
        JSValueConst resolve = running->resolving_funcs[0];
        if (JS_GetClassID(resolve) != JS_CLASS_PROMISE_RESOLVE_FUNCTION)
            return;
        JSPromiseFunctionData *made = JS_VALUE_GET_OBJ(resolve)->u.promise_function_data;
        JSPromiseData *promise = made ? JS_GetOpaque(made->promise, JS_CLASS_PROMISE) : NULL;
        if (!promise || promise->promise_state != JS_PROMISE_PENDING || list_empty(&promise->promise_reactions[0]))
            return;
        JSPromiseReactionData *reaction = list_entry(promise->promise_reactions[0].next, JSPromiseReactionData, link);
        if (JS_GetClassID(reaction->handler) != JS_CLASS_ASYNC_FUNCTION_RESOLVE)
            return;
        running = JS_VALUE_GET_OBJ(reaction->handler)->u.async_function_data;
        if (!running || !running->is_active)
            return;

        JSStackFrame *frame = &running->func_state.frame;
        JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
        if (!js_class_has_bytecode(function->class_id) || !frame->cur_pc)
            return;
        JSFunctionBytecode *b = function->u.func.function_bytecode;
        int column, line = find_line_num(c, b, frame->cur_pc - b->byte_code_buf - 1, &column);
        const char *name = get_func_name(c, frame->cur_func), *file = b->filename ? JS_AtomToCString(c, b->filename) : NULL;
        dbuf_printf(out, "    at async %s (%s:%d:%d)\n", name && name[0] ? name : "<anonymous>", file ? file : "<null>", line, column);
        JS_FreeCString(c, name);
        JS_FreeCString(c, file);
    }
}

/* The last match of any regular expression, for RegExp.$1 to $9. */
static struct { JSValue text; int count, at[20]; } last_match;

static void remember_match(JSContext *c, JSValueConst text, uint8_t **capture, int count, uint8_t *from, int shift)
{
    JSValue before = last_match.count > 0 ? last_match.text : JS_UNDEFINED;
    last_match.text = js_dup(text);
    last_match.count = count < 10 ? count : 10;
    for (int i = 0; i < 2 * last_match.count; i++)
        last_match.at[i] = capture[i] ? (capture[i] - from) >> shift : -1;
    JS_FreeValue(c, before);
}

static JSValue js_regexp_group(JSContext *c, JSValueConst this_val, int n)
{
    if (n >= last_match.count || last_match.at[2 * n] < 0 || last_match.at[2 * n + 1] < 0)
        return js_empty_string(c->rt);
    return js_sub_string(c, JS_VALUE_GET_STRING(last_match.text), last_match.at[2 * n], last_match.at[2 * n + 1]);
}

/* A handle stands for an object of Go: it has no prototype and no properties, so
   whoever holds one can do nothing with it but hand it back. */
static JSClassID handle_class;
static void handle_freed(JSRuntime *r, JSValueConst v) { go_freed((uint32_t)JS_GetOpaque(v, handle_class)); }

DOOR(open) int open_world(uint32_t limit, uint32_t stack)
{
    static const JSMallocFunctions functions = {
        js_world_calloc, js_world_malloc, js_world_free, js_world_realloc, js_world_usable,
    };
    heap_open(limit);
    if (!(rt = JS_NewRuntime2(&functions, NULL)))
        return 0;
    JS_SetMaxStackSize(rt, stack);
    /* All of the language; what browsers add to it is the prelude's. */
    if (!(ctx = JS_NewContextRaw(rt)) || JS_AddIntrinsicBaseObjects(ctx) || JS_AddIntrinsicDate(ctx) ||
        JS_AddIntrinsicEval(ctx) || JS_AddIntrinsicRegExp(ctx) || JS_AddIntrinsicJSON(ctx) ||
        JS_AddIntrinsicProxy(ctx) || JS_AddIntrinsicMapSet(ctx) || JS_AddIntrinsicTypedArrays(ctx) ||
        JS_AddIntrinsicPromise(ctx) || JS_AddIntrinsicWeakRef(ctx))
        return 0;
    ctx->error_stack_trace_limit = js_int32(50);
    JS_SetInterruptHandler(rt, interrupted, NULL);
    JS_SetHostPromiseRejectionTracker(rt, rejected, NULL);
    JS_SetModuleLoaderFunc(rt, import_name, import_module, NULL);
    static const JSClassDef handle = { "handle", .finalizer = handle_freed };
    JS_NewClassID(rt, &handle_class);
    return JS_NewClass(rt, handle_class, &handle) == 0;
}

DOOR(handle) JSValue handle(uint32_t number)
{
    JSValue v = JS_NewObjectProtoClass(ctx, JS_NULL, handle_class);
    if (!JS_IsException(v))
        JS_SetOpaque(v, (void *)number);
    return v;
}
DOOR(handled) uint32_t handled(JSValueConst v) { return (uint32_t)JS_GetOpaque(v, handle_class); }
DOOR(reseed) void reseed(uint64_t seed) { ctx->random_state = seed ? seed : 1; }
DOOR(collect) void collect(void) { JS_RunGC(rt); }
DOOR(collect_at) void collect_at(uint32_t threshold) { JS_SetGCThreshold(rt, threshold); }

/* Values. */
DOOR(keep) JSValue keep(JSValue v) { return JS_DupValue(ctx, v); }
DOOR(drop) void drop(JSValue v) { JS_FreeValue(ctx, v); }
DOOR(number) JSValue number(double d) { return JS_NewFloat64(ctx, d); }
DOOR(string) JSValue string(const char *text, uint32_t size) { return JS_NewStringLen(ctx, text, size); }
DOOR(object) JSValue object(void) { return JS_NewObjectProto(ctx, JS_NULL); }
DOOR(array) JSValue array(void) { return JS_NewArray(ctx); }
DOOR(bytes) JSValue bytes(const uint8_t *data, uint32_t size) { return JS_NewArrayBufferCopy(ctx, data, size); }
DOOR(latin1) JSValue latin1(const char *data, uint32_t size)
{
    return js_new_string8_len(ctx, data, size);
}
/* own makes an ArrayBuffer of a block that Go took. */
static void *resize_own(JSRuntime *r, void *o, void *block, size_t size) { return realloc(block, size); }
DOOR(own) JSValue own(void *block, uint32_t size)
{
    return JS_NewArrayBuffer(ctx, block, size, 0, resize_own, NULL, false);
}
/* binary is what an ArrayBuffer or a typed array sees; out of bounds it is nothing. */
DOOR(binary) int binary(JSValueConst v, uint32_t place[2])
{
    JSClassID class = JS_GetClassID(v);
    place[0] = place[1] = 0;
    if (class == JS_CLASS_ARRAY_BUFFER) {
        JSArrayBuffer *b = JS_GetOpaque(v, class);
        if (!b->detached) {
            place[0] = (uint32_t)b->data;
            place[1] = b->byte_length;
        }
        return 1;
    }
    if (class < JS_CLASS_UINT8C_ARRAY || class > JS_CLASS_FLOAT64_ARRAY)
        return 0;
    JSObject *p = JS_VALUE_GET_OBJ(v);
    if (!typed_array_is_oob(p)) {
        JSTypedArray *view = p->u.typed_array;
        place[0] = (uint32_t)view->buffer->u.array_buffer->data + view->offset;
        place[1] = typed_array_length(p) << typed_array_size_log2(class);
    }
    return 1;
}
/* kind says what a value is: 0 undefined, 1 null, 2 false, 3 true, 4 number, 5 text, 6 object, 7 anything else. */
DOOR(kind) int kind(JSValueConst v)
{
    switch (JS_VALUE_GET_NORM_TAG(v)) {
    case JS_TAG_UNDEFINED: return 0;
    case JS_TAG_NULL: return 1;
    case JS_TAG_BOOL: return 2 + JS_VALUE_GET_BOOL(v);
    case JS_TAG_INT:
    case JS_TAG_FLOAT64: return 4;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE: return 5;
    case JS_TAG_OBJECT: return 6;
    }
    return 7;
}
DOOR(text) const char *text(JSValueConst v, uint32_t *size)
{
    size_t n = 0;
    const char *s = JS_ToCStringLen2(ctx, &n, v, false);
    *size = n;
    return s;
}
DOOR(free_text) void free_text(const char *s) { JS_FreeCString(ctx, s); }
DOOR(to_number) int to_number(JSValueConst v, double *d) { return JS_ToFloat64(ctx, d, v); }
DOOR(get) JSValue get(JSValueConst o, const char *name) { return JS_GetPropertyStr(ctx, o, name); }
DOOR(set) int set(JSValueConst o, const char *name, JSValue v) { return JS_SetPropertyStr(ctx, o, name, v); }
DOOR(set_index) int set_index(JSValueConst o, uint32_t i, JSValue v) { return JS_SetPropertyUint32(ctx, o, i, v); }
DOOR(call) JSValue call(JSValueConst f, JSValueConst this, int argc, JSValueConst *argv)
{
    return JS_Call(ctx, f, this, argc, argv);
}
DOOR(caught) JSValue caught(void) { return JS_GetException(ctx); }
DOOR(throw_type_error) JSValue throw_type_error(const char *message)
{
    return JS_ThrowTypeError(ctx, "%s", message);
}
DOOR(throw_memory) void throw_memory(void) { JS_ThrowOutOfMemory(ctx); }
/* throw_interrupted throws what no code can catch. */
DOOR(throw_interrupted) void throw_interrupted(void)
{
    JS_ThrowInternalError(ctx, "interrupted");
    JS_SetUncatchableError(ctx, rt->current_exception);
}

static JSValue host_call(JSContext *c, JSValueConst this, int argc, JSValueConst *argv, int function)
{
    return go_call(argc, argv, function);
}
DOOR(function) JSValue function(const char *name, int number)
{
    return JS_NewCFunctionMagic(ctx, host_call, name, 0, JS_CFUNC_generic_magic, number);
}

static JSValue microtask(JSContext *c, int argc, JSValueConst *argv)
{
    return JS_Call(c, argv[0], JS_UNDEFINED, 0, NULL);
}
DOOR(enqueue) int enqueue(JSValueConst f) { return JS_EnqueueJob(ctx, microtask, 1, &f); }
/* context is what async_context is (infra/lab/quickjs/context.go); change takes the next one and gives the last one. */
DOOR(context) JSValue context(void) { return JS_DupValue(ctx, async_context); }
DOOR(change_context) JSValue change_context(JSValue next)
{
    JSValue last = async_context;
    async_context = next;
    return last;
}
DOOR(run_job) int run_job(void) { JSContext *c; return JS_ExecutePendingJob(rt, &c); }

DOOR(promise_state) int promise_state(JSValueConst p) { return JS_PromiseState(ctx, p); }
DOOR(promise_result) JSValue promise_result(JSValueConst p) { return JS_PromiseResult(ctx, p); }

DOOR(is_error) int is_error(JSValueConst v) { return JS_GetClassID(v) == JS_CLASS_ERROR; }
DOOR(error_stack) JSValue error_stack(JSValueConst v)
{
    return JS_DupValue(ctx, JS_VALUE_GET_OBJ(v)->u.object_data);
}
/* own_message is the message that is the error's own, where that is a text. */
DOOR(own_message) JSValue own_message(JSValueConst v)
{
    JSPropertyDescriptor d;
    if (JS_GetOwnProperty(ctx, &d, v, JS_ATOM_message) <= 0)
        return JS_UNDEFINED;
    JS_FreeValue(ctx, d.getter);
    JS_FreeValue(ctx, d.setter);
    return d.value;
}
DOOR(set_message) int set_message(JSValueConst e, JSValue text)
{
    return JS_DefinePropertyValue(ctx, e, JS_ATOM_message, text, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}
DOOR(proxy_parts) int proxy_parts(JSValueConst v, JSValue *parts)
{
    if (JS_GetClassID(v) != JS_CLASS_PROXY)
        return 0;
    JSProxyData *p = JS_GetOpaque(v, JS_CLASS_PROXY);
    if (p->is_revoked)
        return 1;
    parts[0] = JS_DupValue(ctx, p->target);
    parts[1] = JS_DupValue(ctx, p->handler);
    return 2;
}
/* iterator_rest is what an iterator of a Map or a Set has left, which stays where it is: whether it is of a Set, whether
   it gives pairs, then the values, of pairs one after the other. It is undefined for other values. */
DOOR(iterator_rest) JSValue iterator_rest(JSValueConst v)
{
    int of_set = JS_GetClassID(v) == JS_CLASS_SET_ITERATOR;
    JSMapIteratorData *it = JS_GetOpaque(v, JS_CLASS_MAP_ITERATOR + of_set);
    if (!it)
        return JS_UNDEFINED;
    JSValueConst head[] = { JS_NewBool(ctx, of_set), JS_NewBool(ctx, it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE) };
    JSValue rest = js_create_array(ctx, 2, head);
    if (JS_IsException(rest) || JS_IsUndefined(it->obj))
        return rest;
    JSMapState *s = JS_GetOpaque(it->obj, JS_CLASS_MAP + of_set);
    struct list_head *el = it->cur_record ? it->cur_record->link.next : s->records.next;
    for (uint32_t n = 2; el != &s->records; el = el->next) {
        JSMapRecord *mr = list_entry(el, JSMapRecord, link);
        if (mr->empty)
            continue;
        JSValue value = of_set ? mr->key : mr->value;
        if (it->kind != JS_ITERATOR_KIND_VALUE &&
            JS_DefinePropertyValueUint32(ctx, rest, n++, js_dup(mr->key), JS_PROP_C_W_E) < 0 ||
            it->kind != JS_ITERATOR_KIND_KEY &&
            JS_DefinePropertyValueUint32(ctx, rest, n++, js_dup(value), JS_PROP_C_W_E) < 0) {
            JS_FreeValue(ctx, rest);
            return JS_EXCEPTION;
        }
    }
    return rest;
}

/* Code. */
DOOR(eval) JSValue eval(const char *source, uint32_t size, const char *file, int flags)
{
    return JS_Eval(ctx, source, size, file, flags);
}
DOOR(write) uint8_t *write_code(JSValueConst v, uint32_t *size, int flags)
{
    size_t n = 0;
    uint8_t *code = JS_WriteObject(ctx, &n, v, flags);
    *size = n;
    return code;
}
DOOR(js_free) void free_code(void *p) { js_free(ctx, p); }
DOOR(read) JSValue read_code(const uint8_t *code, uint32_t size)
{
    return JS_ReadObject(ctx, code, size, JS_READ_OBJ_BYTECODE);
}
DOOR(evaluate) JSValue evaluate(JSValue code) { return JS_EvalFunction(ctx, code); }
DOOR(parse) JSValue parse(const char *text, uint32_t size) { return JS_ParseJSON(ctx, text, size, "event"); }
DOOR(resolve) int resolve(JSValueConst module) { return JS_ResolveModule(ctx, module); }
DOOR(definition) JSModuleDef *definition(JSValueConst module) { return JS_VALUE_GET_PTR(module); }
DOOR(exports) JSValue exports(JSModuleDef *m) { return JS_GetModuleNamespace(ctx, m); }
DOOR(module) JSModuleDef *module(const char *name) { return JS_NewCModule(ctx, name, fill_module); }
DOOR(add_export) int add_export(JSModuleDef *m, const char *name) { return JS_AddModuleExport(ctx, m, name); }
DOOR(set_export) int set_export(JSModuleDef *m, const char *name, JSValue v)
{
    return JS_SetModuleExport(ctx, m, name, v);
}
