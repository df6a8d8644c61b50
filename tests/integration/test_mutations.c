/* SPDX-License-Identifier: MIT */
/* test_mutations.c - a thousand damaged files, each read by `nn` itself.
 *
 * Seed s takes a valid config, checkpoint, npy, npz, gz or idx file (s modulo
 * 6), truncates it, changes some of its bytes or enlarges a number in it, and
 * gives it to `nn`.  Each run must end within 5 s and 1 GiB with 0 or a
 * documented status, and then say which file it is.  Every truncation of a data
 * file and every change of a checkpoint must be refused.  A seed that fails is
 * printed; `test_mutations SEED` runs it alone. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <zip.h>
#include <zlib.h>

#include <nn/random.h>

#define SEEDS 1000
#define KINDS 6
#define LIMIT_SECONDS 5
#define MOST_BYTES 65536

/* Instrumented programs map terabytes of shadow memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_BYTES RLIM_INFINITY
#else
#define LIMIT_BYTES ((rlim_t)1 << 30)
#endif

static const char *const kinds[KINDS] = {"config", "checkpoint", "npy",
                                         "npz",    "gz",         "idx"};

/* What the mutations are applied to, and what becomes of it. */
typedef struct subject {
    unsigned char bytes[MOST_BYTES];
    size_t length;
} subject;

static char folder[] = "/tmp/nn-mutations-XXXXXX";
static const char *nn;
static subject originals[KINDS];
static int64_t only = -1;

/* ---- files ------------------------------------------------------------- */

static char *path_of(const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t length)
{
    char path[256];
    FILE *file = fopen(path_of(name, path), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void read_original(const char *name, subject *to)
{
    char path[256];
    FILE *file = fopen(path_of(name, path), "rb");

    assert_non_null(file);
    to->length = fread(to->bytes, 1, MOST_BYTES, file);
    assert_true(to->length > 0 && to->length < MOST_BYTES);
    fclose(file);
}

static const char config_text[] =
    "nervenet: 1\n"
    "handler: reference\n"
    "seed: 3\n"
    "inputs: {x: [4], y: {shape: [1], dtype: int32}}\n"
    "network:\n"
    "  - fully_connected: {size: 5, activation: tanh, name: hidden}\n"
    "  - dropout: 0.25\n"
    "  - fully_connected: {size: 3, name: scores}\n"
    "  - softmax_ce: {from: {default: scores, targets: y}}\n"
    "initialize: {\"*.W\": {glorot: {}}, \"*.bias\": 0}\n"
    "data:\n"
    "  train: {minibatches: {size: 4, shuffle: true, inner: {SOURCE}}}\n"
    "training:\n"
    "  stepper: {adam: {learning_rate: {linear: {from: 0.01, to: 0.001}}}}\n"
    "  epochs: 1\n";

/* The config with SOURCE, its iterator, to file NAME. */
static void write_config(const char *name, const char *source)
{
    const char *at = strstr(config_text, "SOURCE");
    char text[4096];

    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - config_text),
             config_text, source, at + 6);
    write_file(name, text, strlen(text));
}

/* Twelve samples of four numbers, and their labels. */
static void make_data(float x[48], unsigned char y[12])
{
    int i;

    for (i = 0; i < 48; ++i)
        x[i] = (float)(i % 7) - 3;
    for (i = 0; i < 12; ++i)
        y[i] = (unsigned char)(i % 3);
}

static size_t make_npy(unsigned char *out, const char *type, const char *shape,
                       const void *bytes, size_t length)
{
    char header[128];
    size_t count = (size_t)snprintf(header, sizeof header,
                                    "{'descr': '%s', 'fortran_order': False, "
                                    "'shape': %s, }",
                                    type, shape);

    while ((10 + count + 1) % 64)
        header[count++] = ' ';
    header[count++] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (unsigned char)count;
    out[9] = (unsigned char)(count >> 8);
    memcpy(out + 10, header, count);
    memcpy(out + 10 + count, bytes, length);
    return 10 + count + length;
}

static void make_npz(const unsigned char *x, size_t x_length,
                     const unsigned char *y, size_t y_length)
{
    char path[256];
    int error;
    zip_t *zip = zip_open(path_of("good.npz", path), ZIP_CREATE | ZIP_TRUNCATE,
                          &error);

    assert_non_null(zip);
    assert_true(zip_file_add(zip, "x.npy",
                             zip_source_buffer(zip, x, x_length, 0), 0) >= 0);
    assert_true(zip_file_add(zip, "y.npy",
                             zip_source_buffer(zip, y, y_length, 0), 0) >= 0);
    assert_int_equal(zip_close(zip), 0);
}

static void make_idx(const float x[48], const unsigned char y[12])
{
    unsigned char images[12 + 48] = {0, 0, 8, 2, 0, 0, 0, 12, 0, 0, 0, 4};
    unsigned char labels[8 + 12] = {0, 0, 8, 1, 0, 0, 0, 12};
    char path[256];
    gzFile file;
    int i;

    for (i = 0; i < 48; ++i)
        images[12 + i] = (unsigned char)(x[i] + 3);
    memcpy(labels + 8, y, 12);
    write_file("good.idx", images, sizeof images);
    write_file("labels.idx", labels, sizeof labels);
    file = gzopen(path_of("good.gz", path), "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, images, sizeof images), sizeof images);
    assert_int_equal(gzclose(file), Z_OK);
}

/* ---- running nn -------------------------------------------------------- */

typedef struct outcome {
    int status; /* of wait */
    double seconds;
    char said[8192]; /* on standard error */
} outcome;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become_nn(const char *const *arguments, int errors)
{
    struct rlimit memory = {LIMIT_BYTES, LIMIT_BYTES};
    struct rlimit seconds = {LIMIT_SECONDS, LIMIT_SECONDS};
    struct rlimit core = {0, 0};
    int null = open("/dev/null", O_RDWR);

    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &core);
    alarm(60);
    dup2(null, 0);
    dup2(null, 1);
    dup2(errors, 2);
    if (chdir(folder) == 0)
        execv(nn, (char *const *)(uintptr_t)arguments);
    _exit(125);
}

static void run_nn(const char *const *arguments, outcome *out)
{
    char path[256];
    int errors = open(path_of("stderr", path), O_RDWR | O_CREAT | O_TRUNC,
                      0600);
    double start = now();
    ssize_t length;
    pid_t child;

    assert_true(errors >= 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become_nn(arguments, errors);
    assert_int_equal(waitpid(child, &out->status, 0), child);
    out->seconds = now() - start;
    length = pread(errors, out->said, sizeof out->said - 1, 0);
    out->said[length > 0 ? length : 0] = '\0';
    close(errors);
}

/* ---- mutations --------------------------------------------------------- */

typedef struct dice {
    nn_random random;
    uint64_t position;
} dice;

static uint64_t throw(dice *d, uint64_t sides)
{
    return nn_random_below(&d->random, d->position++, sides);
}

/* Makes a number look larger than it is: all bits of 1 to 8 bytes, or digits
 * put in front of digits. */
static void enlarge(dice *d, subject *s)
{
    size_t at = (size_t)throw(d, s->length);
    size_t count = (size_t)throw(d, 8) + 1;
    size_t i;

    for (i = at; i < s->length && i < at + 64; ++i)
        if (s->bytes[i] >= '0' && s->bytes[i] <= '9' &&
            s->length + 6 < MOST_BYTES && throw(d, 2)) {
            memmove(s->bytes + i + 6, s->bytes + i, s->length - i);
            memcpy(s->bytes + i, "999999", 6);
            s->length += 6;
            return;
        }
    for (i = at; i < s->length && i < at + count; ++i)
        s->bytes[i] = 0xff;
}

static void flip(dice *d, subject *s)
{
    uint64_t count = throw(d, 4) + 1;

    while (count--)
        s->bytes[throw(d, s->length)] ^= (unsigned char)(throw(d, 255) + 1);
}

/* Mutates S; returns 1 if it was truncated. */
static int mutate(uint64_t seed, subject *s)
{
    dice d = {{seed, 0x6d757461, 0, 0}, 0};

    switch (throw(&d, 3)) {
    case 0:
        s->length = (size_t)throw(&d, s->length);
        return 1;
    case 1:
        flip(&d, s);
        return 0;
    default:
        enlarge(&d, s);
        return 0;
    }
}

/* ---- the tests --------------------------------------------------------- */

static const char *const mutated[KINDS] = {
    "mutated.yaml", "mutated.nn", "mutated.npy",
    "mutated.npz",  "mutated.gz", "mutated.idx"};

static void run_kind(int kind, outcome *out)
{
    const char *const config[] = {nn, "check", "mutated.yaml", NULL};
    const char *const checkpoint[] = {nn, "dump", "mutated.nn", NULL};
    const char *data[] = {nn, "check", "--data", NULL, NULL};
    static const char *const configs[KINDS] = {NULL, NULL, "npy.yaml",
                                               "npz.yaml", "gz.yaml",
                                               "idx.yaml"};

    data[3] = configs[kind];
    run_nn(kind == 0 ? config : kind == 1 ? checkpoint : data, out);
}

/* NULL if the outcome is as it must be, else what is wrong. */
static const char *judge(int kind, int truncated, int changed,
                         const outcome *out)
{
    int status = WIFEXITED(out->status) ? WEXITSTATUS(out->status) : -1;
    int must_refuse = changed && (kind == 1 || (kind > 1 && truncated));

    if (status < 0)
        return WTERMSIG(out->status) == SIGXCPU ? "took too long"
                                                : "was killed by a signal";
    if (strstr(out->said, "Sanitizer") || strstr(out->said, "runtime error"))
        return "sanitizer report";
    if (status > 5)
        return "undocumented status";
    if (out->seconds > 10 * LIMIT_SECONDS)
        return "took too long";
    if (status == 0)
        return must_refuse ? "was accepted" : NULL;
    if (!strstr(out->said, mutated[kind]))
        return "the message does not name the file";
    return NULL;
}

/* Runs SEED; returns 1 if it was refused, and counts what is wrong. */
static int run_seed(uint64_t seed, int *wrong)
{
    int kind = (int)(seed % KINDS);
    static subject s;
    const char *complaint;
    outcome out;
    int truncated;
    int changed;

    s = originals[kind];
    truncated = mutate(seed, &s);
    changed = s.length != originals[kind].length ||
              memcmp(s.bytes, originals[kind].bytes, s.length);
    write_file(mutated[kind], s.bytes, s.length);
    run_kind(kind, &out);
    complaint = judge(kind, truncated, changed, &out);
    if (complaint) {
        print_error("seed %llu (%s): %s; status %d, it said: %.300s\n",
                    (unsigned long long)seed, kinds[kind], complaint,
                    out.status, out.said);
        ++*wrong;
    }
    return out.status != 0;
}

static void damaged_files_are_refused_or_read(void **state)
{
    int refused = 0;
    int wrong = 0;
    uint64_t seed;

    (void)state;
    if (only >= 0) {
        run_seed((uint64_t)only, &wrong);
    } else {
        for (seed = 1; seed <= SEEDS; ++seed)
            refused += run_seed(seed, &wrong);
        print_message("%d of %d mutations were refused\n", refused, SEEDS);
        assert_true(refused >= SEEDS / 2);
    }
    assert_int_equal(wrong, 0);
}

static void the_originals_are_accepted(void **state)
{
    outcome out;
    int kind;

    (void)state;
    for (kind = 0; kind < KINDS; ++kind) {
        write_file(mutated[kind], originals[kind].bytes,
                   originals[kind].length);
        run_kind(kind, &out);
        if (out.status)
            print_error("%s: %s\n", kinds[kind], out.said);
        assert_int_equal(out.status, 0);
    }
}

static int set_up(void **state)
{
    const char *train[] = {NULL, "train", "--quiet", "--out", "run",
                           "idx-good.yaml", NULL};
    unsigned char npy[1024];
    unsigned char labels[1024];
    unsigned char y[12];
    size_t length;
    size_t labels_length;
    float x[48];
    outcome out;

    (void)state;
    assert_non_null(mkdtemp(folder));
    make_data(x, y);
    length = make_npy(npy, "<f4", "(12, 4)", x, sizeof x);
    labels_length = make_npy(labels, "|u1", "(12,)", y, sizeof y);
    write_file("good.npy", npy, length);
    write_file("labels.npy", labels, labels_length);
    make_npz(npy, length, labels, labels_length);
    make_idx(x, y);
    write_config("good.yaml", "idx: {x: good.idx, y: labels.idx}");
    write_config("idx-good.yaml", "idx: {x: good.idx, y: labels.idx}");
    write_config("idx.yaml", "idx: {x: mutated.idx, y: labels.idx}");
    write_config("gz.yaml", "idx: {x: mutated.gz, y: labels.idx}");
    write_config("npy.yaml", "npy: {x: mutated.npy, y: labels.npy}");
    write_config("npz.yaml", "npy: {x: mutated.npz, y: mutated.npz}");
    train[0] = nn;
    run_nn(train, &out);
    if (out.status)
        print_error("nn train: %s\n", out.said);
    assert_int_equal(out.status, 0);
    read_original("good.yaml", &originals[0]);
    read_original("run/checkpoint.nn", &originals[1]);
    read_original("good.npy", &originals[2]);
    read_original("good.npz", &originals[3]);
    read_original("good.gz", &originals[4]);
    read_original("good.idx", &originals[5]);
    return 0;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_originals_are_accepted),
        cmocka_unit_test(damaged_files_are_refused_or_read),
    };

    nn = getenv("NN");
    if (!nn || access(nn, X_OK)) {
        fputs("skipped: NN does not name the program\n", stderr);
        return 77;
    }
    if (argc > 1)
        only = strtoll(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
