/** The 18 fields of a line, counted from 0, in the words of the format. */
export const fieldNames = [
  'job number', 'submit time', 'wait time', 'run time', 'allocated processors', 'average CPU time', 'used memory', 'requested processors',
  'requested time', 'requested memory', 'status', 'user', 'group', 'executable', 'queue', 'partition', 'preceding job', 'think time',
] as const

/** Positions of the fields. */
export const Field = {
  job: 0, submit: 1, wait: 2, runtime: 3, allocated: 4, cpuTime: 5, usedMemory: 6, requested: 7, requestedTime: 8, requestedMemory: 9, status: 10,
  user: 11, group: 12, application: 13, queue: 14, partition: 15, preceding: 16, think: 17,
} as const

/** Whether a field counts or names something, by position; the others are times and amounts, which may have a fraction. */
export const wholeFields: readonly boolean[] = fieldNames.map((_, field) => [0, 4, 7, 10, 11, 12, 13, 14, 15, 16].includes(field))

/**
 * Whether a field with a number above 2^53 counts as unknown, by position: used CPU time and memory, in which converters have left flags of Slurm
 * (2^63: memory per processor).
 */
export const unknownBeyond: readonly boolean[] = fieldNames.map((_, field) => [5, 6, 9].includes(field))

/** Words for the status (field 11). 2, 3 and 4 mark pieces of a job that also has a line of its own. */
export const statusNames: Readonly<Record<number, string>> = { 0: 'failed', 1: 'completed', 5: 'cancelled' }
