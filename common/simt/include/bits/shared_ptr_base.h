/* bits/shared_ptr_base.h: libstdc++'s, which uses the word __noinline__ itself, so it is no macro
 * in there. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
