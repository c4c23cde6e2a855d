// checkResult, as a textbook's program calls it, prints the first mismatch: whatever its arrays
// are, and its count.
//
// case float-int | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case float-size_t | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case float-unsigned | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case const-float-long | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case const-float-and-float | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case int-int | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case int-size_t | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case double-size_t | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case double-and-float | 0 | ^Arrays do not match: index 3: got 4 want 3$
// case nan | 0 | ^Arrays do not match: index 3: got nan want 3$
// case tolerance | 0 | ^nothing found$
// case right | 0 | ^nothing found$
#include "../../common/common.h"

#include <string>

template <class T> struct Results {
    T want[8], got[8];
    Results() {
        for (int i = 0; i < 8; i++) want[i] = got[i] = (T)i;
        got[3] = got[5] = (T)4;
    }
};

int main(int argc, char **argv) {
    const std::string which = argc > 1 ? argv[1] : "";
    Results<float> floats;
    Results<int> ints;
    Results<double> doubles;
    const float *constWant = floats.want, *constGot = floats.got;
    const size_t n = 8;
    if (which == "float-int") checkResult(floats.want, floats.got, 8);
    if (which == "float-size_t") checkResult(floats.want, floats.got, n);
    if (which == "float-unsigned") checkResult(floats.want, floats.got, 8u);
    if (which == "const-float-long") checkResult(constWant, constGot, 8L);
    if (which == "const-float-and-float") checkResult(constWant, floats.got, 8);
    if (which == "int-int") checkResult(ints.want, ints.got, 8);
    if (which == "int-size_t") checkResult(ints.want, ints.got, n);
    if (which == "double-size_t") checkResult(doubles.want, doubles.got, n);
    if (which == "double-and-float") checkResult(doubles.want, floats.got, n);
    floats.got[3] = NAN;
    if (which == "nan") checkResult(floats.want, floats.got, n);
    floats.got[3] = 3.25f, floats.got[5] = 5.25f;
    if (which == "tolerance") checkResult(floats.want, floats.got, n, 0.25);
    if (which == "right") checkResult(floats.want, floats.want, n);
    if (which == "tolerance" || which == "right") printf("nothing found\n");
    return 0;
}
