/* words.c writes values and names as V8 does in its messages. The changes of
   words.go and messages.go call it. Nothing here runs user code. */

/* constructor_name is the name of the nearest constructor up the prototypes. */
static JSAtom constructor_name(JSContext *c, JSObject *object)
{
    for (JSObject *p = object; p; p = p->shape->proto) {
        JSProperty *property;
        JSShapeProperty *shape = find_own_property(&property, p, JS_ATOM_constructor);
        if (p->class_id == JS_CLASS_PROXY)
            break;
        if (!shape || (shape->flags & JS_PROP_TMASK) || !JS_IsObject(property->u.value))
            continue;
        shape = find_own_property(&property, JS_VALUE_GET_OBJ(property->u.value), JS_ATOM_name);
        if (!shape || (shape->flags & JS_PROP_TMASK) || !JS_IsString(property->u.value))
            break;
        return JS_ValueToAtom(c, property->u.value);
    }
    return JS_DupAtom(c, JS_ATOM_Object);
}

/* cut copies a text, as much as fits, whole characters only. */
static const char *cut(char *buf, const char *text)
{
    snprintf(buf, WORDS, "%s", text);
    size_t n = strlen(buf);
    while (n && text[n] && ((unsigned char)text[n] & 0xc0) == 0x80)
        buf[--n] = 0;
    return buf;
}

static const char *cut_value(JSContext *c, char *buf, JSValue text)
{
    const char *s = JS_IsException(text) ? NULL : JS_ToCString(c, text);
    if (!s)
        JS_FreeValue(c, JS_GetException(c));
    cut(buf, s ? s : "value");
    JS_FreeCString(c, s);
    JS_FreeValue(c, text);
    return buf;
}

/* name_of writes the name of a property. */
static const char *name_of(JSContext *c, char *buf, JSAtom atom)
{
    char name[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(c, name, sizeof(name), atom);
    if (!__JS_AtomIsTaggedInt(atom) && JS_AtomGetKind(c, atom) == JS_ATOM_KIND_SYMBOL)
        snprintf(buf, WORDS, "Symbol(%.80s)", name);
    else
        cut(buf, name);
    return buf;
}

/* plain writes a value: 5, text, [object Array], #<Name>, the source of a function. */
static const char *plain(JSContext *c, char *buf, JSValueConst v)
{
    if (JS_IsSymbol(v)) {
        JSAtom atom = JS_ValueToAtom(c, v);
        name_of(c, buf, atom);
        JS_FreeAtom(c, atom);
        return buf;
    }
    if (!JS_IsObject(v))
        return cut_value(c, buf, js_dup(v));
    JSObject *p = JS_VALUE_GET_OBJ(v);
    if (p->class_id == JS_CLASS_ARRAY)
        return cut(buf, "[object Array]");
    if (p->class_id == JS_CLASS_C_FUNCTION) {
        JSProperty *property;
        char name[WORDS];
        JSShapeProperty *shape = find_own_property(&property, p, JS_ATOM_name);
        bool named = shape && !(shape->flags & JS_PROP_TMASK) && JS_IsString(property->u.value);
        snprintf(buf, WORDS, "function %.90s() { [native code] }", named ? plain(c, name, property->u.value) : "");
        return buf;
    }
    if (p->class_id != JS_CLASS_PROXY && JS_IsFunction(c, v))
        return cut_value(c, buf, js_function_toString(c, v, 0, NULL));
    char name[WORDS];
    JSAtom atom = constructor_name(c, p);
    name_of(c, name, atom);
    JS_FreeAtom(c, atom);
    snprintf(buf, WORDS, "#<%.100s>", name);
    return buf;
}

/* typed writes what a value is, and the value where it is short: number 5, object null, undefined, object. */
static const char *typed(JSContext *c, char *buf, JSValueConst v)
{
    char value[WORDS];
    if (JS_IsNull(v))
        return cut(buf, "object null");
    if (JS_IsUndefined(v))
        return cut(buf, "undefined");
    if (JS_IsSymbol(v))
        return cut(buf, "symbol");
    if (JS_IsBigInt(v))
        return cut(buf, "bigint");
    if (JS_IsObject(v))
        return cut(buf, JS_IsFunction(c, v) ? "function" : "object");
    plain(c, value, v);
    if (JS_IsString(v))
        snprintf(buf, WORDS, "string \"%.100s\"", value);
    else
        snprintf(buf, WORDS, "%s %.100s", JS_IsBool(v) ? "boolean" : "number", value);
    return buf;
}

/* running writes the name of the function of the engine that is called. */
static const char *running(JSContext *c, char *buf)
{
    JSStackFrame *frame = c->rt->current_stack_frame;
    JSProperty *property;
    JSShapeProperty *shape = frame && JS_IsObject(frame->cur_func)
        ? find_own_property(&property, JS_VALUE_GET_OBJ(frame->cur_func), JS_ATOM_name) : NULL;
    if (!shape || (shape->flags & JS_PROP_TMASK) || !JS_IsString(property->u.value))
        return cut(buf, "function");
    return plain(c, buf, property->u.value);
}

static bool runs_code(JSContext *c)
{
    JSStackFrame *frame = c->rt->current_stack_frame;
    return frame && JS_GetClassID(frame->cur_func) != JS_CLASS_C_FUNCTION;
}

/* has_length names what a number that is too large was to be the length of. */
static const char *has_length(JSContext *c)
{
    char name[WORDS];
    running(c, name);
    if (!strcmp(name, "ArrayBuffer"))
        return "array buffer length";
    size_t n = strlen(name);
    return n > 5 && !strcmp(name + n - 5, "Array") ? "typed array length" : "index";
}

static int throw_constant(JSContext *c, JSAtom atom)
{
    JS_ThrowTypeError(c, "Assignment to constant variable.");
    return -1;
}

static int throw_read_only(JSContext *c, int flags, JSAtom atom, JSValueConst v)
{
    char name[WORDS], value[WORDS];
    if (JS_IsObject(v))
        return JS_ThrowTypeErrorOrFalse(c, flags, "Cannot assign to read only property '%s' of object '%s'",
            name_of(c, name, atom), plain(c, value, v));
    return JS_ThrowTypeErrorOrFalse(c, flags, "Cannot assign to read only property '%s' of %s '%s'",
        name_of(c, name, atom), JS_IsString(v) ? "string" : "number", plain(c, value, v));
}

static JSValue throw_receiver(JSContext *c, int class_id, JSValueConst v)
{
    char class[WORDS], method[WORDS], value[WORDS];
    return JS_ThrowTypeError(c, "Method %s.prototype.%s called on incompatible receiver %s",
        name_of(c, class, c->rt->class_array[class_id].class_name), running(c, method), plain(c, value, v));
}

/* throw_circular names the way from an object back to itself. stack has the objects that are being written, value is
   the one that is there already. Which property leads from one to the next is looked for: it was not kept. */
static void edge(JSContext *c, char *buf, JSValueConst from, JSValueConst to)
{
    JSObject *p = JS_VALUE_GET_OBJ(from), *q = JS_VALUE_GET_OBJ(to);
    char name[WORDS];
    if (p->class_id == JS_CLASS_ARRAY && p->fast_array)
        for (uint32_t i = 0; i < p->u.array.count; i++) {
            JSValueConst v = p->u.array.u.values[i];
            if (JS_IsObject(v) && JS_VALUE_GET_OBJ(v) == q) {
                snprintf(buf, WORDS, "index %u", i);
                return;
            }
        }
    JSShapeProperty *shape = get_shape_prop(p->shape);
    for (int i = 0; i < p->shape->prop_count; i++, shape++) {
        if (shape->atom == JS_ATOM_NULL || (shape->flags & JS_PROP_TMASK) || !JS_IsObject(p->prop[i].u.value))
            continue;
        if (JS_VALUE_GET_OBJ(p->prop[i].u.value) == q) {
            snprintf(buf, WORDS, "property '%.90s'", name_of(c, name, shape->atom));
            return;
        }
    }
    cut(buf, "a property");
}

static void constructed(JSContext *c, char *buf, JSValueConst v)
{
    JSAtom atom = constructor_name(c, JS_VALUE_GET_OBJ(v));
    name_of(c, buf, atom);
    JS_FreeAtom(c, atom);
}

static void throw_circular(JSContext *c, JSValueConst stack, JSValueConst value)
{
    JSObject *list = JS_VALUE_GET_OBJ(stack);
    uint32_t n = list->fast_array ? list->u.array.count : 0, first = 0;
    JSValue *on = list->u.array.u.values;
    char text[LONG_WORDS], name[WORDS], way[WORDS];
    while (first < n && JS_VALUE_GET_OBJ(on[first]) != JS_VALUE_GET_OBJ(value))
        first++;

    constructed(c, name, value);
    size_t at = snprintf(text, sizeof(text),
        "Converting circular structure to JSON\n    --> starting at object with constructor '%.80s'", name);
    for (uint32_t i = first; i + 1 < n; i++) {
        if (i >= first + 2 && i + 2 < n) { /* two at the beginning and one at the end are shown */
            at += snprintf(text + at, sizeof(text) - at, "\n    |     ...");
            i = n - 3;
            continue;
        }
        edge(c, way, on[i], on[i + 1]);
        constructed(c, name, on[i + 1]);
        at += snprintf(text + at, sizeof(text) - at, "\n    |     %s -> object with constructor '%.80s'", way, name);
    }
    if (n)
        edge(c, way, on[n - 1], value);
    else
        cut(way, "a property");
    snprintf(text + at, sizeof(text) - at, "\n    --- %s closes the circle", way);
    JS_ThrowTypeError(c, "%s", text);
}

/* json_place is how many UTF-16 units stand before a place of the text. */
static int json_place(JSParseState *s, const uint8_t *at)
{
    int n = 0;
    for (const uint8_t *p = s->buf_start; p < at; p++)
        n += (*p & 0xc0) == 0x80 ? 0 : *p >= 0xf0 ? 2 : 1;
    return n;
}

/* json_step goes some characters back or on, within the text. */
static const uint8_t *json_step(JSParseState *s, const uint8_t *p, int n)
{
    for (; n > 0 && p < s->buf_end; n--)
        for (p++; p < s->buf_end && (*p & 0xc0) == 0x80; p++);
    for (; n < 0 && p > s->buf_start; n++)
        for (p--; p > s->buf_start && (*p & 0xc0) == 0x80; p--);
    return p;
}

enum { JSON_AROUND = 10 };

static int json_unexpected(JSParseState *s, const uint8_t *at)
{
    static const char *const words[] = { "true", "false", "null" };
    for (int i = 0; i < 3; i++)
        if (*at == words[i][0]) {
            const char *w = words[i];
            while (*w && at < s->buf_end && *at == *w)
                w++, at++;
            if (!*w) /* more behind it */
                return js_parse_error(s, "Unexpected non-whitespace character after JSON at position %d", json_place(s, at));
            break;
        }
    if (at >= s->buf_end)
        return js_parse_error(s, "Unexpected end of JSON input");
    if (*at == '"')
        return js_parse_error(s, "Unexpected string in JSON at position %d", json_place(s, at));
    if (is_digit(*at) || *at == '-')
        return js_parse_error(s, "Unexpected number in JSON at position %d", json_place(s, at));

    const uint8_t *from = s->buf_start, *to = s->buf_end;
    int size = to - from, all = json_place(s, to), place = json_place(s, at);
    static const char *const special[] = { "undefined", "NaN", "Infinity", "[object Object]" };
    for (int i = 0; i < 4; i++)
        if (size == strlen(special[i]) && !memcmp(from, special[i], size))
            return js_parse_error(s, "\"%s\" is not valid JSON", special[i]);
    bool more_before = false, more_behind = false;
    if (all > 2 * JSON_AROUND) {
        if (place >= JSON_AROUND) {
            from = json_step(s, at, -JSON_AROUND);
            more_before = true;
        }
        if (place < JSON_AROUND || place < all - JSON_AROUND) {
            to = json_step(s, at, JSON_AROUND);
            more_behind = true;
        }
    }
    int token = json_step(s, at, 1) - at;
    return js_parse_error(s, "Unexpected token '%.*s', %s\"%.*s\"%s is not valid JSON", *at >= 0xf0 ? 3 : token,
        *at >= 0xf0 ? "\xef\xbf\xbd" : (const char *)at, more_before ? "..." : "", (int)(to - from), from, more_behind ? "..." : "");
}

static JSValue throw_bad_regexp(JSContext *c, JSValueConst pattern, JSValueConst flags, const char *why)
{
    char source[WORDS], letters[WORDS];
    plain(c, source, pattern);
    cut(letters, "");
    if (JS_IsString(flags))
        plain(c, letters, flags);
    return JS_ThrowSyntaxError(c, "Invalid regular expression: /%s/%s: %s", source, letters, why);
}
