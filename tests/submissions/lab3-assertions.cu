// An assertion whose text would show a hidden size, act on a terminal, or pass for a summary.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    assert(n != 1 && "\033[31m one\n========= ERROR SUMMARY: 0 errors");
// END SOLUTION
