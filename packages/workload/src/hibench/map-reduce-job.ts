import type { JobSpec, StageSpec } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { count, positive, slowstart, spread, startup } from '../generate/callable.js'
import { around } from '../generate/sampling.js'
import { jobTypes, type JobCode } from './job-types.js'

/** Options of a job of any size. */
export const jobOptions = {
  blockSize: positive.default(128).describe('MB (1e6 bytes) that a map reads; a job has as many maps as its input has blocks.'),
  reduces: count.default(16).describe('Number of reduces of a job.'),
  speedUp: positive.default(1).describe('Factor by which tasks work faster than at the rates of their type; the network is not faster.'),
  slowstart,
  spread,
  startup,
}
type JobOptions = { readonly [Option in keyof typeof jobOptions]: z.output<(typeof jobOptions)[Option]> }

/** A job of a type with `input` GB of input and all other volumes in proportion. `place`: its id, submit time and user. */
export function mapReduceJob(code: JobCode, input: number, options: JobOptions, place: Pick<JobSpec, 'id' | 'submit' | 'user'>): JobSpec {
  const { blockSize, reduces, speedUp, startup } = options
  const type = jobTypes[code]
  const part = input / type.input
  const maps = Math.max(1, Math.ceil((input * 1000) / blockSize))
  const [intermediate, output] = [type.intermediate * part, type.output * part]
  const seconds = (gigabytes: number, tasks: number, rate: number) => around((gigabytes * 1000) / tasks / rate / speedUp, options.spread)
  const map: StageSpec = {
    name: 'map', tasks: maps, demand: { map: 1 }, duration: seconds(input, maps, type.mapRate),
    data: {}, bytesIn: Math.round(input * 1e9), bytesOut: Math.round(intermediate * 1e9), use: type.mapUse,
  }
  const reduce: StageSpec = {
    name: 'reduce', tasks: reduces, demand: { reduce: 1 }, duration: seconds(intermediate + output, reduces, type.reduceRate),
    after: [{ stage: 0, fraction: options.slowstart }], shuffle: { from: 0, bytes: Math.round(intermediate * 1e9) },
    bytesIn: Math.round(intermediate * 1e9), bytesOut: Math.round(output * 1e9), use: type.reduceUse,
  }
  return { ...place, label: code, application: type.title, ...(startup > 0 && { startup }), stages: [map, reduce] }
}
