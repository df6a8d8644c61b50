/* SPDX-License-Identifier: MIT */
/* test_registry.c - which plugins are found, where, and in which order. */
#define _GNU_SOURCE
#include "scratch.h"

#include <errno.h>

#include <nn/training.h>

#include "core/registry/registry.h"
#include "core/util/error.h"

static char messages[1 << 16]; /* what was logged */

static void note(void *self, uint32_t level, const char *text)
{
    size_t used = strlen(messages);

    (void)self;
    if (level <= NN_LOG_WARNING)
        snprintf(messages + used, sizeof messages - used, "%s\n", text);
}

/* An empty scratch folder and environment for each test. */
static int fresh(void **state)
{
    remove_scratch(state);
    messages[0] = '\0';
    nn_error_clear();
    return make_scratch(state);
}

static void make_folder(const char *name)
{
    if (mkdir(in_scratch(name), 0755) && errno != EEXIST)
        fail_msg("%s: %s", name, strerror(errno));
}

/* A registry of what the environment says, and of FILE if it is not NULL. */
static nn_registry *create(const char *file)
{
    nn_registry_options options = {.log = note};
    nn_registry *registry = NULL;

    options.files = &file;
    options.n_files = file != NULL;
    if (nn_registry_create(&options, &registry))
        fail_msg("%s", nn_error_text());
    return registry;
}

/* Creating one of FILE must fail with a message that contains TEXT. */
static void create_fails(const char *file, const char *text)
{
    const nn_registry_options options = {.files = &file, .n_files = 1};
    nn_registry *registry;

    nn_error_clear();
    assert_true(nn_registry_create(&options, &registry) < 0);
    assert_null(registry);
    if (!strstr(nn_error_text(), text))
        fail_msg("'%s' lacks '%s'", nn_error_text(), text);
    nn_error_clear();
}

static const nn_registry_component *find(const nn_registry *registry,
                                         const char *name)
{
    return nn_registry_find(registry, NN_KIND_SCHEDULE, name);
}

/* The file whose path ends with NAME. */
static const nn_registry_file *file_of(const nn_registry *registry,
                                       const char *name)
{
    const nn_registry_file *file;
    size_t length;
    uint32_t i;

    for (i = 0; (file = nn_registry_file_at(registry, i)); ++i) {
        length = strlen(file->path);
        if (length >= strlen(name) &&
            !strcmp(file->path + length - strlen(name), name))
            return file;
    }
    fail_msg("%s is not listed", name);
    return NULL;
}

static void is_refused(const nn_registry *registry, const char *name,
                       const char *text)
{
    const nn_registry_file *file = file_of(registry, name);

    assert_int_equal(file->state, NN_FOUND_REFUSED);
    if (!strstr(file->reason, text))
        fail_msg("%s: '%s' lacks '%s'", name, file->reason, text);
    if (!strstr(messages, name))
        fail_msg("nothing was said of %s", name);
}

/* G1 */
static void junk_hides_nothing_and_is_named(void **state)
{
    nn_registry *registry;

    (void)state;
    make_folder("build");
    put("good", "build/good.so");
    put("good", "build/good.so.bak");
    put("good", "build/.hidden.so");
    put("nosymbol", "build/lib.so");
    write_all(in_scratch("build/note.so"), "just a note", 11);
    write_all(in_scratch("build/e.so"), "", 0);
    make_folder("build/d.so");
    mkfifo(in_scratch("build/fifo.so"), 0644);
    assert_int_equal(symlink("nowhere", in_scratch("build/dangling.so")), 0);
    assert_int_equal(symlink("loop2.so", in_scratch("build/loop1.so")), 0);
    assert_int_equal(symlink("loop1.so", in_scratch("build/loop2.so")), 0);
    registry = create(NULL);
    assert_non_null(find(registry, "seven"));
    is_refused(registry, "/lib.so", "no symbol nn_plugin_v1");
    is_refused(registry, "/note.so", "no ELF header");
    is_refused(registry, "/e.so", "empty");
    is_refused(registry, "/d.so", "a folder, not a file");
    is_refused(registry, "/fifo.so", "a FIFO, not a file");
    is_refused(registry, "/dangling.so", "No such file");
    is_refused(registry, "/loop1.so", "Too many levels");
    is_refused(registry, "/loop2.so", "Too many levels");
    assert_null(nn_registry_file_at(registry, 9));
    nn_registry_destroy(registry);
}

static void every_misbehaving_plugin_is_listed(void **state)
{
    const char *const bad[] = {"exits", "crashes", "undefined", "magic",
                               "wild",  "hollow",  "nullname",  "tls"};
    char name[32];
    nn_registry *registry;
    size_t i;

    (void)state;
    make_folder("build");
    for (i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        snprintf(name, sizeof name, "build/%s.so", bad[i]);
        put(bad[i], name);
    }
    put("good", "build/z.so");
    registry = create(NULL);
    for (i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        snprintf(name, sizeof name, "/%s.so", bad[i]);
        is_refused(registry, name, "");
    }
    assert_non_null(find(registry, "seven"));
    nn_registry_destroy(registry);
}

/* The value of schedule NAME. */
static double value_of(const nn_registry *registry, const char *name)
{
    const nn_progress progress = {.size = sizeof progress};
    const nn_registry_component *component = find(registry, name);
    const nn_component *live;
    const nn_schedule_interface *schedule;
    double value = 0;

    if (!component)
        fail_msg("no schedule %s", name);
    if (nn_registry_load(registry, component, &live))
        fail_msg("%s", nn_error_text());
    assert_null(component->description->interface);
    schedule = live->interface;
    schedule->value(nn_registry_host(registry), NULL, &progress, &value);
    return value;
}

/* G4 */
static void the_first_by_name_of_file_wins(void **state)
{
    const nn_registry_component *shadowed;
    nn_registry *registry;

    (void)state;
    make_folder("build");
    put("good", "build/a.so");
    put("twin", "build/b.so");
    registry = create(NULL);
    assert_true(value_of(registry, "seven") == 7);
    assert_true(value_of(registry, "org.example.twin:seven") == 77);
    assert_true(value_of(registry, "org.example.good:seven") == 7);
    assert_null(find(registry, "org.example.none:seven"));
    assert_null(find(registry, "org.example.twin:mirror"));
    shadowed = nn_registry_component_at(registry, 2);
    assert_int_equal(shadowed->state, NN_FOUND_SHADOWED);
    assert_non_null(strstr(shadowed->reason, "org.example.good of "));
    assert_non_null(strstr(messages, "'seven' of "));
    nn_registry_destroy(registry);
    rename(in_scratch("build/a.so"), in_scratch("build/c.so"));
    registry = create(NULL);
    assert_true(value_of(registry, "seven") == 77);
    nn_registry_destroy(registry);
}

static void one_file_counts_once(void **state)
{
    nn_registry *registry;

    (void)state;
    make_folder("build");
    put("good", "build/a.so");
    assert_int_equal(symlink("a.so", in_scratch("build/b.so")), 0);
    assert_int_equal(link(in_scratch("build/a.so"), in_scratch("build/c.so")),
                     0);
    put("good", "build/d.so");
    registry = create(in_scratch("build/a.so"));
    assert_int_equal(file_of(registry, "/b.so")->state, NN_FOUND_SHADOWED);
    assert_int_equal(file_of(registry, "/c.so")->state, NN_FOUND_SHADOWED);
    assert_non_null(strstr(file_of(registry, "/c.so")->reason, "same file"));
    assert_int_equal(file_of(registry, "/d.so")->state, NN_FOUND_OK);
    assert_int_equal(nn_registry_component_at(registry, 2)->state,
                     NN_FOUND_SHADOWED);
    assert_null(nn_registry_component_at(registry, 4));
    nn_registry_destroy(registry);
}

static void folders_are_searched_in_order(void **state)
{
    char folder[4200];
    const char *const config[] = {folder};
    nn_registry_options options = {.plugin_path = config, .n_plugin_path = 1};
    const char *const order[] = {"path", "config", "data", "build"};
    nn_registry *registry;
    uint32_t i;

    (void)state;
    snprintf(folder, sizeof folder, "%s", in_scratch("config"));
    make_folder("path");
    make_folder("config");
    make_folder("data");
    make_folder("data/nervenet");
    make_folder("data/nervenet/plugins-1");
    make_folder("build");
    put("twin", "path/x.so");
    put("twin", "config/x.so");
    put("twin", "data/nervenet/plugins-1/x.so");
    put("twin", "build/x.so");
    setenv("NN_PLUGIN_PATH", in_scratch("path"), 1);
    assert_int_equal(nn_registry_create(&options, &registry), 0);
    for (i = 0; i < 4; ++i) {
        assert_non_null(
            strstr(nn_registry_file_at(registry, i)->path, order[i]));
        assert_int_equal(nn_registry_component_at(registry, i)->state,
                         i ? NN_FOUND_SHADOWED : NN_FOUND_OK);
    }
    assert_int_equal(nn_registry_directory(registry, 0)->source,
                     NN_SOURCE_ENVIRONMENT);
    assert_null(nn_registry_directory(registry, 4));
    nn_registry_destroy(registry);
}

static void elements_of_the_path_are_judged(void **state)
{
    char list[20000];
    nn_registry *registry;
    nn_text text = {0};

    (void)state;
    make_folder("build");
    make_folder("path");
    put("good", "path/good.so");
    snprintf(list, sizeof list, ":relative:%s:%s:%s", in_scratch("absent"),
             in_scratch("path"), in_scratch("path/good.so"));
    setenv("NN_PLUGIN_PATH", list, 1);
    registry = create(NULL);
    assert_string_equal(nn_registry_directory(registry, 0)->reason,
                        "it is empty");
    assert_string_equal(nn_registry_directory(registry, 1)->reason,
                        "it is not an absolute path");
    assert_string_equal(nn_registry_directory(registry, 2)->reason,
                        "there is no such folder");
    assert_null(nn_registry_directory(registry, 3)->reason);
    assert_string_equal(nn_registry_directory(registry, 4)->reason,
                        "Not a directory");
    assert_non_null(strstr(messages, "'relative' (NN_PLUGIN_PATH) is not"));
    assert_non_null(strstr(messages, "/absent' (NN_PLUGIN_PATH) is not"));
    assert_null(strstr(messages, "/data/"));
    assert_non_null(find(registry, "seven"));
    nn_registry_explain(registry, NN_KIND_SCHEDULE, "none", &text);
    assert_non_null(strstr(nn_text_string(&text), "path (1 file)"));
    assert_non_null(
        strstr(nn_text_string(&text), "absent (there is no such folder)"));
    assert_non_null(strstr(nn_text_string(&text), "1 plugin file seen"));
    nn_text_finish(&text);
    nn_registry_explain(registry, NN_KIND_LAYER, "seven", &text);
    assert_string_equal(nn_text_string(&text),
                        "'seven' is a schedule, not a layer");
    nn_text_finish(&text);
    nn_registry_destroy(registry);
}

static void what_others_can_change_is_refused_or_warned_of(void **state)
{
    char folder[4200];
    const char *const config[] = {folder};
    nn_registry_options options = {.plugin_path = config,
                                   .n_plugin_path = 1,
                                   .log = note};
    nn_registry *registry;

    (void)state;
    snprintf(folder, sizeof folder, "%s", in_scratch("open"));
    make_folder("build");
    make_folder("open");
    put("opened", "open/opened.so");
    chmod(in_scratch("open"), 0777);
    setenv("NN_TEST_RECORD", in_scratch("record"), 1);
    assert_int_equal(nn_registry_create(&options, &registry), 0);
    assert_int_equal(file_of(registry, "/opened.so")->state, NN_FOUND_REFUSED);
    assert_non_null(strstr(file_of(registry, "/opened.so")->reason,
                           "open may be written by everybody"));
    assert_non_null(strstr(messages, "open may be written by everybody"));
    assert_null(find(registry, "opened"));
    nn_registry_destroy(registry);
    assert_int_equal(access(in_scratch("record"), F_OK), -1);
    messages[0] = '\0';
    setenv("NN_PLUGIN_PATH", in_scratch("open"), 1);
    registry = create(NULL);
    assert_non_null(find(registry, "opened"));
    assert_non_null(strstr(messages, "others can change it"));
    nn_registry_destroy(registry);
    unsetenv("NN_PLUGIN_PATH");
    messages[0] = '\0';
    registry = create(in_scratch("open/opened.so"));
    assert_non_null(strstr(messages, "others can change it"));
    nn_registry_destroy(registry);
    chmod(in_scratch("open"), 0755);
    chmod(in_scratch("open/opened.so"), 0666);
    assert_int_equal(nn_registry_create(&options, &registry), 0);
    assert_null(find(registry, "opened"));
    nn_registry_destroy(registry);
    unsetenv("NN_TEST_RECORD");
}

/* G11 */
static void a_file_that_the_user_names_is_that_file(void **state)
{
    char here[4096];
    char far[3100];
    nn_registry *registry;
    size_t i;
    const char *const forms[] = {"mylayer.so", "./mylayer.so",
                                 "sub/../mylayer.so",
                                 "plug ins \xc3\xb1\xcf\x80/mylayer.so"};

    (void)state;
    make_folder("sub");
    make_folder("other");
    make_folder("plug ins \xc3\xb1\xcf\x80");
    put("good", "mylayer.so");
    put("good", "plug ins \xc3\xb1\xcf\x80/mylayer.so");
    put("twin", "other/mylayer.so");
    setenv("LD_LIBRARY_PATH", in_scratch("other"), 1);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(scratch), 0);
    for (i = 0; i < 4; ++i) {
        registry = create(forms[i]);
        assert_true(value_of(registry, "seven") == 7);
        nn_registry_destroy(registry);
    }
    registry = create(in_scratch("mylayer.so"));
    nn_registry_destroy(registry);
    create_fails("", "the path of a plugin is empty");
    create_fails("mylayer.so/", "mylayer.so/: Not a directory");
    create_fails("sub", "sub: a folder, not a file");
    create_fails("none.so", "none.so: No such file");
    create_fails("mylayer", "mylayer: No such file");
    memset(far, 'a', sizeof far);
    far[3000] = '\0';
    create_fails(far, "aaa: File name too long");
    write_all(in_scratch("x.la"), "dlname='mylayer.so'\n", 20);
    create_fails("x.la", "x.la: a .la file");
    write_all(in_scratch("x.txt"), "", 0);
    create_fails("x.txt", "ends in .so");
    put("crashes", "crashes.so");
    create_fails("crashes.so", "while it was opened");
    put("feature", "feature.so");
    create_fails("feature.so", "lacks perpetual-motion");
    assert_int_equal(chdir(here), 0);
    unsetenv("LD_LIBRARY_PATH");
}

/* G3 */
static void versions_are_negotiated(void **state)
{
    nn_registry *registry;
    nn_text text = {0};

    (void)state;
    make_folder("build");
    put("newer", "build/newer.so");
    put("future", "build/future.so");
    put("feature", "build/feature.so");
    setenv("NN_TEST_RECORD", in_scratch("record"), 1);
    registry = create(NULL);
    is_refused(registry, "/future.so", "1.4294967295, this host has 1.0");
    assert_int_equal(access(in_scratch("record"), F_OK), -1);
    assert_true(value_of(registry, "nine") == 9);
    assert_int_equal(file_of(registry, "/newer.so")->state, NN_FOUND_OK);
    assert_non_null(strstr(messages, "'later' of "));
    assert_int_equal(file_of(registry, "/feature.so")->state, NN_FOUND_OFF);
    assert_null(find(registry, "feature"));
    nn_registry_explain(registry, NN_KIND_SCHEDULE, "feature", &text);
    assert_non_null(
        strstr(nn_text_string(&text), "lacks perpetual-motion, which it"));
    nn_text_finish(&text);
    nn_registry_destroy(registry);
    unsetenv("NN_TEST_RECORD");
}

/* G5 */
static void equal_symbols_do_not_mix(void **state)
{
    nn_registry *registry;

    (void)state;
    make_folder("build");
    put("counter_a", "build/a.so");
    put("counter_b", "build/b.so");
    registry = create(NULL);
    assert_true(value_of(registry, "counter_b") == 2);
    assert_true(value_of(registry, "counter_a") == 1);
    assert_true(value_of(registry, "counter_b") == 2);
    nn_registry_destroy(registry);
}

static nn_static_plugin linked_in[2]; /* set by the test */

static void a_plugin_that_is_linked_in_comes_last(void **state)
{
    static const nn_schedule_interface interface = {.size = 8};
    static const nn_component component = {
        .size = NN_SIZEOF(nn_component, outputs),
        .kind = NN_KIND_SCHEDULE,
        .name = "seven",
        .summary = "Linked in",
        .interface = &interface,
    };
    static const nn_component *const components[] = {&component};
    static const nn_plugin plugin = {
        NN_PLUGIN_HEAD,           .id = "org.example.static", .name = "static",
        .version = "1",           .summary = "Linked in",     .n_components = 1,
        .components = components,
    };
    nn_registry_options options = {.static_plugins = linked_in};
    const nn_component *live;
    nn_registry *registry;

    (void)state;
    linked_in[0].name = "schedule_static";
    linked_in[0].entry = &plugin;
    make_folder("build");
    assert_int_equal(nn_registry_create(&options, &registry), 0);
    assert_string_equal(find(registry, "seven")->file->path, "schedule_static");
    assert_int_equal(nn_registry_load(registry, find(registry, "seven"), &live),
                     NN_FORMAT);
    assert_non_null(strstr(nn_error_text(), "its interface lacks `value`"));
    nn_registry_destroy(registry);
    put("good", "build/good.so");
    assert_int_equal(nn_registry_create(&options, &registry), 0);
    assert_non_null(strstr(find(registry, "seven")->file->path, "good.so"));
    assert_non_null(find(registry, "org.example.static:seven"));
    nn_registry_destroy(registry);
}

/* How often the plugin opened.so was opened. */
static long count_opened(void)
{
    struct stat status;

    return stat(in_scratch("record"), &status) ? 0 : (long)status.st_size;
}

static void a_known_file_is_not_opened_again(void **state)
{
    (void)state;
    make_folder("build");
    put("opened", "build/opened.so");
    put("crashes", "build/crashes.so");
    setenv("NN_TEST_RECORD", in_scratch("record"), 1);
    usleep(150000);
    nn_registry_destroy(create(NULL));
    assert_int_equal(count_opened(), 1);
    messages[0] = '\0';
    nn_registry_destroy(create(NULL));
    assert_int_equal(count_opened(), 1);
    assert_non_null(strstr(messages, "crashes.so is not used: "));
    assert_int_equal(chmod(in_scratch("build/opened.so"), 0755), 0);
    usleep(150000);
    nn_registry_destroy(create(NULL));
    assert_int_equal(count_opened(), 2);
    write_all(in_scratch("cache/nervenet/plugins-1.idx"), "junk", 4);
    nn_registry_destroy(create(NULL));
    assert_int_equal(count_opened(), 3);
    nn_registry_destroy(create(NULL));
    assert_int_equal(count_opened(), 3);
    setenv("XDG_CACHE_HOME", in_scratch("build/opened.so"), 1);
    nn_registry_destroy(create(NULL));
    assert_int_equal(count_opened(), 4);
    unsetenv("NN_TEST_RECORD");
}

static void without_a_scanner_everything_says_so(void **state)
{
    char program[5000];
    nn_registry *registry;

    (void)state;
    snprintf(program, sizeof program, "%s", getenv("NN_BUILD_SCAN"));
    make_folder("build");
    put("good", "build/good.so");
    setenv("NN_BUILD_SCAN", "/nonexistent/nn-scan", 1);
    registry = create(NULL);
    is_refused(registry, "/good.so", "cannot run /nonexistent/nn-scan");
    nn_registry_destroy(registry);
    setenv("NN_BUILD_SCAN", program, 1);
    registry = create(NULL);
    assert_non_null(find(registry, "seven"));
    nn_registry_destroy(registry);
}

static void what_was_no_fault_of_the_file_is_not_remembered(void **state)
{
    char program[5000];
    char script[12000];
    nn_registry *registry;

    (void)state;
    snprintf(program, sizeof program, "%s", getenv("NN_BUILD_SCAN"));
    make_folder("build");
    put("good", "build/good.so");
    snprintf(script, sizeof script,
             "#!/bin/sh\ntest -e '%s' || exit 1\nexec '%s' \"$@\"\n",
             in_scratch("works"), program);
    write_all(in_scratch("scan"), script, strlen(script));
    assert_int_equal(chmod(in_scratch("scan"), 0755), 0);
    usleep(150000);
    setenv("NN_BUILD_SCAN", in_scratch("scan"), 1);
    registry = create(NULL);
    is_refused(registry, "/good.so", "ended without looking at it (exit 1)");
    nn_registry_destroy(registry);
    write_all(in_scratch("works"), "", 0);
    registry = create(NULL);
    assert_non_null(find(registry, "seven"));
    nn_registry_destroy(registry);
    setenv("NN_BUILD_SCAN", program, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(junk_hides_nothing_and_is_named, fresh),
        cmocka_unit_test_setup(every_misbehaving_plugin_is_listed, fresh),
        cmocka_unit_test_setup(the_first_by_name_of_file_wins, fresh),
        cmocka_unit_test_setup(one_file_counts_once, fresh),
        cmocka_unit_test_setup(folders_are_searched_in_order, fresh),
        cmocka_unit_test_setup(elements_of_the_path_are_judged, fresh),
        cmocka_unit_test_setup(what_others_can_change_is_refused_or_warned_of,
                               fresh),
        cmocka_unit_test_setup(a_file_that_the_user_names_is_that_file, fresh),
        cmocka_unit_test_setup(versions_are_negotiated, fresh),
        cmocka_unit_test_setup(equal_symbols_do_not_mix, fresh),
        cmocka_unit_test_setup(a_plugin_that_is_linked_in_comes_last, fresh),
        cmocka_unit_test_setup(a_known_file_is_not_opened_again, fresh),
        cmocka_unit_test_setup(without_a_scanner_everything_says_so, fresh),
        cmocka_unit_test_setup(what_was_no_fault_of_the_file_is_not_remembered,
                               fresh),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
