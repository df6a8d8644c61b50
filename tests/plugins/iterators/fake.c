/* SPDX-License-Identifier: MIT */
/* fake.c - see fake.h. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 64

fake_state fake;

/* ----------------------------------------------------------------- memory */

/* What stands before a block of the plugins'. */
typedef union block {
    size_t bytes;
    max_align_t align;
} block;

static void *host_alloc(const nn_host *host, size_t bytes)
{
    block *b = NULL;

    if (++fake.calls != fake.fail && bytes < SIZE_MAX / 2)
        b = calloc(1, sizeof *b + bytes);
    if (!b) {
        host->set_error(host, NN_NO_MEMORY, "host.memory",
                        "memory is exhausted");
        return NULL;
    }
    b->bytes = bytes;
    ++fake.blocks;
    fake.bytes += (int64_t)bytes;
    if (fake.bytes > fake.peak)
        fake.peak = fake.bytes;
    return b + 1;
}

static void host_free(const nn_host *host, void *memory)
{
    block *b = memory;

    (void)host;
    if (!memory)
        return;
    --b;
    --fake.blocks;
    fake.bytes -= (int64_t)b->bytes;
    free(b);
}

static int32_t host_set_error(const nn_host *host, int32_t code, const char *id,
                              const char *text)
{
    (void)host;
    if (fake.code == 0) {
        fake.code = code;
        snprintf(fake.id, sizeof fake.id, "%s", id);
        snprintf(fake.text, sizeof fake.text, "%s", text);
    }
    return code;
}

static void host_log(const nn_host *host, uint32_t level, const char *text)
{
    (void)host;
    (void)level;
    snprintf(fake.log, sizeof fake.log, "%s", text);
}

static uint32_t host_threads(const nn_host *host)
{
    (void)host;
    return 1;
}

static const void *host_extension(const nn_host *host, const char *id);

static const nn_host table = {
    .size = NN_SIZEOF(nn_host, threads),
    .abi_minor = NN_ABI_MINOR,
    .alloc = host_alloc,
    .free = host_free,
    .set_error = host_set_error,
    .log = host_log,
    .get_extension = host_extension,
    .threads = host_threads,
};

/* Memory of configs and values, all freed with the outermost iterator. */
typedef struct chunk {
    struct chunk *next;
    max_align_t bytes[];
} chunk;

static chunk *chunks;

static void *keep(size_t bytes)
{
    chunk *c = calloc(1, sizeof *c + bytes);

    if (!c)
        abort();
    c->next = chunks;
    chunks = c;
    return c->bytes;
}

static void forget_all(void)
{
    while (chunks) {
        chunk *next = chunks->next;

        free(chunks);
        chunks = next;
    }
}

/* --------------------------------------------------------------- configs */

typedef struct node {
    char kind; /* 's', '[' or '{' */
    const char *text;
    uint32_t count;
    const char *keys[MAX_ITEMS];
    struct node *items[MAX_ITEMS];
} node;

/* The test itself is wrong. */
static void wrong(const char *what, const char *where)
{
    fprintf(stderr, "fake: %s: %s\n", what, where);
    abort();
}

static void skip_spaces(const char **at)
{
    *at += strspn(*at, " \n");
}

/* A scalar up to one of END. */
static const char *parse_text(const char **at, const char *end)
{
    size_t length;
    char *text;

    if (**at == '"')
        end = "\"";
    *at += **at == '"';
    length = strcspn(*at, end);
    text = keep(length + 1);
    memcpy(text, *at, length);
    *at += length + (*end == '"');
    while (length > 0 && *end != '"' && text[length - 1] == ' ')
        text[--length] = '\0';
    return text;
}

/* A node; PLACE: what may end a plain scalar. */
static node *parse(const char **at, const char *place)
{
    node *n = keep(sizeof *n);
    char close;

    skip_spaces(at);
    n->kind = **at;
    if (n->kind != '{' && n->kind != '[') {
        n->kind = 's';
        n->text = parse_text(at, place);
        return n;
    }
    close = n->kind == '{' ? '}' : ']';
    ++*at;
    for (skip_spaces(at); **at && **at != close; skip_spaces(at)) {
        if (n->count == MAX_ITEMS)
            wrong("too many items", *at);
        if (n->kind == '{') {
            n->keys[n->count] = parse_text(at, ":");
            ++*at;
        }
        n->items[n->count++] = parse(at, n->kind == '{' ? ",}" : ",]");
        skip_spaces(at);
        *at += **at == ',';
    }
    if (**at != close)
        wrong("the config does not end", *at);
    ++*at;
    return n;
}

/* ---------------------------------------------------------------- values */

struct nn_child {
    const nn_component *component;
    const nn_params *params;
    nn_iterator *iterator;
    nn_child *inner; /* a list of all that are within */
    nn_child *next;
};

static nn_child *make_child(const node *n, nn_child *parent);

static const nn_param *main_field(const nn_param *param)
{
    uint32_t i;

    for (i = 0; param->fields[i]; ++i)
        if (param->fields[i]->flags & NN_PARAM_MAIN)
            return param->fields[i];
    wrong("a record without a main field", param->name);
    return NULL;
}

static double parse_real(const char *text)
{
    const char *slash = strchr(text, '/');

    return slash ? strtod(text, NULL) / strtod(slash + 1, NULL)
                 : strtod(text, NULL);
}

static nn_value *make_value(const nn_param *param, const node *n,
                            nn_child *parent);

static const node *find(const node *n, const char *key)
{
    uint32_t i;

    for (i = 0; n && i < n->count; ++i)
        if (strcmp(n->keys[i], key) == 0)
            return n->items[i];
    return NULL;
}

/* The value of a parameter that may not be written. */
static nn_value *value_or_default(const nn_param *param, const node *n,
                                  nn_child *parent)
{
    const char *text = param->default_text;

    if (!n && param->flags & NN_PARAM_REQUIRED)
        wrong("a required parameter is missing", param->name);
    if (!n && text)
        n = parse(&text, "");
    return make_value(param, n, parent);
}

static void fill_record(nn_value *value, const nn_param *param, const node *n,
                        nn_child *parent)
{
    const nn_value **items = keep(MAX_ITEMS * sizeof *items);
    uint32_t i;

    for (i = 0; param->fields[i]; ++i) {
        const nn_param *field = param->fields[i];
        const node *given = n->kind == '{'               ? find(n, field->name)
                            : field == main_field(param) ? n
                                                         : NULL;

        items[i] = value_or_default(field, given, parent);
    }
    value->count = i;
    value->items = items;
}

/* The items of a list, or a lone one. */
static void fill_items(nn_value *value, const nn_param *param, const node *n,
                       nn_child *parent)
{
    const nn_value **items = keep(MAX_ITEMS * sizeof *items);
    uint32_t i;

    if (param->type == NN_PARAM_LIST && n->kind == 's') {
        value->count = 1;
        items[0] = make_value(param->element, n, parent);
    }
    for (i = 0; i < n->count; ++i)
        items[i] = make_value(param->element, n->items[i], parent);
    if (n->kind != 's')
        value->count = n->count;
    value->keys = n->keys;
    value->items = items;
}

static nn_value *make_value(const nn_param *param, const node *n,
                            nn_child *parent)
{
    nn_value *value = keep(sizeof *value);
    uint32_t i;

    value->size = NN_SIZEOF(nn_value, child);
    if (!n || (n->kind == 's' && strcmp(n->text, "none") == 0))
        return value;
    value->type = param->type;
    value->text = n->text;
    if (param->type == NN_PARAM_LIST || param->type == NN_PARAM_MAP)
        fill_items(value, param, n, parent);
    else if (param->type == NN_PARAM_RECORD)
        fill_record(value, param, n, parent);
    else if (param->type == NN_PARAM_COMPONENT)
        value->child = make_child(n, parent);
    else if (n->kind != 's')
        wrong("a scalar is wanted", param->name);
    else if (param->type == NN_PARAM_BOOL)
        value->integer = strcmp(n->text, "true") == 0;
    else if (param->type == NN_PARAM_INT)
        value->integer = strtoll(n->text, NULL, 10);
    if (n->kind == 's' && param->type == NN_PARAM_REAL)
        value->real = parse_real(n->text);
    for (i = 0; param->type == NN_PARAM_CHOICE && param->choices[i]; ++i)
        if (strcmp(param->choices[i], n->text) == 0)
            value->integer = i;
    return value;
}

/* The entries of BODY that are no parameters by name. */
static node *rest_of(const nn_component *component, const node *body)
{
    node *rest = keep(sizeof *rest);
    uint32_t i;
    uint32_t k;

    rest->kind = '{';
    for (i = 0; i < body->count; ++i) {
        for (k = 0; k < component->n_params; ++k)
            if (!(component->params[k]->flags & NN_PARAM_REST) &&
                strcmp(component->params[k]->name, body->keys[i]) == 0)
                break;
        if (k < component->n_params)
            continue;
        rest->keys[rest->count] = body->keys[i];
        rest->items[rest->count++] = body->items[i];
    }
    return rest;
}

static const nn_component *find_component(const char *name)
{
    uint32_t i;

    for (i = 0; fake_plugins[i]; ++i)
        if (strcmp(fake_plugins[i]->components[0]->name, name) == 0)
            return fake_plugins[i]->components[0];
    wrong("no such component", name);
    return NULL;
}

static nn_child *make_child(const node *n, nn_child *parent)
{
    nn_child *child = keep(sizeof *child);
    nn_params *params = keep(sizeof *params);
    const nn_value **values = keep(MAX_ITEMS * sizeof *values);
    const nn_component *component;
    uint32_t i;

    if (n->kind != '{' || n->count != 1)
        wrong("a component is wanted", n->text ? n->text : "");
    component = find_component(n->keys[0]);
    child->component = component;
    child->params = params;
    if (parent) {
        child->next = parent->inner;
        parent->inner = child;
    }
    for (i = 0; i < component->n_params; ++i) {
        const nn_param *param = component->params[i];
        const node *given = find(n->items[0], param->name);

        if (param->flags & NN_PARAM_REST)
            given = rest_of(component, n->items[0]);
        values[i] = value_or_default(param, given, child);
    }
    params->size = NN_SIZEOF(nn_params, values);
    params->count = component->n_params;
    params->values = values;
    return child;
}

/* -------------------------------------------------------------- iterators */

static const nn_iterator_interface *interface_of(const nn_child *child)
{
    return child->component->interface;
}

static int32_t drive_create(nn_child *child, const nn_iterator_request *request)
{
    return interface_of(child)->create(&table, child->params, request,
                                       &child->iterator);
}

static void drive_describe(nn_child *child, nn_iterator_info *info)
{
    interface_of(child)->describe(child->iterator, info);
}

static int32_t drive_start(nn_child *child, const nn_epoch *epoch)
{
    return interface_of(child)->start(child->iterator, epoch);
}

static int32_t drive_next(nn_child *child, nn_batch *batch)
{
    return interface_of(child)->next(child->iterator, batch);
}

static int32_t drive_seek(nn_child *child, int64_t batch)
{
    return interface_of(child)->seek(child->iterator, batch);
}

static int32_t drive_gather(nn_child *child, const nn_epoch *epoch,
                            const int64_t *ids, nn_batch *batch)
{
    return interface_of(child)->gather(child->iterator, epoch, ids, batch);
}

static int32_t drive_can_gather(nn_child *child)
{
    return interface_of(child)->gather != NULL;
}

static const nn_iterators drive = {
    .size = NN_SIZEOF(nn_iterators, can_gather),
    .create = drive_create,
    .describe = drive_describe,
    .start = drive_start,
    .next = drive_next,
    .seek = drive_seek,
    .gather = drive_gather,
    .can_gather = drive_can_gather,
};

static const void *host_extension(const nn_host *host, const char *id)
{
    (void)host;
    return strcmp(id, NN_ITERATORS) == 0 ? &drive : NULL;
}

/* Destroys CHILD, and then what is within. */
static void release(nn_child *child)
{
    nn_child *inner;

    if (child->iterator)
        interface_of(child)->destroy(child->iterator);
    child->iterator = NULL;
    for (inner = child->inner; inner; inner = inner->next)
        release(inner);
}

nn_child *fake_open(const char *config, uint32_t real, const nn_field *request,
                    uint32_t count)
{
    const nn_field *fields[MAX_ITEMS];
    nn_iterator_request wanted = {NN_SIZEOF(nn_iterator_request, fields), real,
                                  count, 0, fields};
    nn_child *child;
    uint32_t i;

    fake.code = 0;
    fake.text[0] = '\0';
    fake.log[0] = '\0';
    fake.peak = fake.bytes;
    fake.calls = 0;
    for (i = 0; i < count; ++i)
        fields[i] = &request[i];
    child = make_child(parse(&config, ""), NULL);
    if (drive_create(child, &wanted) == NN_OK)
        return child;
    if (fake.code == 0)
        wrong("an error without a message", config);
    if (child->iterator)
        wrong("an iterator in spite of an error", fake.text);
    fake_close(child);
    return NULL;
}

void fake_close(nn_child *child)
{
    if (!child)
        return;
    release(child);
    forget_all();
}

nn_iterator_info fake_info(nn_child *child)
{
    nn_iterator_info info = {0};

    info.size = NN_SIZEOF(nn_iterator_info, reserved);
    drive_describe(child, &info);
    return info;
}

nn_batch *fake_batch_create(nn_child *child, int64_t size)
{
    nn_iterator_info info = fake_info(child);
    nn_batch *batch = calloc(1, sizeof *batch);
    void **data = calloc(info.n_fields, sizeof *data);
    uint32_t i;
    uint32_t k;

    for (i = 0; i < info.n_fields; ++i) {
        const nn_field *field = info.fields[i];
        int64_t bytes = nn_dtype_bytes(field->dtype) * size * info.max_T;

        for (k = 0; k < field->ndim; ++k)
            bytes *= field->shape[k];
        data[i] = malloc((size_t)bytes);
        memset(data[i], 0xA5, (size_t)bytes);
    }
    batch->size = NN_SIZEOF(nn_batch, begins);
    batch->n_fields = info.n_fields;
    batch->data = data;
    batch->ids = malloc((size_t)size * sizeof *batch->ids);
    batch->begins = malloc((size_t)size);
    return batch;
}

void fake_batch_destroy(nn_batch *batch)
{
    uint32_t i;

    for (i = 0; i < batch->n_fields; ++i)
        free(batch->data[i]);
    free((void *)batch->data);
    free(batch->ids);
    free(batch->begins);
    free(batch);
}

int32_t fake_start(nn_child *child, uint64_t seed, uint64_t epoch,
                   uint32_t shard, uint32_t n_shards)
{
    nn_epoch begun = {
        NN_SIZEOF(nn_epoch, n_shards), 0, seed, epoch, shard, n_shards};

    fake.code = 0;
    return drive_start(child, &begun);
}

int32_t fake_next(nn_child *child, nn_batch *batch)
{
    fake.code = 0;
    return drive_next(child, batch);
}

int32_t fake_seek(nn_child *child, int64_t batch)
{
    fake.code = 0;
    return drive_seek(child, batch);
}

int32_t fake_gather(nn_child *child, const int64_t *ids, int64_t count,
                    nn_batch *batch)
{
    nn_epoch epoch = {NN_SIZEOF(nn_epoch, n_shards), 0, 0, 0, 0, 1};

    fake.code = 0;
    batch->T = 1;
    batch->B = count;
    return drive_gather(child, &epoch, ids, batch);
}

nn_field fake_field(const char *name, uint32_t dtype, uint32_t ndim, int64_t a,
                    int64_t b, int64_t c)
{
    nn_field field = {
        NN_SIZEOF(nn_field, shape), dtype, ndim, 0, name, {a, b, c}};

    return field;
}
