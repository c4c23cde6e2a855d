/* device_math_fast.h: the fast, inexact functions (__sinf and its like), each from the GPU's own
 * instructions. */

SIMT_NV float __nv_fast_sinf(float a) {
    return __nvvm_sin_approx_f(a);
}
SIMT_NV float __nv_fast_cosf(float a) {
    return __nvvm_cos_approx_f(a);
}
SIMT_NV void __nv_fast_sincosf(float a, float *sine, float *cosine) {
    *sine = __nvvm_sin_approx_f(a);
    *cosine = __nvvm_cos_approx_f(a);
}
SIMT_NV float __nv_fast_tanf(float a) {
    return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
SIMT_NV float __nv_fast_expf(float a) {
    return __nvvm_ex2_approx_f(a * 1.4426950408889634f);
}
SIMT_NV float __nv_fast_exp10f(float a) {
    return __nvvm_ex2_approx_f(a * 3.3219280948873622f);
}
SIMT_NV float __nv_fast_logf(float a) {
    return __nvvm_lg2_approx_f(a) * 0.69314718055994531f;
}
SIMT_NV float __nv_fast_log2f(float a) {
    return __nvvm_lg2_approx_f(a);
}
SIMT_NV float __nv_fast_log10f(float a) {
    return __nvvm_lg2_approx_f(a) * 0.30102999566398120f;
}
SIMT_NV float __nv_fast_powf(float a, float b) {
    return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}
SIMT_NV float __nv_fast_fdividef(float a, float b) {
    return __nvvm_div_approx_f(a, b);
}
SIMT_NV float __nv_frsqrt_rn(float a) {
    return (float)(1 / __nv_sqrt((double)a));
}
