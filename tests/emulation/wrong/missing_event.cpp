// Two streams work on the same memory without an order.
#include "mistake.hpp"

namespace wrong {
namespace {

bool after_write(bool cured) {
  Device<int> there{count};
  fill(there, 0);
  Pinned<int> here{count};
  Stream producer, consumer;
  Event made;
  launch(producer, count, Store{there.data(), 7});
  good(cudaEventRecord(made, producer));
  if (cured) good(cudaStreamWaitEvent(consumer, made, 0));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, consumer));
  producer.wait();  // in this order, which hides the mistake if every stream runs when it is waited for
  consumer.wait();
  return all_are(7, here.data(), count);
}
Mistake const of_after_write{"missing_event: memory is read before another stream has written it", Caught::by_order,
                             wrong_data, after_write};

bool after_read(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{count};
  Stream reader, writer;
  Event read;
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, reader));
  good(cudaEventRecord(read, reader));
  if (cured) good(cudaStreamWaitEvent(writer, read, 0));
  launch(writer, count, Store{there.data(), 8});
  writer.wait();
  reader.wait();
  return all_are(7, here.data(), count);
}
Mistake const of_after_read{"missing_event: memory is written again before another stream has read it",
                            Caught::by_order, wrong_data, after_read};

bool waited_too_early(bool cured) {
  Device<int> there{count};
  fill(there, 0);
  Pinned<int> here{count};
  Stream producer, consumer;
  Event made;
  if (!cured) good(cudaStreamWaitEvent(consumer, made, 0));  // of an event that was never recorded: no wait
  launch(producer, count, Store{there.data(), 7});
  good(cudaEventRecord(made, producer));
  if (cured) good(cudaStreamWaitEvent(consumer, made, 0));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, consumer));
  consumer.wait();
  producer.wait();
  return all_are(7, here.data(), count);
}
Mistake const of_waited_too_early{"missing_event: a stream waits for the event before it is recorded", Caught::by_order,
                                  wrong_data, waited_too_early};

bool recorded_too_early(bool cured) {
  Device<int> there{count};
  fill(there, 0);
  Pinned<int> here{count};
  Stream producer, consumer;
  Event made;
  if (!cured) good(cudaEventRecord(made, producer));
  launch(producer, count, Store{there.data(), 7});
  if (cured) good(cudaEventRecord(made, producer));
  good(cudaStreamWaitEvent(consumer, made, 0));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, consumer));
  consumer.wait();
  producer.wait();
  return all_are(7, here.data(), count);
}
Mistake const of_recorded_too_early{"missing_event: the event is recorded before the work that it stands for",
                                    Caught::by_order, wrong_data, recorded_too_early};

bool wrong_event(bool cured) {
  Device<int> there{2 * count};
  fill(there, 0);
  Pinned<int> here{2 * count};
  Stream one, other, consumer;
  Event of_one, of_other;
  launch(one, count, Store{there.data(), 7});
  good(cudaEventRecord(of_one, one));
  launch(other, count, Store{there.data() + count, 7});
  good(cudaEventRecord(cured ? of_other : of_one, other));
  good(cudaStreamWaitEvent(consumer, of_one, 0));
  if (cured) good(cudaStreamWaitEvent(consumer, of_other, 0));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, consumer));
  consumer.wait();
  one.wait();
  other.wait();
  return all_are(7, here.data(), 2 * count);
}
Mistake const of_wrong_event{"missing_event: one event for two streams, recorded by the second over the first",
                             Caught::by_order, wrong_data, wrong_event};

bool host_then_stream(bool cured) {
  Pinned<int> here{count};
  fill(here, 0);
  Device<int> there{count};
  fill(there, 0);
  Stream host, consumer;
  Event made;
  good(cudaLaunchHostFunc(
      host,
      [](void* at) {
        for (std::size_t i = 0; i < count; ++i) static_cast<int*>(at)[i] = 7;
      },
      here.data()));
  good(cudaEventRecord(made, host));
  if (cured) good(cudaStreamWaitEvent(consumer, made, 0));
  good(cudaMemcpyAsync(there.data(), here.data(), here.bytes(), cudaMemcpyHostToDevice, consumer));
  consumer.wait();
  host.wait();
  return all_are(7, read(there.data(), count));
}
Mistake const of_host_then_stream{"missing_event: a host function's work is taken by another stream", Caught::by_order,
                                  wrong_data, host_then_stream};

}  // namespace
}  // namespace wrong
