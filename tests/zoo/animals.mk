# SPDX-License-Identifier: MIT
# How zoo.sh compiles an animal: as a stranger would, with the headers and
# nothing else.
%.so: $(zoo)/%.c $(wildcard $(zoo)/*.h) $(wildcard $(sdk)/nn/*.h)
	$(CC) -shared -fPIC -O1 -I$(sdk) -o $@ $<
