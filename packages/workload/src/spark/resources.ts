import type { Demand } from '@sched/core'

/** Configuration properties of an application. */
export type SparkProperties = Readonly<Record<string, string | undefined>>

const mib: Readonly<Record<string, number>> = { b: 2 ** -20, k: 2 ** -10, m: 1, g: 2 ** 10, t: 2 ** 20, p: 2 ** 30 }

/**
 * `memory-mb` of the container of an executor: its heap (default 1 GiB) and an overhead of a tenth but at least 384 MiB, as Spark requests it from
 * YARN.
 */
export function memoryOf(properties: SparkProperties): number {
  const heap = amountOf(properties['spark.executor.memory']) ?? 1024
  const factor = Number(properties['spark.executor.memoryOverheadFactor'] ?? 0.1)
  const overhead = amountOf(properties['spark.executor.memoryOverhead'] ?? properties['spark.yarn.executor.memoryOverhead'])
    ?? Math.max(384, Math.floor(heap * (factor >= 0 ? factor : 0.1)))
  return Math.ceil(heap + overhead)
}

/** Demand of a task: its share of the cores and the memory of an executor. `found`: cores of an executor in the log, if known. */
export function shareOfExecutor(properties: SparkProperties, found: number | undefined): Demand {
  const cpus = wholeOf(properties['spark.task.cpus']) ?? 1
  const cores = Math.max(cpus, found ?? wholeOf(properties['spark.executor.cores']) ?? 1)
  return { vcores: cpus, 'memory-mb': Math.ceil((memoryOf(properties) * cpus) / cores) }
}

const wholeOf = (text: string | undefined): number | undefined => (text !== undefined && /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : undefined)

/**
 * Whole MiB of an amount such as `7g`, or of a number, which is in MiB; `undefined` if it is not an amount.
 *
 * Source: Spark, `byteStringAs` of JavaUtils.java, and `EXECUTOR_MEMORY` and `EXECUTOR_MEMORY_OVERHEAD` of its configuration, both in MiB.
 */
function amountOf(text: string | undefined): number | undefined {
  const [, number, unit = 'm'] = /^(\d+)(b|[kmgtp]b?)?$/i.exec(text?.trim() ?? '') ?? []
  return number === undefined ? undefined : Math.floor(Number(number) * (mib[unit.charAt(0).toLowerCase()] as number))
}
