import type { Demand, JobSpec, StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { toMillis } from '../generate/sampling.js'
import { sizeClass } from '../size-class.js'

const MiB = 1 << 20
const positive = z.number().positive()

/**
 * How the bytes of a job become tasks and durations. A SWIM trace gives bytes only; this model is our own.
 *
 *     maps    = max(1, ceil(input / blockSize)), each reads an equal part of the input
 *     map     = mapStartup + part / mapRate
 *     reduces = 0 without shuffle, else min(maxReduces, ceil(shuffle / reduceSize)), with equal parts
 *     reduce  = reduceStartup + shuffle part / shuffleRate + output part / outputRate
 *
 * With the defaults, a full block takes 19 s, the median map of Facebook in October 2009; the median reduce of the two FB-2009 samples then takes 234
 * and 235 s (Facebook's: 231 s). One reduce per GiB and at most 999 are Hive's defaults of that time (`hive.exec.reducers.bytes.per.reducer`,
 * `hive.exec.reducers.max`), applied to the shuffle here.
 *
 * Not modelled: maps with more output than input, skewed parts, compression.
 */
export const rateModel = z.strictObject({
  blockSize: positive.default(128 * MiB).describe('Bytes per map.'),
  mapStartup: z.number().min(0).default(3).describe('Seconds before a map reads.'),
  mapRate: positive.default(8 * MiB).describe('Bytes per second that a map reads and processes on its own node.'),
  reduceSize: positive.default(1024 * MiB).describe('Shuffle bytes per reduce.'),
  maxReduces: z.int().min(1).default(999).describe('Most reduces of a job.'),
  reduceStartup: z.number().min(0).default(6).describe('Seconds before a reduce fetches.'),
  shuffleRate: positive.default(4.5 * MiB).describe('Bytes per second that a reduce fetches, sorts and processes.'),
  outputRate: positive.default(20 * MiB).describe('Bytes per second that a reduce writes.'),
  demand: z
    .enum(['slots', 'containers'])
    .default('slots')
    .describe('What a task asks for: one slot of its type (map or reduce, as in Hadoop 1), or a container of vcores and memory-mb.'),
  memory: z.int().min(1).default(1024).describe('memory-mb of a container.'),
  vcores: z.int().min(1).default(1).describe('vcores of a container.'),
  slowstart: z.number().min(0).max(1).default(0.05).describe('Fraction of the maps that must have ended before reduces are scheduled.'),
})
/** A rate model: rates and sizes that turn bytes into tasks and times. */
export type RateModel = z.output<typeof rateModel>

const ownBlocks = {}

/**
 * Makes jobs of bytes by a rate model. Every job has its own user and its size class (bins of DS-T2) as label. Durations are rounded to milliseconds.
 * Object literals are complete, because a spread costs more than all the rest.
 */
export class JobsOfBytes {
  readonly #after: NonNullable<StageSpec['after']>
  readonly #mapDemand: Demand
  readonly #reduceDemand: Demand

  constructor(private readonly model: RateModel) {
    this.#after = [{ stage: 0, fraction: model.slowstart }]
    const container = model.demand === 'slots' ? undefined : { vcores: model.vcores, 'memory-mb': model.memory }
    this.#mapDemand = container ?? { map: 1 }
    this.#reduceDemand = container ?? { reduce: 1 }
  }

  job(id: string, submit: number, input: number, shuffle: number, output: number): JobSpec {
    const maps = Math.max(1, Math.ceil(input / this.model.blockSize))
    const map = this.#maps(maps, input, shuffle > 0 ? shuffle : output)
    return { id, submit, user: id, label: sizeClass(maps), stages: shuffle > 0 ? [map, this.#reduces(shuffle, output)] : [map] }
  }

  #maps(tasks: number, bytesIn: number, bytesOut: number): StageSpec {
    const { mapStartup, mapRate } = this.model
    const duration = toMillis(mapStartup + bytesIn / tasks / mapRate)
    if (bytesIn === 0) return { name: 'map', tasks, demand: this.#mapDemand, duration, bytesIn, bytesOut }
    return { name: 'map', tasks, demand: this.#mapDemand, duration, data: ownBlocks, bytesIn, bytesOut }
  }

  #reduces(bytesIn: number, bytesOut: number): StageSpec {
    const { maxReduces, reduceSize, reduceStartup, shuffleRate, outputRate } = this.model
    const tasks = Math.min(maxReduces, Math.ceil(bytesIn / reduceSize))
    const duration = toMillis(reduceStartup + bytesIn / tasks / shuffleRate + bytesOut / tasks / outputRate)
    return { name: 'reduce', tasks, demand: this.#reduceDemand, duration, after: this.#after, bytesIn, bytesOut }
  }
}
