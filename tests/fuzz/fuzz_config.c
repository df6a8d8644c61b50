/* SPDX-License-Identifier: MIT */
/* fuzz_config.c - no text crashes the reading of configs, and whatever is
 * accepted survives being written and read again.
 *
 * The input is read as YAML; a tree is copied, written and read back, and must
 * be equal.  Then it is checked as a component of every kind; what passes is
 * rendered, and must check again and render the same.  Its first scalars serve
 * as assignments and numbers.  With NN_REPLAY this is a program that runs the
 * files that it is given, such as those of corpus/config. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/schema.h"
#include "core/util/error.h"
#include "core/util/number.h"
#include "tests/unit/config/catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run, since what must hold does not. */
#define require(condition)                                                     \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "fuzz_config: %s\n", #condition);                  \
            abort();                                                           \
        }                                                                      \
    } while (0)

static nn_node *read_text(const char *text, size_t length)
{
    nn_diagnostics diagnostics = {0};
    nn_text out = {0};
    nn_node *node = NULL;
    int32_t code = nn_node_read(text, length, "fuzz", &diagnostics, &node);

    nn_diagnostics_render(&diagnostics, &out);
    require((code == NN_OK) == (node != NULL));
    require((code == NN_OK) == (diagnostics.errors == 0));
    require(code == nn_error_code());
    nn_text_finish(&out);
    nn_diagnostics_finish(&diagnostics);
    nn_error_clear();
    return node;
}

/* NODE, written and read again; it must be equal. */
static void write_and_read(const nn_node *node)
{
    nn_text out = {0};
    nn_node *back;

    require(nn_node_write(node, &out) == NN_OK);
    back = read_text(nn_text_string(&out), out.length);
    require(back && nn_node_equal(node, back));
    nn_node_destroy(back);
    nn_text_finish(&out);
}

/* What NODE means as a component of KIND, rendered; NULL if it means nothing.
 */
static nn_node *meaning(uint32_t kind, const nn_node *node)
{
    nn_diagnostics diagnostics = {0};
    nn_arena *arena = NULL;
    nn_node *rendered = NULL;
    nn_named named;
    int32_t code;

    require(nn_arena_create(&arena) == NN_OK);
    code = nn_schema_component(&test_catalog, kind, node, "thing", NULL, arena,
                               &diagnostics, &named);
    require((code == NN_OK) == (named.params != NULL));
    require((code == NN_OK) == (diagnostics.errors == 0));
    nn_error_clear();
    if (code == NN_OK)
        rendered = nn_schema_render(named.name, named.params);
    require((code == NN_OK) == (rendered != NULL));
    nn_diagnostics_finish(&diagnostics);
    nn_arena_destroy(arena);
    return rendered;
}

static void check_and_render(uint32_t kind, const nn_node *node)
{
    nn_node *once = meaning(kind, node);
    nn_node *twice = once ? meaning(kind, once) : NULL;

    if (once) {
        require(twice && nn_node_equal(once, twice));
        write_and_read(once);
    }
    nn_node_destroy(once);
    nn_node_destroy(twice);
}

/* Uses TEXT as an assignment to a copy of ROOT. */
static void assign(const nn_node *root, const char *text)
{
    nn_node *copy = nn_node_copy(root);

    require(copy && nn_node_equal(copy, root));
    nn_node_assign(copy, text, "--set", NULL);
    nn_error_clear();
    require(nn_node_depth(copy) <= NN_NODE_DEPTH);
    write_and_read(copy);
    nn_node_destroy(copy);
}

/* A number that is read, written and read again has the same bits. */
static void parse_number(const char *text)
{
    char written[32];
    double value;
    double back = 0;

    if (nn_number_parse_extended(text, strlen(text), &value) != NN_OK)
        return;
    nn_number_format(value, written);
    require(nn_number_parse_extended(written, strlen(written), &back) == NN_OK);
    require(isnan(value) ? isnan(back)
                         : memcmp(&value, &back, sizeof value) == 0);
}

/* The first scalars among the values of ROOT and of its first value. */
static void use_scalars(const nn_node *root)
{
    const nn_node *node = root;
    int depth;
    int64_t i;

    for (depth = 0; depth < 2 && node && node->count; ++depth) {
        for (i = 0; i < node->count && i < 4; ++i) {
            const nn_node *item = node->entries[i].node;

            if (item->kind == NN_NODE_SCALAR) {
                assign(root, item->text);
                parse_number(item->text);
            }
        }
        node = node->entries[0].node;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nn_node *node = read_text((const char *)data, size);
    uint32_t kind;

    if (!node)
        return 0;
    require(nn_node_depth(node) <= NN_NODE_DEPTH);
    write_and_read(node);
    for (kind = NN_KIND_LAYER; kind <= NN_KIND_SCHEDULE; ++kind)
        check_and_render(kind, node);
    use_scalars(node);
    nn_node_destroy(node);
    return 0;
}

#ifdef NN_REPLAY

/* Runs one file; returns 0 if it cannot be read. */
static int replay(const char *path)
{
    FILE *in = fopen(path, "rb");
    uint8_t *data = malloc(NN_NODE_BYTES);
    size_t size = 0;

    if (in && data)
        size = fread(data, 1, NN_NODE_BYTES, in);
    if (in)
        fclose(in);
    if (in && data)
        LLVMFuzzerTestOneInput(data, size);
    else
        fprintf(stderr, "fuzz_config: cannot read %s\n", path);
    free(data);
    return in && data;
}

int main(int argc, char **argv)
{
    int good = argc > 1;
    int i;

    for (i = 1; i < argc; ++i)
        good &= replay(argv[i]);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
