import type { Demand } from '@sched/core'

export type SparkProperties = Readonly<Record<string, string | undefined>>

const mib: Readonly<Record<string, number>> = { b: 2 ** -20, k: 2 ** -10, m: 1, g: 2 ** 10, t: 2 ** 20 }

/** `memory-mb` of the container of an executor: its heap (1 GiB) and an overhead of a tenth, at least 384 MiB, as Spark asks YARN for it. */
export function memoryOf(properties: SparkProperties): number {
  const heap = amountOf(properties['spark.executor.memory'], 'b') ?? 1024
  const factor = Number(properties['spark.executor.memoryOverheadFactor'] ?? 0.1)
  const overhead = amountOf(properties['spark.executor.memoryOverhead'] ?? properties['spark.yarn.executor.memoryOverhead'], 'm')
    ?? Math.max(384, Math.floor(heap * (factor >= 0 ? factor : 0.1)))
  return Math.ceil(heap + overhead)
}

/** What a task asks for: as many of a node's cores and as much of its memory as it takes of an executor. */
export function shareOfExecutor(properties: SparkProperties, found: number | undefined): Demand {
  const cpus = wholeOf(properties['spark.task.cpus']) ?? 1
  const cores = Math.max(cpus, found ?? wholeOf(properties['spark.executor.cores']) ?? 1)
  return { vcores: cpus, 'memory-mb': Math.ceil((memoryOf(properties) * cpus) / cores) }
}

const wholeOf = (text: string | undefined): number | undefined => (text !== undefined && /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : undefined)

/** MiB of `7g`, or of a number in a unit. */
function amountOf(text: string | undefined, unit: string): number | undefined {
  const [, number, letter = ''] = /^(\d+)([bkmgt]?)b?$/i.exec(text?.trim() ?? '') ?? []
  return number === undefined ? undefined : Number(number) * mib[letter === '' ? unit : letter.toLowerCase()]!
}
