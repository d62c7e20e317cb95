/** Names that resources and kinds of hardware usually go by; of several the first counts. */
const usual = {
  cores: ['cores', 'cpu', 'cpus', 'vcores', 'millicores', 'procs'],
  memory: ['memory', 'mem', 'memory-mb', 'ram'],
  disks: ['disks', 'disk', 'io'],
  network: ['network', 'net', 'bandwidth'],
} as const

/** Which of the names, as an index, stands for processors, memory, disks or the network; -1: none does. */
export function kindOfHardware(what: keyof typeof usual, names: readonly string[]): number {
  for (const name of usual[what]) if (names.includes(name)) return names.indexOf(name)
  return -1
}
