/* SPDX-License-Identifier: MIT */
/* Tests of the csv iterator on texts written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <locale.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "files.h"

extern const nn_plugin iterator_csv_LTX_nn_plugin_v1;

const nn_plugin *const fake_plugins[] = {&iterator_csv_LTX_nn_plugin_v1, NULL};

/* Two features and a label. */
#define COLUMNS "columns: {x: [0, 1], labels: 2}"

static const char plain[] = "{csv: {file: %s/d.csv, " COLUMNS "}}";
static const char headed[] = "{csv: {file: %s/d.csv, " COLUMNS
                             ", header: true}}";
static const char skipping[] = "{csv: {file: %s/d.csv, " COLUMNS
                               ", missing: skip}}";

static nn_field requests[2];

static int begin(void **state)
{
    requests[0] = fake_field("x", NN_FLOAT64, 1, 2, 0, 0);
    requests[1] = fake_field("labels", NN_INT32, 1, 1, 0, 0);
    return files_begin(state);
}

static nn_child *open_text(const char *config, const char *text)
{
    files_write("d.csv", text, strlen(text));
    return fake_open(files_config(config), NN_FLOAT64, requests, 2);
}

/* TEXT holds COUNT rows of the numbers RIGHT, three a row. */
static void assert_rows(const char *config, const char *text, int64_t count,
                        const double *right)
{
    nn_child *it = open_text(config, text);
    nn_batch *batch;
    int64_t ids[] = {0, 1, 2, 3};
    int64_t i;

    if (!it)
        fail_msg("%s: %s", text, fake.text);
    assert_int_equal(fake_info(it).n_samples, count);
    batch = fake_batch_create(it, count);
    assert_int_equal(fake_gather(it, ids, count, batch), NN_OK);
    for (i = 0; i < count; ++i) {
        const double *x = (double *)batch->data[0] + 2 * i;

        if (x[0] != right[3 * i] || x[1] != right[3 * i + 1] ||
            ((int32_t *)batch->data[1])[i] != right[3 * i + 2])
            fail_msg("%s: row %d is wrong", text, (int)i);
    }
    fake_batch_destroy(batch);
    fake_close(it);
    assert_int_equal(fake.blocks, 0);
}

static void assert_refused(const char *config, const char *text,
                           const char *part)
{
    assert_null(open_text(config, text));
    if (!strstr(fake.text, part))
        fail_msg("'%s' does not say '%s'", fake.text, part);
    assert_int_equal(fake.blocks, 0);
}

static const double good[] = {1, 2, 0, 3, 4, 1};

static void test_dirty_but_clear_files_are_the_plain_one(void **state)
{
    static const char *const texts[] = {
        "1,2,0\n3,4,1\n",
        "1,2,0\n3,4,1",       /* no newline at the end */
        "1,2,0\r\n3,4,1\r\n", /* CRLF */
        "1,2,0\r\n3,4,1\r",   /* cut within it */
        "\xEF\xBB\xBF"
        "1,2,0\n3,4,1\n",     /* byte order mark */
        "1,2,0\n3,4,1\n\n\n", /* blank lines at the end */
        "1,2,0\n3,4,1\r\n \t\r\n",
        "\"1\",2,0\n\"3\",4,\"1\"\n",
        " 1 , 2,0 \n\t3,4 ,1\n",
        " \"1\" ,2,0\n3,4,1\n",
        "1e0,2.0,0\n+3,.4e1,1.\n",
        "10e-1,0.02E+2,-0\n3,4,1\n",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof *texts; ++i)
        assert_rows(plain, texts[i], 2, good);
}

static void test_what_is_no_number_is_an_error_with_its_place(void **state)
{
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"1,2,0\n3,,1\n", "d.csv:2:3: cell 2 is '', a missing value"},
        {"1,2,0\n3,?,1\n", "d.csv:2:3: cell 2 is '?', a missing value"},
        {"1,2,0\n3,nan,1\n", "d.csv:2:3: cell 2 is 'nan', a missing value"},
        {"1,2,0\n3,NaN,1\n", "d.csv:2:3: cell 2 is 'NaN', a missing value"},
        {"1,2,0\n3,4\n", "d.csv:2:4: the line has 2 cells, line 1 has 3"},
        {"1,2,0\n3,4,1,5\n", "d.csv:2:7: cell 4 is one too many"},
        {"1,2,0\n3,4,1,\n", "d.csv:2:7: cell 4 is one too many"},
        {"1,2,0\n1.5abc,4,1\n", "d.csv:2:1: cell 1 is '1.5abc', which is no"},
        {"1,2,0\n3,inf,1\n", "d.csv:2:3: cell 2 is 'inf'"},
        {"1,2,0\n3,0x10,1\n", "d.csv:2:3: cell 2 is '0x10'"},
        {"1,2,0\n3,1_0,1\n", "d.csv:2:3: cell 2 is '1_0'"},
        {"1,2,0\n3,1e,1\n", "d.csv:2:3: cell 2 is '1e'"},
        {"1,2,0\n3,- 1,1\n", "d.csv:2:3: cell 2 is '- 1'"},
        {"1,2,0\n3,.,1\n", "d.csv:2:3: cell 2 is '.'"},
        {"1,2,0\n3,1e999,1\n", "d.csv:2:3: cell 2 is '1e999', which is too"},
        {"1,2,0\n3,4,1.5\n", "d.csv:2:5: cell 3 is 1.5, which field 'labels'"},
        {"1,2,0\n3,4,3000000000\n", "d.csv:2:5: cell 3 is 3e+09"},
        {"1,2,0\n\n3,4,1\n", "d.csv:2:1: a blank line"},
        {"\n1,2,0\n3,4,1\n", "d.csv:1:1: a blank line"},
        {"1,2,0\n3,\"4,1\n", "d.csv:2:3: a quoted cell does not end"},
        {"1,2,0\n3,\"4\"5,1\n", "d.csv:2:6: text follows a closing quote"},
        {"1,2,0\n3,4\"5,1\n", "d.csv:2:3: cell 2 is '4\"5'"},
        {"1,2,0\r3,4,1\r", "d.csv:1:5: cell 3 is '0?3'"},
        {"1;2;0\n3;4;1\n", "column 1 is wanted (from 0), line 1 has 1"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_refused(plain, cases[i].text, cases[i].part);
}

static void test_a_header_is_read_only_if_announced(void **state)
{
    static const char text[] = "a,b,class\n1,2,0\n3,4,1\n";
    static const char named[] =
        "{csv: {file: %s/d.csv, columns: {x: [a, b], labels: class}, header: "
        "true}}";

    (void)state;
    assert_refused(plain, text,
                   "d.csv:1:1: cell 1 is 'a', which is no number; if line 1 "
                   "names the columns, set `header: true`");
    assert_rows(headed, text, 2, good);
    assert_rows(named, text, 2, good);
    assert_rows(named, "class,\"b\", a \n0,2,1\n1,4,3\n", 2, good);
    assert_refused(named, "a,b,c\n1,2,0\n", "line 1 names no column 'class'");
    assert_refused(named, "a,b,class,a\n1,2,0,3\n",
                   "d.csv:1:11: a second column is named 'a'");
    assert_refused("{csv: {file: %s/d.csv, columns: {x: [a, 1], labels: 2}}}",
                   text,
                   "column 'a' is wanted by its name; set `header: true`");
    assert_refused(headed, "a,b,c\n", "holds no samples");
    assert_refused(headed, "a,b,c\n1,2\n",
                   "d.csv:2:4: the line has 2 cells, line 1 has 3");
}

static void test_rows_with_missing_values_can_be_skipped(void **state)
{
    assert_rows(skipping, "?,2,0\n1,2,0\n3,,1\n3,4,NA\n3,4,1\nnan,4,1\n", 2,
                good);
    (void)state;
    fake_close(open_text(skipping, "1,2,0\n3,,1\n"));
    assert_non_null(
        strstr(fake.log,
               "d.csv: 1 rows with missing values were left out, 1 stay"));
    assert_refused(skipping, "1,2,0\n3,x,1\n", "d.csv:2:3: cell 2 is 'x'");
    assert_refused(skipping, "1,?,0\n3,?,1\n", "holds no samples");
}

static void test_other_columns_may_hold_anything(void **state)
{
    static const char config[] =
        "{csv: {file: %s/d.csv, columns: {x: [1, 3], labels: 4}}}";

    (void)state;
    assert_rows(config,
                "\"Braund, Mr. \"\"Owen\"\"\",1,,2,0\n"
                "two\xC3\xA9 words,3,\"a\nb\",4,1\n",
                2, good);
    assert_refused(config, "a,1,\"x\ny\",2,0\nb,3,,q,1\n",
                   "d.csv:3:6: cell 4 is 'q'");
}

static void test_ranges_orders_and_columns_for_two_fields(void **state)
{
    static const double first[] = {2, 1, 0, 4, 3, 1};
    static const double both[] = {1, 2, 1, 3, 4, 3};

    (void)state;
    assert_rows("{csv: {file: %s/d.csv, columns: {x: 0:2, labels: 2}}}",
                "1,2,0\n3,4,1\n", 2, good);
    assert_rows("{csv: {file: %s/d.csv, columns: {x: [1, 0], labels: 2}}}",
                "1,2,0\n3,4,1\n", 2, first);
    assert_rows("{csv: {file: %s/d.csv, columns: {x: 0:2, labels: 0}}}",
                "1,2,0\n3,4,1\n", 2, both);
    assert_refused("{csv: {file: %s/d.csv, columns: {x: 0:9, labels: 2}}}",
                   "1,2,0\n", "column 8 is wanted (from 0), line 1 has 3");
    assert_refused("{csv: {file: %s/d.csv, columns: {x: 2:2, labels: 2}}}",
                   "1,2,0\n", "columns 2:2 are none");
    assert_refused(
        "{csv: {file: %s/d.csv, columns: {x: 0:3, labels: 2}}}", "1,2,0\n",
        "samples of field 'x' have shape (3), the network wants (2)");
}

static void test_delimiters(void **state)
{
    (void)state;
    assert_rows("{csv: {file: %s/d.csv, delimiter: semicolon, " COLUMNS "}}",
                "1;2;0\n3;4;1\n", 2, good);
    assert_rows("{csv: {file: %s/d.csv, delimiter: \"|\", " COLUMNS "}}",
                "1|2|0\n3|4|1\n", 2, good);
    assert_rows("{csv: {file: %s/d.csv, delimiter: tab, " COLUMNS "}}",
                "1\t2 \t0\n3\t4\t1\n", 2, good);
    assert_rows("{csv: {file: %s/d.csv, delimiter: space, " COLUMNS "}}",
                "1 2 0\n3 4 1\n", 2, good);
    assert_refused("{csv: {file: %s/d.csv, delimiter: ab, " COLUMNS "}}", "1",
                   "'ab' cannot be the delimiter");
    assert_refused("{csv: {file: %s/d.csv, delimiter: 1, " COLUMNS "}}", "1",
                   "'1' cannot be the delimiter");
}

static void test_range_counts_rows(void **state)
{
    (void)state;
    assert_rows("{csv: {file: %s/d.csv, " COLUMNS ", range: [1, 3]}}",
                "9,9,9\n1,2,0\n3,4,1\n8,8,8\n", 2, good);
    assert_rows("{csv: {file: %s/d.csv, " COLUMNS
                ", range: [1, 3], missing: skip}}",
                "9,9,9\n?,2,0\n1,2,0\n,,\n3,4,1\n7,?,8\n8,8,8\n?,1,1\n", 2,
                good);
    assert_refused("{csv: {file: %s/d.csv, " COLUMNS ", range: [1, 3]}}",
                   "9,9,9\n1,2,0\n", "[1, 3] does not lie in the 2 samples");
}

static void test_empty_files(void **state)
{
    (void)state;
    assert_refused(plain, "", "d.csv: the file is empty");
    assert_refused(plain, "\n \n", "d.csv: the file is empty");
    assert_refused(plain, "\xEF\xBB\xBF", "d.csv: the file is empty");
}

/* Every way to write a number rounds as strtod does. */
static void test_numbers_are_rounded_correctly(void **state)
{
    static const char *const texts[] = {
        "0.1",
        "123456789012345",
        "1234567890123456",
        "12345678901234567890",
        "0.1e-21",
        "9007199254740993",
        "5e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "0.000000000000000000000000000001",
        "123456789012345e22",
        "123456789012345e-22",
        "0.30000000000000000000000000000000000000000000000000000004",
        "-1e22",
        "1e23",
        "000000000000000000000000000000000000000000000000000000000000001",
        "1e-400",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
        double right[3] = {0, 7, 0};
        char row[200];

        right[0] = strtod(texts[i], NULL);
        snprintf(row, sizeof row, "%s,7,0\n", texts[i]);
        assert_rows(plain, row, 1, right);
    }
}

/* Sets a locale with a decimal comma: one that is installed, or one that is
 * made in the tests' folder.  NULL if neither can be had. */
static const char *set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *set = NULL;
    char command[512];
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names && !set; ++i)
        set = setlocale(LC_ALL, names[i]);
    if (set)
        return set;
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 '%s' >/dev/null 2>&1",
             files_path("de_DE.UTF-8"));
    if (system(command))
        return NULL;
    setenv("LOCPATH", files_folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8");
}

static void test_a_decimal_comma_changes_nothing(void **state)
{
    static const double right[] = {1.5, 2.5, 0};
    double slow[] = {strtod("0.1234567890123456789", NULL), 2.5, 0};
    char remove[512];
    const char *set = set_comma_locale();

    (void)state;
    if (!set)
        skip();
    assert_rows(plain, "1.5,2.5,0\n", 1, right);
    assert_rows(plain, "0.1234567890123456789,2.5,0\n", 1, slow);
    assert_refused(plain, "1.5,2.5,0.5\n", "cell 3 is 0.5");
    assert_string_equal(setlocale(LC_ALL, NULL), set);
    setlocale(LC_ALL, "C");
    snprintf(remove, sizeof remove, "rm -rf '%s'", files_path("de_DE.UTF-8"));
    assert_int_equal(system(remove), 0);
}

/* Cells, rows and CRLF across the borders of what is read at once. */
static void test_long_files(void **state)
{
    size_t rows = 30000;
    char *text = malloc(rows * 24 + 1);
    size_t used = 0;
    nn_child *it;
    nn_batch *batch;
    size_t i;

    (void)state;
    for (i = 0; i < rows; ++i)
        used += (size_t)sprintf(text + used, "%u.25,-%u,%u\r\n", (unsigned)i,
                                (unsigned)(i * 7), (unsigned)(i % 10));
    it = open_text(plain, text);
    if (!it)
        fail_msg("%s", fake.text);
    batch = fake_batch_create(it, 1);
    assert_int_equal(fake_info(it).n_samples, rows);
    assert_int_equal(fake_start(it, 1, 0, 0, 1), NN_OK);
    for (i = 0; i < rows; ++i) {
        assert_int_equal(fake_next(it, batch), NN_OK);
        assert_true(((double *)batch->data[0])[0] == (double)i + 0.25);
        assert_true(((double *)batch->data[0])[1] == -(double)(i * 7));
        assert_int_equal(*(int32_t *)batch->data[1], i % 10);
    }
    assert_in_range(fake.peak, rows * 20, rows * 20 + 100000);
    fake_batch_destroy(batch);
    fake_close(it);
    free(text);
}

static void test_any_shape_of_as_many_features(void **state)
{
    nn_field request = fake_field("x", NN_FLOAT32, 3, 2, 2, 1);
    nn_child *it;

    (void)state;
    files_write("d.csv", "1,2,3,4\n", 8);
    it = fake_open(files_config("{csv: {file: %s/d.csv, columns: {x: 0:4}}}"),
                   NN_FLOAT32, &request, 1);
    assert_non_null(it);
    assert_int_equal(fake_info(it).fields[0]->ndim, 3);
    fake_close(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dirty_but_clear_files_are_the_plain_one),
        cmocka_unit_test(test_what_is_no_number_is_an_error_with_its_place),
        cmocka_unit_test(test_a_header_is_read_only_if_announced),
        cmocka_unit_test(test_rows_with_missing_values_can_be_skipped),
        cmocka_unit_test(test_other_columns_may_hold_anything),
        cmocka_unit_test(test_ranges_orders_and_columns_for_two_fields),
        cmocka_unit_test(test_delimiters),
        cmocka_unit_test(test_range_counts_rows),
        cmocka_unit_test(test_empty_files),
        cmocka_unit_test(test_numbers_are_rounded_correctly),
        cmocka_unit_test(test_a_decimal_comma_changes_nothing),
        cmocka_unit_test(test_long_files),
        cmocka_unit_test(test_any_shape_of_as_many_features),
    };

    return cmocka_run_group_tests_name("csv", tests, begin, files_end);
}
