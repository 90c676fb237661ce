// processor_time.mjs - how long a piece of work takes: in processor time, which a busy machine does not stretch.

/** Milliseconds of this process while `work` runs. */
export function processorTime(work) {
  const begin = process.cpuUsage();
  work();
  const {user, system} = process.cpuUsage(begin);
  return (user + system) / 1000;
}
