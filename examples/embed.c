/* SPDX-License-Identifier: MIT */
/* embed.c - a network in a program of one's own: learns XOR from arrays.
 *
 *     cc embed.c -o embed $(pkg-config --cflags --libs nervenet) */
#include <stdio.h>

#include <nervenet.h>

static const char text[] =
    "nervenet: 1\n"
    "handler: cpu\n"
    "inputs: {x: [2], y: [1]}\n"
    "network:\n"
    "  - fully_connected: {size: 8, activation: tanh}\n"
    "  - fully_connected: {size: 1, name: out}\n"
    "  - squared_error: {from: {default: out, targets: y}}\n"
    "initialize: {\"*.W\": {glorot: {}}, \"*.bias\": 0}\n"
    "training: {stepper: {adam: {learning_rate: 0.05}}, epochs: 400}\n";

int main(void)
{
    float x[] = {0, 0, 0, 1, 1, 0, 1, 1};
    float y[] = {0, 1, 1, 0};
    const nn_host_array arrays[] = {
        /* (time steps, samples, features) */
        {sizeof *arrays, "x", NN_FLOAT32, 3, {1, 4, 2}, x},
        {sizeof *arrays, "y", NN_FLOAT32, 3, {1, 4, 1}, y}};
    nn_model_options training = {.size = sizeof training, .training = 1};
    nn_trainer_options options = {.size = sizeof options};
    nn_host_array out = {.size = sizeof out};
    nn_config *config = NULL;
    nn_model *model = NULL;
    nn_data *data = NULL;
    nn_trainer *trainer = NULL;
    const char *problem = NULL;
    int failed = nn_config_parse(text, "xor", NULL, &config) ||
                 nn_model_create(config, &training, &model) ||
                 nn_iterator_from_arrays(arrays, 2, 4, 1, &data) ||
                 nn_trainer_create(model, data, &options, &trainer) ||
                 nn_trainer_run(trainer, NULL) ||
                 nn_model_predict(model, arrays, 1, NULL, &out);

    if (failed && nn_error(NULL, &problem))
        fprintf(stderr, "embed: %s\n", problem);
    for (int i = 0; i < 4 && !failed; ++i)
        printf("%g xor %g = %.2f\n", x[2 * i], x[2 * i + 1],
               ((const float *)out.data)[i]);
    nn_free(out.data);
    nn_trainer_destroy(trainer);
    nn_data_destroy(data);
    nn_model_destroy(model);
    nn_config_destroy(config);
    return failed;
}
