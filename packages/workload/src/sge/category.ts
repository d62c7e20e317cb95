import { BadLine } from '../trace/format.js'
import { timeSpan } from '../slurm/times.js'

/**
 * The iow, the task of a parallel job (`1.node7`) and maxvmem, before which the category ends, though it may have colons, and
 * the deleter of Univa's records.
 */
const end = /^(.*?) ?:(-?[\d.e+-]+):(none|\d+\.[^:]*):(-?[\d.e+-]+)(?::[^:]*:[^:]*:[^:]*:([^:]*))?/is

/**
 * What a record has from its category on: `-l h_rt=3600 -pe mpi 16:0.0:NONE:1048576.0:0:0`, and whether it is of a task of a parallel
 * job, and of one that was deleted (`qdel_info`). Throws `BadLine`.
 */
export function endOf(rest: string): { readonly category: string; readonly isSlave: boolean; readonly isDeleted: boolean } {
  const [, category, , task, , deleter = 'NONE'] = end.exec(rest) ?? []
  if (category === undefined)
    throw new BadLine('category', `found ${JSON.stringify(rest.slice(0, 60))}, expected a category, iow, pe_taskid and maxvmem.`,
      'Was the file cut short? Copy it again')
  return { category, isSlave: !/^none$/i.test(task!), isDeleted: !/^(none|)\s*$/i.test(deleter) }
}

/** Hard requests of a job: seconds (NaN without a limit), MiB for each slot and GPUs, -1 where it asked for none. */
export interface Asked {
  readonly limit: number
  readonly memory: number
  readonly gpus: number
}

/** What a category asks for with `-l`, but for soft requests. Throws `BadLine`. */
export function askedFor(category: string): Asked {
  const asked = new Map<string, string>()
  for (const [, list] of category.replace(/-soft .*?(?= -(?!l )[a-z]|$)/g, '').matchAll(/(?:^| )-l ([^ ]+)/g))
    for (const pair of list!.split(',')) asked.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  const first = (...names: string[]) => names.map((name) => asked.get(name)).find((value) => value !== undefined)
  return {
    limit: seconds(first('h_rt', 's_rt')),
    memory: memoryOf(first('m_mem_free', 'h_vmem', 'mem_free')),
    gpus: Number(/^(\d{1,9})(?:\.0*)?$/.exec(first('gpu', 'gpus', 'ngpus') ?? '')?.[1] ?? -1),
  }
}

function seconds(text: string | undefined): number {
  if (text === undefined || /^infinity$/i.test(text)) return NaN
  const value = /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : timeSpan(text)
  if (value === undefined) throw new BadLine('category', `found h_rt=${text.slice(0, 40)}, expected a span of time such as 3600 or 1:00:00.`)
  return value
}

/** Capital letters are powers of 1024, others of 1000. */
const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 2 ** 10, m: 1e6, M: 2 ** 20, g: 1e9, G: 2 ** 30, t: 1e12, T: 2 ** 40 }

function memoryOf(text: string | undefined): number {
  if (text === undefined || /^infinity$/i.test(text)) return -1
  const [, amount, unit = ''] = /^(\d{1,15}(?:\.\d+)?)([kKmMgGtT]?)$/.exec(text) ?? []
  if (amount === undefined) throw new BadLine('category', `found memory of ${text.slice(0, 40)}, expected an amount such as 4G.`)
  return Math.ceil((Number(amount) * multipliers[unit]!) / 2 ** 20)
}
