/* SPDX-License-Identifier: MIT */
/* progress.c - shows how far training is.
 *
 * After each update the program is told to draw its progress as it likes; after
 * each epoch comes a plain line:
 *
 *     epoch 3/10: loss 0.3123, 12.5 s
 *
 * The loss is that of the epoch (log training.loss), or of the last batch where
 * there is no such log; the seconds are those since training started. */
#include "line.h"

static void add_loss(nn_text *line, const nn_hook_context *context)
{
    int64_t count = 0;
    double loss = context->log_last(context, "training.loss", &count);

    if (count == 0)
        loss = context->loss;
    line_add(line, "loss", loss);
}

static void emit_epoch(const nn_hook_context *context)
{
    char bytes[200];
    nn_text line = nn_text_in(bytes, sizeof bytes);

    nn_text_add(&line, "epoch ");
    nn_text_add_int(&line, context->progress.epoch);
    if (context->progress.total_epochs > 0) {
        nn_text_add(&line, "/");
        nn_text_add_int(&line, context->progress.total_epochs);
    }
    nn_text_add(&line, ": ");
    add_loss(&line, context);
    nn_text_add(&line, ", ");
    nn_text_add_real(&line, context->seconds, 3);
    nn_text_add(&line, " s\n");
    context->emit(context, bytes);
}

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    (void)hook;
    context->show_progress(context);
    if (context->when == NN_AT_EPOCH)
        emit_epoch(context);
    return NN_HOOK_CONTINUE;
}

static const nn_hook_interface interface = {
    .size = NN_SIZEOF(nn_hook_interface, call),
    .events = NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_ALWAYS,
    .call = call,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HOOK,
    .name = "progress",
    .summary = "Shows how far training is",
    .doc = "After every update the program is told how far training is; "
           "after every epoch comes a line with its number, the loss and "
           "the seconds since training started.",
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(hook_progress) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.hook.progress",
    .name = "progress",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Shows how far training is",
    .n_components = 1,
    .components = components,
};
