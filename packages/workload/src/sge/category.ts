import { BadLine } from '../trace/format.js'
import { numberOf } from './numbers.js'

/**
 * The fields after the category: iow, the task of a parallel job (`1.node7`), maxvmem, the advance reservation and when it was made, and the deleter in
 * Univa's records. They show where the category ends, which may itself contain colons.
 */
const end = /^(.*?) ?:(-?[\d.e+-]+):(none|\d+\.[^:]*):(-?[\d.e+-]+)(?::([^:]*)(?::[^:]*:[^:]*:([^:]*))?)?/is

/**
 * Splits a record from its category on, `-l h_rt=3600 -pe mpi 16:0.0:NONE:1048576.0:0:0`: the category, whether the record is of a task of a parallel
 * job, whether the job was deleted (`qdel_info`), and its advance reservation, empty without one. Throws `BadLine`.
 */
export function endOf(rest: string): { readonly category: string; readonly isSlave: boolean; readonly isDeleted: boolean; readonly reservation: string } {
  const [, category, , task, , reservation = '0', deleter = 'NONE'] = end.exec(rest) ?? []
  if (category === undefined)
    throw new BadLine('category', `found ${JSON.stringify(rest.slice(0, 60))}, expected a category, iow, pe_taskid and maxvmem.`,
      'Was the file cut short? Copy it again')
  return { category, isSlave: !/^none$/i.test(task!), isDeleted: !/^(none|)\s*$/i.test(deleter), reservation: /^[1-9]\d*$/.test(reservation.trim()) ? reservation.trim() : '' }
}

/**
 * Hard requests of a job: limits in seconds (NaN without one), memory per slot in MiB and number of GPUs (-1 without a request). `limit` is `h_rt`,
 * else `s_rt`; `hasOtherLimits`: of memory or CPU time.
 */
export interface Asked {
  readonly limit: number
  readonly softLimit: number
  readonly hasOtherLimits: boolean
  readonly memory: number
  readonly gpus: number
}

/** The hard requests in a category (`-l`). Throws `BadLine`. */
export function askedFor(category: string): Asked {
  const asked = new Map<string, string>()
  for (const [, list] of category.replace(/-soft .*?(?= -(?!l )[a-z]|$)/g, '').matchAll(/(?:^| )-l ([^ ]+)/g))
    for (const pair of list!.split(',')) asked.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  const first = (...names: string[]): Request | undefined => names.flatMap((name) => (asked.has(name) ? [{ name, text: asked.get(name)! }] : []))[0]
  return {
    limit: seconds(first('h_rt', 's_rt')),
    softLimit: seconds(first('s_rt')),
    hasOtherLimits: first('h_vmem', 'h_cpu') !== undefined,
    memory: memoryOf(first('m_mem_free', 'h_vmem', 'mem_free')),
    gpus: Number(/^(\d{1,9})(?:\.0*)?$/.exec(first('gpu', 'gpus', 'ngpus')?.text ?? '')?.[1] ?? -1),
  }
}

/** What a job asks for of a resource: `h_rt=3600`. */
interface Request {
  readonly name: string
  readonly text: string
}

function seconds(request: Request | undefined): number {
  const value = request === undefined ? Infinity : numberOf(request.text)
  if (value === undefined) throw new BadLine('category', `found ${request?.name}=${request?.text.slice(0, 40)}, expected a span of time such as 3600 or 1:00:00.`)
  return value === Infinity ? NaN : value
}

function memoryOf(request: Request | undefined): number {
  const value = request === undefined ? Infinity : numberOf(request.text)
  if (value === undefined) throw new BadLine('category', `found ${request?.name}=${request?.text.slice(0, 40)}, expected an amount such as 4G.`)
  return value === Infinity ? -1 : Math.ceil(value / 2 ** 20)
}
