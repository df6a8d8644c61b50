/* SPDX-License-Identifier: MIT */
/* extension.c - the rows of the inner handler's extensions, known or not.
 *
 * A row's `plan` is called without the row, so each shown row has a function of
 * its own out of a table; `run` and `destroy` find it in the plan. */
#include <string.h>

#include "debug.h"

/* ---- plans ------------------------------------------------------------- */

static int32_t plan_row(nn_handler *handler, uint32_t number,
                        const nn_plan_request *request, nn_plan_result *result)
{
    const nn_row *row = handler->rows[number].inner;
    const nn_host *host = handler->host;
    nn_handler_plan *made;
    int32_t code;
    uint32_t i;

    if (request->n_operands != row->n_operands ||
        row->n_operands > MOST_OPERANDS - 2) {
        debug_finding(handler, NULL, row->name, NN_INVALID_ARGUMENT, "absent",
                      "it is planned with %u operands and has %u",
                      request->n_operands, row->n_operands);
        return nn_fail(host, NN_INVALID_ARGUMENT, "debug.plan",
                       "%s has %u operands, not %u", row->name, row->n_operands,
                       request->n_operands);
    }
    made = host->alloc(host, sizeof *made);
    if (!made)
        return NN_NO_MEMORY;
    code = row->plan(handler->self, request, result);
    if (code) {
        host->free(host, made);
        return code;
    }
    made->inner = result->plan;
    made->row = row;
    made->n_operands = request->n_operands;
    for (i = 0; i < made->n_operands; ++i)
        if (nn_present(request->operands[i])) {
            made->present |= 1u << i;
            made->operands[i] = *request->operands[i];
        }
    made->next = handler->plans;
    handler->plans = made;
    result->plan = made;
    return NN_OK;
}

static int is_plan(const nn_handler *handler, const nn_handler_plan *plan)
{
    const nn_handler_plan *one;

    for (one = handler->plans; one; one = one->next)
        if (one == plan)
            return 1;
    return 0;
}

static void destroy(nn_handler *handler, nn_handler_plan *plan)
{
    nn_handler_plan **link = &handler->plans;

    if (!plan)
        return;
    if (!is_plan(handler, plan)) {
        debug_finding(handler, NULL, "destroy", NN_INVALID_ARGUMENT, "plan",
                      "a plan is destroyed that this handler does not hold");
        return;
    }
    while (*link != plan)
        link = &(*link)->next;
    *link = plan->next;
    if (plan->row->destroy)
        plan->row->destroy(handler->self, plan->inner);
    handler->host->free(handler->host, plan);
}

/* ---- runs -------------------------------------------------------------- */

/* May MODE come where PLANNED was asked for? */
static int fits(uint32_t planned, uint32_t mode)
{
    return planned == mode || planned == NN_ADD;
}

/* Compares the operands with those of PLAN. */
static void check_plan(struct call *call, const nn_handler_plan *plan)
{
    uint32_t i;

    for (i = 0; i < plan->n_operands; ++i) {
        const nn_array *now = call->operands[i].array;
        const nn_array *then = &plan->operands[i];
        int planned = (plan->present >> i) & 1u;
        const char *wrong = NULL;

        if (!nn_present(now)) {
            if (planned && !(call->operands[i].role & NN_ROLE_OPTIONAL))
                wrong = "is absent";
        } else if (!planned)
            wrong = "was absent";
        else if (!nn_same_shape(now, then))
            wrong = "had another shape";
        else if (now->dtype != then->dtype)
            wrong = "had another type";
        else if (now->mode != NN_DISCARD && now->pitch != then->pitch &&
                 nn_rows(now) > 1)
            wrong = "had another pitch";
        else if ((call->operands[i].role & 3u) == NN_ROLE_OUT &&
                 !fits(then->mode, now->mode))
            wrong = "had another mode";
        if (!wrong)
            continue;
        call->harmful = 1;
        ++call->found;
        debug_finding(call->handler, call, call->name, NN_INVALID_ARGUMENT,
                      "plan", "%s %s when it was planned",
                      call->operands[i].name, wrong);
        return;
    }
}

static void judge(struct call *call, const nn_row *row,
                  const nn_array *const *operands)
{
    const char *what = "argument";
    char text[512] = "";
    int32_t code = call->handler->reference->judge(0, row, operands, NULL,
                                                   &what, text, sizeof text);
    const char *message = strstr(text, ": ");

    if (!code)
        return;
    call->harmful = 1;
    ++call->found;
    debug_finding(call->handler, call, call->name, code, what, "%s",
                  message ? message + 2 : text);
}

/* Workspace or reserve, of which no operand says what is read. */
static void add_scratch(struct call *call, const char *name,
                        const nn_array *array)
{
    struct operand *operand = &call->operands[call->n++];

    operand->name = name;
    operand->role = NN_ROLE_OUT | NN_ROLE_OPTIONAL;
    operand->array = array;
}

static void run_checked(struct call *call, const nn_handler_plan *plan,
                        const void *attributes)
{
    nn_handler *handler = call->handler;
    const nn_array *inner[MOST_OPERANDS] = {NULL};
    uint32_t i;

    for (i = 0; i < call->n; ++i)
        inner[i] = call->operands[i].array ? &call->operands[i].inner : NULL;
    plan->row->run(handler->self, plan->inner, inner, plan->n_operands,
                   attributes, inner[plan->n_operands],
                   inner[plan->n_operands + 1]);
    debug_examine_error(call);
}

static void run(nn_handler *handler, nn_handler_plan *plan,
                const nn_array *const *operands, uint32_t n_operands,
                const void *attributes, const nn_array *workspace,
                const nn_array *reserve)
{
    struct call call;

    if (handler->code)
        return;
    if (!is_plan(handler, plan) || n_operands != plan->n_operands) {
        debug_finding(
            handler, NULL, "row", NN_INVALID_ARGUMENT, "plan",
            "it runs by a plan that was destroyed, is another handler's, "
            "or has other operands");
        return;
    }
    memset(&call, 0, sizeof call);
    call.handler = handler;
    call.operation = NN_OP_COUNT;
    call.name = plan->row->name;
    for (call.n = 0; call.n < n_operands; ++call.n) {
        call.operands[call.n].name = plan->row->operands[call.n]->name;
        call.operands[call.n].role = plan->row->operands[call.n]->role;
        call.operands[call.n].array = operands[call.n];
    }
    check_plan(&call, plan);
    if (!call.harmful)
        judge(&call, plan->row, operands);
    if (call.harmful)
        return;
    add_scratch(&call, "workspace", workspace);
    add_scratch(&call, "reserve", reserve);
    debug_examine_before(&call);
    if (!call.harmful && !handler->code)
        run_checked(&call, plan, attributes);
    else
        debug_examine_skipped(&call);
    debug_examine_after(&call);
}

/* ---- tables ------------------------------------------------------------ */

/* PLAN(n) is the `plan` of shown row n. */
#define PLAN(n)                                                                \
    static int32_t plan_##n(nn_handler *handler,                               \
                            const nn_plan_request *request,                    \
                            nn_plan_result *result)                            \
    {                                                                          \
        return plan_row(handler, 0x##n, request, result);                      \
    }
#define NAMED(n) plan_##n,
#define EIGHT(X, a, b, c, d, e, f, g, h) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h)
/* clang-format off */
#define ALL(X)                                                                 \
    EIGHT(X, 00, 01, 02, 03, 04, 05, 06, 07)                                   \
    EIGHT(X, 08, 09, 0a, 0b, 0c, 0d, 0e, 0f)                                   \
    EIGHT(X, 10, 11, 12, 13, 14, 15, 16, 17)                                   \
    EIGHT(X, 18, 19, 1a, 1b, 1c, 1d, 1e, 1f)                                   \
    EIGHT(X, 20, 21, 22, 23, 24, 25, 26, 27)                                   \
    EIGHT(X, 28, 29, 2a, 2b, 2c, 2d, 2e, 2f)                                   \
    EIGHT(X, 30, 31, 32, 33, 34, 35, 36, 37)                                   \
    EIGHT(X, 38, 39, 3a, 3b, 3c, 3d, 3e, 3f)
/* clang-format on */

ALL(PLAN)

static int32_t (*const plans[MOST_ROWS])(nn_handler *, const nn_plan_request *,
                                         nn_plan_result *) = {ALL(NAMED)};

/* Shows ROW of the inner handler; NULL if there is no room. */
static const nn_row *show_row(nn_handler *handler, const nn_row *row)
{
    struct shown_row *shown;

    if (!row || handler->n_rows == MOST_ROWS || !row->plan || !row->run)
        return NULL;
    shown = &handler->rows[handler->n_rows];
    shown->inner = row;
    memcpy(&shown->row, row,
           row->size < sizeof shown->row ? row->size : sizeof shown->row);
    shown->row.plan = plans[handler->n_rows++];
    shown->row.destroy = destroy;
    shown->row.run = run;
    return &shown->row;
}

static struct shown_extension *show(nn_handler *handler,
                                    const nn_extension *theirs)
{
    const nn_host *host = handler->host;
    struct shown_extension *shown = host->alloc(host, sizeof *shown);
    uint32_t i;

    if (!shown)
        return NULL;
    shown->rows = host->alloc(host, (theirs->n_rows + 1) * sizeof(void *));
    if (!shown->rows) {
        host->free(host, shown);
        return NULL;
    }
    for (i = 0; i < theirs->n_rows; ++i)
        shown->rows[i] = show_row(handler, theirs->rows[i]);
    shown->id = theirs->id;
    shown->extension.size = NN_SIZEOF(nn_extension, rows);
    shown->extension.n_rows = theirs->n_rows;
    shown->extension.id = theirs->id;
    shown->extension.rows = shown->rows;
    shown->next = handler->extensions;
    handler->extensions = shown;
    return shown;
}

const nn_extension *debug_extension_find(nn_handler *handler, const char *id)
{
    const nn_extension *theirs = NULL;
    struct shown_extension *shown;

    for (shown = handler->extensions; shown; shown = shown->next)
        if (!strcmp(shown->id, id))
            return &shown->extension;
    if (handler->inner->extension)
        theirs = handler->inner->extension(handler->self, id);
    shown = theirs ? show(handler, theirs) : NULL;
    return shown ? &shown->extension : NULL;
}

void debug_extension_finish(nn_handler *handler)
{
    struct shown_extension *shown = handler->extensions;
    struct shown_extension *next;

    while (handler->plans)
        destroy(handler, handler->plans);
    for (; shown; shown = next) {
        next = shown->next;
        handler->host->free(handler->host, shown->rows);
        handler->host->free(handler->host, shown);
    }
}
