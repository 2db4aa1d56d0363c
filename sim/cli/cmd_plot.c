#include "cli.h"

int cmd_plot(struct cli *cli) { return cli_usage(cli, "not yet"); }
