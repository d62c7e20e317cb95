/** What a job asked for or was given; -1 if unknown. */
export interface PbsAmounts {
  readonly nodes: number
  readonly procs: number
  readonly gpus: number
  /** Memory, MiB. */
  readonly mem: number
}

/**
 * Sum over the chunks of a selection (`Resource_List.select`): `2:ncpus=8:mpiprocs=8:ngpus=1:mem=16gb+1:ncpus=4`. A chunk without a number counts
 * once; a chunk without `ncpus` has 1 processor (`default_chunk` of the server). `undefined` if the text is not a selection.
 */
export function selected(text: string): PbsAmounts | undefined {
  const sum = { nodes: 0, procs: 0, gpus: 0, mem: 0 }
  const plain = text.includes('"') || text.includes("'") ? text.replace(/"[^"]*"|'[^']*'/g, '') : text
  for (const chunk of plain.split('+')) {
    const parts = chunk.split(':')
    const times = /^\d{1,9}$/.test(parts[0]!) ? Number(parts.shift()) : 1
    const [procs, gpus] = [numberOf(parts, 'ncpus', 1), numberOf(parts, 'ngpus', 0)]
    const mem = memoryOf(parts.find((part) => part.startsWith('mem='))?.slice('mem='.length) ?? '0')
    if (procs === undefined || gpus === undefined || mem === undefined) return undefined
    sum.nodes += times
    sum.procs += times * procs
    sum.gpus += times * gpus
    sum.mem += times * mem
  }
  return sum
}

/**
 * Sum over the nodes of a node specification (`Resource_List.nodes`): `4:ppn=16`, `2:ppn=8:gpus=2+n07:ppn=4`; some sites write `gpu` or `ngpus` for `gpus`. A
 * part begins with a number of nodes or the name of a node; without `ppn` each node gives 1 processor. Memory is unknown. `undefined` for anything
 * else.
 */
export function specified(text: string): PbsAmounts | undefined {
  const sum = { nodes: 0, procs: 0, gpus: 0, mem: -1 }
  for (const group of text.split('#', 1)[0]!.split('+')) {
    const parts = group.split(':')
    const times = /^\d{1,9}$/.test(parts[0]!) ? Number(parts.shift()) : 1
    const named = ['gpu', 'ngpus'].find((name) => parts.some((part) => part.startsWith(`${name}=`))) ?? 'gpus'
    const [procs, gpus] = [numberOf(parts, 'ppn', 1), numberOf(parts, named, 0)]
    if (procs === undefined || gpus === undefined) return undefined
    sum.nodes += times
    sum.procs += times * procs
    sum.gpus += times * gpus
  }
  return sum
}

/** The number of `name=number` among the parts, or `other` if absent; `undefined` if it is not a whole number. */
function numberOf(parts: readonly string[], name: string, other: number): number | undefined {
  const found = parts.find((part) => part.startsWith(name) && part[name.length] === '=')
  if (found === undefined) return other
  const text = found.slice(name.length + 1)
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/**
 * Processors and nodes where a job ran (`exec_host`). PBS writes `n1/0*16+n2/0*16`, in which the first number counts the jobs of a node; Torque names
 * processors: `n1/0+n1/1`, `n1/0-15,20`; older PBS on one large machine writes `altix:ssinodes=2:ncpus=4`. `undefined` for anything else.
 */
export function executed(text: string): Pick<PbsAmounts, 'nodes' | 'procs'> | undefined {
  const hosts = new Set<string>()
  let procs = 0
  for (const part of text.split('+')) {
    const slash = part.indexOf('/')
    const [host = part, ...amounts] = slash === -1 ? part.split(':') : [part.slice(0, slash)]
    const found = slash === -1 ? numberOf(amounts, 'ncpus', 1) : slotsOf(part.slice(slash + 1))
    if (found === undefined) return undefined
    hosts.add(host)
    procs += found
  }
  return { nodes: hosts.size, procs }
}

function slotsOf(text: string): number | undefined {
  const [, , times] = /^(\d{1,9})(?:\*(\d{1,9}))?$/.exec(text) ?? ['', undefined, 'none']
  if (times !== 'none') return times === undefined ? 1 : Number(times)
  let slots = 0
  for (const range of text.split(',')) {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? []
    if (from === undefined || !(Number(to) >= Number(from))) return undefined
    slots += Number(to) - Number(from) + 1
  }
  return slots
}

const bytes: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 }
const BYTES_PER_WORD = 8

/** MiB, rounded up, of a size in PBS notation: `16gb`, `4194304kb`, `2gw` (words), or a number of bytes. `undefined` for anything else. */
export function memoryOf(text: string): number | undefined {
  const [, amount, unit = '', of = 'b'] = /^(\d{1,15}(?:\.\d+)?)([kmgtp]?)([bw]?)$/i.exec(text) ?? []
  if (amount === undefined) return undefined
  return Math.ceil((Number(amount) * bytes[unit.toLowerCase()]! * (of.toLowerCase() === 'w' ? BYTES_PER_WORD : 1)) / 2 ** 20)
}
