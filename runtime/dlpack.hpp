// Arrays from other libraries of the process and to them, by DLPack's exchange structure, which its header
// <dlpack/dlpack.h> defines and which this one only names. Any thread may call both functions; what a DLManagedTensor
// points to is looked at during the call alone, but for the elements.
#pragma once

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/status.hpp>

struct DLManagedTensor;

namespace muster {

/// Takes the tensor over, also where it fails: its deleter is called exactly once, by the thread that fails, copies
/// or drops the last copy of the array's bytes. Where the deleter is null nothing is called, and the memory must live
/// as long as those bytes. Nobody may change shared elements from now on.
///
/// Elements in memory of the CPU (kDLCPU, kDLCUDAHost) that are dense and row-major are shared, at whatever alignment
/// they have (array::aligned); elements with other strides (transposed, with steps, negative, 0 where they are
/// broadcast) are copied into dense order. Strides of dimensions of 1 and of arrays without elements mean nothing.
/// Bytes of a bool are 0 or 1, as DLPack has it; its number 6 for bool is understood whatever the header calls it.
///
/// invalid_argument, naming value and rule: no tensor, another device, more lanes than one, a dtype that Muster lacks,
/// a negative dimension, more dimensions than limits::array_rank_max, no shape or no data where there should be one,
/// bytes or strides beyond what can be addressed. resource_exhausted where there is no memory for a copy. Memory that
/// is smaller than the tensor says can't be seen. (Source: DLPack, DLManagedTensor.)
result<array> from_dlpack(DLManagedTensor* tensor);

/// Shares the array's bytes without a copy, and keeps them alive until the consumer calls the deleter, which it must do
/// once, on any thread, also after everything else of Muster is gone. Never null. The consumer may not write: others
/// share the bytes, and this structure has no flag to say so. They are as aligned as the array is.
///
/// Strides are those of dense row-major order and given always, since from DLPack 1.2 on they may not be null, and who
/// reads older ones reads both. A bool is kDLBool where the header that Muster was built with has it (DLPack 0.8),
/// else an unsigned integer of 8 bits, as consumers of that age expect. Asserts is_dense(a), as elements() does.
/// (Source: DLPack, DLManagedTensor.)
DLManagedTensor* to_dlpack(const array& a);

}  // namespace muster
