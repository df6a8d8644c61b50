/* SPDX-License-Identifier: MIT */
/* progress.c - see progress.h.
 *
 * The rate r is an exponential mean: each time something is shown, the batches
 * since the time before give r' = n / seconds, and r becomes 0.7 r + 0.3 r'.
 * The time left is that of all batches which the run still has, at rate r. */
#define _GNU_SOURCE
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "talk.h"

#define REDRAW 0.1  /* seconds between two pictures on a terminal */
#define INTERVAL 30 /* seconds between two lines elsewhere */
#define NEWEST 0.3  /* weight of the last piece in the rate */
#define WIDEST 30   /* characters of the bar */
#define LINE 256u

static int is_terminal;
static int is_drawn; /* a line without an end stands on the terminal */
static double shown_at;
static double rate; /* batches a second; 0: not known */
static int64_t shown_batches;
static int is_begun;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void wipe(void)
{
    if (is_drawn)
        fputs("\r\033[K", stderr);
    is_drawn = 0;
}

void progress_begin(void)
{
    is_terminal = isatty(STDERR_FILENO);
    is_begun = 0;
    rate = 0;
    shown_at = now();
    talk_wipe(wipe);
}

void progress_end(void)
{
    wipe();
    talk_wipe(NULL);
}

/* Batches since training began; those of an epoch of unknown length are lost
 * when it ends, which only the rate of that moment notices. */
static int64_t batches_of(const nn_trainer_status *status)
{
    int64_t length = status->batches > 0 ? status->batches : 0;

    return status->epoch * length + status->batch;
}

static void update_rate(const nn_trainer_status *status, double time)
{
    int64_t batches = batches_of(status);
    double seconds = time - shown_at;

    if (is_begun && batches > shown_batches && seconds > 0) {
        double piece = (double)(batches - shown_batches) / seconds;

        rate = rate > 0 ? (1 - NEWEST) * rate + NEWEST * piece : piece;
    }
    is_begun = 1;
    shown_batches = batches;
    shown_at = time;
}

/* Seconds until the run ends; negative: not known. */
static double seconds_left(const nn_trainer_status *status)
{
    int64_t left;

    if (status->epochs < 0 || status->batches <= 0 || rate <= 0)
        return -1;
    left = status->epochs * status->batches - batches_of(status);
    return left > 0 ? (double)left / rate : 0;
}

/* "1:02:03" or "2:03". */
static void time_text(double seconds, char text[32])
{
    long long whole = (long long)ceil(seconds);

    if (whole >= 3600)
        snprintf(text, 32, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                 whole % 60);
    else
        snprintf(text, 32, "%lld:%02lld", whole / 60, whole % 60);
}

static void add(char line[LINE], const char *piece)
{
    size_t used = strlen(line);

    snprintf(line + used, LINE - used, "%s", piece);
}

/* "epoch 3/10": the one that is being trained. */
static void add_epoch(char line[LINE], const nn_trainer_status *status)
{
    int64_t epoch = status->epoch + 1;
    char piece[64];

    if (status->epochs >= 0 && epoch > status->epochs)
        epoch = status->epochs;
    snprintf(piece, sizeof piece, "epoch %lld", (long long)epoch);
    add(line, piece);
    if (status->epochs >= 0) {
        snprintf(piece, sizeof piece, "/%lld", (long long)status->epochs);
        add(line, piece);
    }
}

/* What follows the bar. */
static void add_numbers(char line[LINE], const nn_trainer_status *status)
{
    double left = seconds_left(status);
    char piece[96];
    char time[32];

    snprintf(piece, sizeof piece, "%lld", (long long)status->batch);
    add(line, piece);
    if (status->batches > 0) {
        snprintf(piece, sizeof piece, "/%lld", (long long)status->batches);
        add(line, piece);
    }
    if (rate > 0) {
        snprintf(piece, sizeof piece,
                 rate < 10 ? "  %.1f batch/s" : "  %.0f batch/s", rate);
        add(line, piece);
    }
    if (left >= 0) {
        time_text(left, time);
        snprintf(piece, sizeof piece, "  %s left", time);
        add(line, piece);
    }
    if (!isnan(status->loss)) {
        snprintf(piece, sizeof piece, "  loss %.4g", status->loss);
        add(line, piece);
    }
}

/* "[=====>    ]" of SPACE characters. */
static void add_bar(char line[LINE], const nn_trainer_status *status, int space)
{
    char bar[WIDEST + 1];
    int inside = (space < WIDEST ? space : WIDEST) - 2;
    int done;

    if (inside < 5 || status->batches <= 0)
        return;
    done = (int)((double)inside * (double)status->batch /
                 (double)status->batches);
    done = done > inside ? inside : done;
    memset(bar, ' ', sizeof bar);
    memset(bar + 1, '=', (size_t)done);
    if (done < inside)
        bar[1 + done] = '>';
    bar[0] = '[';
    bar[inside + 1] = ']';
    bar[inside + 2] = '\0';
    add(line, bar);
    add(line, " ");
}

static int terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 1)
        return 80;
    return size.ws_col < LINE ? size.ws_col : (int)LINE;
}

static void draw(const nn_trainer_status *status)
{
    char head[LINE] = "";
    char numbers[LINE] = "";
    int width = terminal_width() - 1;

    add_epoch(head, status);
    add(head, " ");
    add_numbers(numbers, status);
    add_bar(head, status, width - (int)(strlen(head) + strlen(numbers)) - 1);
    add(head, numbers);
    fprintf(stderr, "\r%.*s\033[K", width, head);
    fflush(stderr);
    is_drawn = 1;
}

static void print_line(const nn_trainer_status *status)
{
    char line[LINE] = "";

    add_epoch(line, status);
    add(line, ": batch ");
    add_numbers(line, status);
    add(line, "\n");
    talk_text(line);
}

void progress_show(void *self, const nn_trainer_status *status)
{
    double time = now();
    double wait = is_terminal ? REDRAW : INTERVAL;

    (void)self;
    if (!is_begun)
        update_rate(status, time);
    if (time - shown_at < wait)
        return;
    update_rate(status, time);
    if (is_terminal)
        draw(status);
    else
        print_line(status);
}
