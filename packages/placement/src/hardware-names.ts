/** Names that kinds of hardware usually go by, the first known one counts. */
export const hardwareNames = {
  cores: ['cores', 'cpu', 'cpus', 'vcores', 'millicores', 'procs'],
  memory: ['memory', 'mem', 'memory-mb', 'ram'],
  disks: ['disks', 'disk', 'io'],
  network: ['network', 'net', 'bandwidth'],
} as const
