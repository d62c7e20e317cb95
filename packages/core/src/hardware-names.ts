/** Usual names of resources and kinds of hardware; the first name found counts. */
const usual = {
  cores: ['cores', 'cpu', 'cpus', 'vcores', 'millicores', 'procs'],
  memory: ['memory', 'mem', 'memory-mb', 'ram'],
  disks: ['disks', 'disk', 'io'],
  network: ['network', 'net', 'bandwidth'],
} as const

/** Index of the name that stands for processors, memory, disks or the network; -1: none does. */
export function kindOfHardware(what: keyof typeof usual, names: readonly string[]): number {
  for (const name of usual[what]) if (names.includes(name)) return names.indexOf(name)
  return -1
}
