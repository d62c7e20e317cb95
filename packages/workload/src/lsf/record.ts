import { BadLine } from '../trace/format.js'
import type { LsfFields } from './fields.js'

/**
 * The hosts where a job ran. `at` is the position of the number of hosts that it asked for, which precede them. A host is listed once per slot, or as
 * `16*name` (`LSF_HPC_EXTENSIONS="SHORT_EVENTFILE"`). `next` is the position after the list. Throws `BadLine`.
 */
export function hostsOf(fields: LsfFields, at: number): { readonly processors: number; readonly nodes: number; readonly next: number } {
  const from = at + 1 + list(fields, at, 'numAskedHosts')
  const next = from + 1 + list(fields, from, 'numExHosts')
  const hosts = new Set<string>()
  let processors = 0
  for (let host = from + 1; host < next; host++) {
    const [, times, name] = /^(?:(\d{1,9})\*)?(.*)$/s.exec(fields.text(host))!
    processors += Number(times ?? 1)
    hosts.add(name!)
  }
  return { processors, nodes: hosts.size > 0 ? hosts.size : -1, next }
}

function list(fields: LsfFields, at: number, name: string): number {
  const length = fields.whole(at, name)
  if (at + length >= fields.length) throw new BadLine(name, `found ${length}, more than the record has fields.`, 'Was the file cut short? Copy it again')
  return length
}

const SUBMIT_EXTENSIONS = 53 // position counted from the status
/** Possible numbers of values per host in the list of usage by host. */
const hostWidths = [6, 5] as const
const none: Tail = { limit: -1, runtime: -1, requirement: '' }

/** `limit` and `runtime` in seconds, 0 or less if unknown; `requirement` is the resource requirement combined with those of queue and application. */
interface Tail {
  readonly limit: number
  readonly runtime: number
  readonly requirement: string
}

/**
 * Reads what follows the lists of extensions and of usage by host, from LSF 9.1 on; `status` is the position of the job's status.
 *
 * Deviation: the reference lists five values per host, and `options3` before `runLimit`; records of versions 9.11, 9.13 and 10.108 have six values,
 * and the limit first. If the text of the resource requirement is not where it should be, nothing is read.
 */
export function tailOf(fields: LsfFields, status: number): Tail {
  if (fields.length <= status + SUBMIT_EXTENSIONS || fields.isText(status + SUBMIT_EXTENSIONS)) return none
  const hosts = status + SUBMIT_EXTENSIONS + 1 + 2 * fields.whole(status + SUBMIT_EXTENSIONS, 'submitEXT')
  if (fields.length <= hosts || fields.isText(hosts)) return none
  const count = fields.whole(hosts, 'numHostRusage')
  const fits = (from: number) => fields.isText(from + 3) && [0, 1, 2].every((i) => !fields.isText(from + i))
  const at = hostWidths.map((width) => hosts + 1 + width * count).find(fits)
  if (at === undefined) return none
  const runtime = fields.isText(at + 13) ? -1 : fields.number(at + 13, 'runTime')
  return { limit: fields.number(at, 'runLimit'), requirement: fields.text(at + 3), runtime }
}

const [EXITED, DONE] = [32, 64]
/** Reasons of `bacct` (`lsbatch.h`): limits, jobs ended by owners and administrators, requeues. */
const reasons: Readonly<Record<number, string>> = {
  1: 'preempted', 5: 'timeout', 6: 'deadline', 8: 'cancelled', 9: 'cancelled', 10: 'requeued', 11: 'requeued', 14: 'cancelled', 15: 'cancelled',
  16: 'out_of_memory', 20: 'out_of_memory', 23: 'cancelled', 31: 'requeued',
}

/** How a job ended, from the bits of its status, which also tell what happened afterwards, and from the reason. */
export function endState(status: number, reason: number): string {
  if ((status & DONE) !== 0) return 'completed'
  return (status & EXITED) === 0 ? '' : (reasons[reason] ?? 'failed')
}

const mib: Readonly<Record<string, number>> = { '': 1, K: 2 ** -10, M: 1, G: 2 ** 10, T: 2 ** 20, P: 2 ** 30, E: 2 ** 40, Z: 2 ** 50 }

/**
 * MiB that a requirement reserves (`rusage[mem=4096]`): an amount per node, or per processor (`mem=4096/task`) or for the job (`/job`). -1 if it
 * reserves none.
 */
export function reservedMemory(requirement: string, nodes: number, processors: number): number {
  const [, amount, unit = '', per = 'host'] = /rusage\[[^\]]*\bmem=(\d{1,12}(?:\.\d+)?)([KMGTPEZ]?)B?(?:\/(task|host|job))?/i.exec(requirement) ?? []
  return amount === undefined ? -1 : Math.ceil(Number(amount) * mib[unit.toUpperCase()]! * timesOf(per, nodes, processors))
}

/** GPUs that a requirement reserves (`rusage[ngpus_physical=2.00]`), read in the same way. -1 if it reserves none. */
export function reservedGpus(requirement: string, nodes: number, processors: number): number {
  const [, amount, per = 'host'] = /rusage\[[^\]]*\bngpus(?:_physical|_excl_p|_shared)?=(\d{1,9}(?:\.\d+)?)(?:\/(task|host|job))?/.exec(requirement) ?? []
  return amount === undefined ? -1 : Math.ceil(Number(amount) * timesOf(per, nodes, processors))
}

const timesOf = (per: string, nodes: number, processors: number): number => (per === 'job' ? 1 : Math.max(1, per === 'task' ? processors : nodes))
