// CUDA's arithmetic words on the host, against literals of its documents.
#include "kernels/simt/device_math.h"

#include <gtest/gtest.h>

#include <limits>

namespace narrowgate {
namespace {

TEST(DeviceMath, EachOperationRoundsOnceToNearestEven) {
  EXPECT_EQ(__fmul_rn(0x1.000002p0f, 0x1.000002p0f), 0x1.000004p0f);
  EXPECT_EQ(__fmaf_rn(0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f), 0x1p-46f);  // the product is not rounded
  EXPECT_EQ(__fadd_rn(0x1p24f, 1.0f), 0x1p24f);
  EXPECT_EQ(__fsub_rn(0x1p24f, -3.0f), 0x1.000004p24f);
  EXPECT_EQ(__fdiv_rn(1.0f, 3.0f), 0x1.555556p-2f);
  EXPECT_EQ(__fsqrt_rn(2.0f), 0x1.6a09e6p0f);
  EXPECT_EQ(__int2float_rn(16'777'217), 16'777'216.0f);
  EXPECT_EQ(__uint2float_rn(0xffffffffu), 0x1p32f);
}

TEST(DeviceMath, FloatToIntegerTiesToEvenAndSaturates) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(-3.5f), -4);
  EXPECT_EQ(__float2int_rn(2147483648.0f), 2'147'483'647);
  EXPECT_EQ(__float2int_rn(-3e9f), -2'147'483'647 - 1);
  EXPECT_EQ(__float2int_rn(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(DeviceMath, BitsPassUnchanged) {
  EXPECT_EQ(__float_as_uint(-1.0f), 0xbf800000u);
  EXPECT_EQ(__uint_as_float(0x40490fdbu), 0x1.921fb6p1f);
  EXPECT_EQ(__float_as_int(1.0f), 0x3f800000);
  EXPECT_EQ(__int_as_float(0x3f000000), 0.5f);
}

TEST(DeviceMath, CountsAndShifts) {
  EXPECT_EQ(__popc(0xf00000ffu), 12);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__funnelshift_r(0x11223344u, 0xaabbccddu, 8), 0xdd112233u);
  EXPECT_EQ(__funnelshift_r(0x11223344u, 0xaabbccddu, 32), 0x11223344u);  // 32 mod 32
}

TEST(DeviceMath, BytePermPicksBytesOfBothWords) {
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x3210u), 0x33221100u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7654u), 0x77665544u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x5140u), 0x55114400u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0xffff0123u), 0x00112233u);  // the selector's low half counts
  EXPECT_EQ(__byte_perm(0x008000ffu, 0u, 0x9a80u), 0x00ffffffu);               // signs of bytes 1, 2, 0; byte 0 itself
}

TEST(DeviceMath, Dp4aAddsFourProductsOfBytes) {
  EXPECT_EQ(__dp4a(0x01020304, 0x05060708, 100), 170);                         // 5 + 12 + 21 + 32
  EXPECT_EQ(__dp4a(static_cast<int>(0x80ff017fu), static_cast<int>(0x80028081u), 0), 125);  // 16384 − 2 − 128 − 16129
  EXPECT_EQ(__dp4a(0x00000001, 0x00000001, 2'147'483'647), -2'147'483'647 - 1);
  EXPECT_EQ(__dp4a(0xffffffffu, 0xffffffffu, 1u), 260'101u);                   // 4·255² + 1
}

TEST(DeviceMath, LdgLoads) {
  const float value = 2.5f;
  EXPECT_EQ(__ldg(&value), 2.5f);
}

}  // namespace
}  // namespace narrowgate
