/* Prints what the code of a cudaMalloc was that ran before the library's start, and what a kernel wrote that was registered then. */
#include <stdio.h>

int early_allocation(void);
int early_answer(void);

int main(void)
{
	printf("%d %d\n", early_allocation(), early_answer());
	return 0;
}
